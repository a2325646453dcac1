import type { MissionUndo, UndoRunResult } from "../../client/undo";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { UndoPlan } from "../../core/effects/undo/undo-plan";
import { createLogger } from "../../node/log";
import { loadProject, type Project } from "../../project/load";
import { findMission } from "../input/find-mission";
import { CONFIG_OPTION } from "../session/project-people";
import { type Session, withSession } from "../session/session";
import { withOwnWorker } from "../session/watch-run";
import { planText, shownPlan, shownRest, undoResultText } from "../show/render-undo";
import type { TopCommands } from "../terminal/command";
import { confirm } from "../terminal/confirm";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

interface Options {
  to?: string;
  yes?: boolean;
  continue?: boolean;
  by?: string;
  dryRun?: boolean;
  config?: string;
}

export const undoCommands: TopCommands = {
  undo: {
    options: [
      ["--to <record>", "only what was done after this record: a task of a journal or of a plan, or a step of a graph"],
      ["--dry-run", "show what would be undone, and what could not be; undo nothing"],
      ["--yes", "do not ask"],
      ["--continue", "when an effect cannot be taken back, go on with the earlier ones (default: stop there)"],
      ["--by <name>", "who asks for it (default: the user of this shell)"],
      CONFIG_OPTION,
    ],
    notes: `The tools do the work: the command's own worker has those of the project, and others may serve the same queue.
Exit code 1 means that an undo of the plan failed or was not tried. What the plan says cannot be undone does not count.`,
    examples: ["navigator undo order-42 --dry-run", "navigator undo order-42 --to reserve_stock --yes"],
    run: (io: CommandIo, id: string, options: Options) =>
      withSession(io, "read", async (session) => {
        const planned = () =>
          findMission(id, (workflowId) => session.client.undo(workflowId, defined({ to: options.to })));
        let undo = await planned();
        if (undo.underWay !== null && !options.dryRun) {
          io.err(
            `An undo is under way: ${undo.underWay}. This command waits for its end, and then makes its own plan.`,
          );
          const other = undo;
          const ended = await withTools(io, session, options, other, () => other.result());
          undo = await planned();
          if (undo.plan.steps.length === 0) return reported(io, other, ended);
        }
        const plan = shownPlan(undo.plan);
        if (options.dryRun || plan.steps.length === 0) {
          io.result(plan, () => planText(plan, undo.isRunning, io.color));
          return EXIT.done;
        }
        if (!io.json) io.err(planText(plan, undo.isRunning, io.color));
        if (!options.yes) await confirmed(io, plan);
        const by = options.by ?? (process.env.USER || process.env.USERNAME || undefined);
        await undo.start({ on_failure: options.continue ? "continue" : "stop", ...defined({ by }) });
        return reported(io, undo, await withTools(io, session, options, undo, () => undo.result()));
      }),
  },
};

async function reported(io: CommandIo, undo: MissionUndo, ended: UndoRunResult): Promise<ExitCode> {
  const result = { ...ended, remaining: ended.remaining.map(shownRest) };
  io.result({ workflow_id: undo.workflowId, ...result }, () => undoResultText(result, io.color));
  return result.failed.length === 0 ? EXIT.done : EXIT.failed;
}

/** Asks on a terminal before anything is undone. @throws NavigatorError `confirmation_required` */
function confirmed(io: CommandIo, plan: UndoPlan): Promise<void> {
  const what = `This undoes ${plan.steps.length} effect(s) of ${plan.mission}`;
  return confirm(io, `${what}. Undo them?`, {
    message: `${what}. Nothing was undone.`,
    hint: "Add --yes to undo them, or --dry-run to see the plan only.",
    details: { ...plan },
  });
}

/** The work with a worker of this command, if there is a project here: without one, other workers must have the tools. */
async function withTools<T>(
  io: CommandIo,
  session: Session,
  options: Options,
  { workflowId }: MissionUndo,
  watch: () => Promise<T>,
): Promise<T> {
  const project = await projectHere(session, options.config);
  if (project === null) return watch();
  try {
    await project.openTools();
    return await withOwnWorker({ io, session, project, workflowId }, watch);
  } finally {
    await project.close();
  }
}

async function projectHere({ config }: Session, file: string | undefined): Promise<Project | null> {
  try {
    return await loadProject(file ?? process.cwd(), { log: createLogger(config.logLevel) });
  } catch (error) {
    const isMissing =
      error instanceof NavigatorError && error.code === "not_found" && error.details?.kind === "project";
    if (file === undefined && isMissing) return null;
    throw error;
  }
}
