import type { MissionUndo, UndoRunResult } from "../../client/undo";
import { withoutHidden } from "../../core/agent/prompt/hidden-values";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import { defined } from "../../core/base/defined";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { shortened } from "../../core/base/whole-characters";
import type { UndoPlan, UndoRest, UndoStep } from "../../core/effects/undo/undo-plan";
import { createLogger } from "../../node/log";
import { loadProject, type Project } from "../../project/load";
import { findMission } from "../input/find-mission";
import { type Session, withSession } from "../session/session";
import { withOwnWorker } from "../session/watch-run";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { confirm } from "../terminal/confirm";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import type { Colors } from "../terminal/render";

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
      ["--to <record>", "only effects after this record: a task of a journal or of a plan, or a step of a graph"],
      ["--dry-run", "show what would be undone, and what could not be; undo nothing"],
      ["--yes", "do not ask"],
      ["--continue", "when an effect cannot be taken back, continue with the earlier ones (default: stop there)"],
      ["--by <name>", "who asks for it (default: the user of this shell)"],
      CONFIG_OPTION,
    ],
    notes: `The tools do the work: the command's own worker has those of the project, and others may serve the same queue.
Exit code 1 means that an undo of the plan failed or was not tried. Effects that the plan shows as impossible to undo do not count.`,
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

/** The plan as it is shown: without values under names that begin with `_`, and without what looks like a key. */
export function shownPlan(plan: UndoPlan): UndoPlan {
  const shown = (value: Json) => valueWithoutSecrets(withoutHidden(value));
  const steps = plan.steps.map((step) => ({
    ...step,
    args: shown(step.args) as JsonObject,
    result: shown(step.result),
  }));
  return { ...plan, steps, remaining: plan.remaining.map(shownRest) };
}

/** What remains, as it is shown. */
const shownRest = (rest: UndoRest): UndoRest =>
  rest.args === undefined ? rest : { ...rest, args: valueWithoutSecrets(withoutHidden(rest.args)) as JsonObject };

/** The plan of an undo as people read it before they agree. */
export function planText(plan: UndoPlan, isRunning: boolean, color: Colors): string {
  const { mission, to, steps, remaining, needless } = plan;
  const since = to === undefined ? "" : ` after ${to}`;
  const lines = [
    steps.length === 0
      ? `Nothing that ${mission} did${since} can be undone.`
      : color.bold(`Undo of ${mission}${since}, in this order:`),
    ...steps.map((step, i) => `${`${i + 1}`.padStart(4)}  ${stepText(step)}`),
  ];
  if (steps.length > 0) lines.push(`  Cost: ${costText(plan)}`);
  if (remaining.length > 0)
    lines.push("", color.bold("Cannot be undone and remains:"), ...remaining.map((rest) => `    - ${restText(rest)}`));
  if (needless.length > 0)
    lines.push("", `${needless.length} need no undo: they were not done, or are undone already.`);
  if (isRunning && steps.length > 0)
    lines.push("", "The mission continues, and may do something again. Its records stay as they are.");
  return lines.join("\n");
}

/** What became of an undo. */
function undoResultText({ undone, failed, left, remaining }: UndoRunResult, color: Colors): string {
  const lines = [`${undone.length} undone.`];
  for (const { tool, outcome, message, key } of failed)
    lines.push(
      `${color.red("Not undone")}: ${tool} (${outcome === "unknown" ? "nobody knows whether it is undone" : message})`,
      `  ${color.dim(key)}`,
    );
  if (left.length > 0) lines.push(`${left.length} not tried after that. Run the command again to continue.`);
  if (remaining.length > 0)
    lines.push(
      `${remaining.length} could not be undone from the beginning:`,
      ...remaining.map((r) => `  - ${restText(r)}`),
    );
  return lines.join("\n");
}

function stepText(step: UndoStep): string {
  const { tool, args, cost } = step;
  return `${tool} ${shortJson(args)}${placeText(step)}${cost === undefined ? "" : `, $${cost}`}`;
}

function restText(rest: UndoRest): string {
  const { tool, args, why } = rest;
  return `${tool}${args === undefined ? "" : ` ${shortJson(args)}`}${placeText(rest)}: ${why}`;
}

function placeText({ task, lane, turn, at }: Pick<UndoRest, "task" | "lane" | "turn" | "at">): string {
  const where = task === undefined ? `turn ${turn}` : `task ${task}`;
  return ` (${lane === "" ? "" : `${lane}, `}${where}, ${new Date(at).toISOString()})`;
}

function costText({ cost: { known, unknown }, steps }: UndoPlan): string {
  if (unknown === steps.length) return "not known: the tools do not declare it";
  const sum = `$${Math.round(known * 100) / 100}`;
  return unknown === 0 ? sum : `${sum}, and ${unknown} whose tools do not declare it`;
}

const MAX_CHARS = 120;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return shortened(text, MAX_CHARS);
}
