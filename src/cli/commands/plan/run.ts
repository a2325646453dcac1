import type { Command } from "commander";
import { defined } from "../../../core/base/defined";
import { planWorkflowId } from "../../../core/base/ids";
import { shellWord } from "../../../node/shell-word";
import type { PlanFlags, PlanRequest } from "../../input/plan-request";
import { type ShareFlags, shareArguments, withShareOptions } from "../../input/share-arguments";
import { uiLink, withSession } from "../../session/session";
import { requester } from "../../session/signing";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

const EXAMPLE = `
FILE is a plan ({agents, tasks}, as a model writes it) or {plan, options, mission}. Without one the planner makes a plan for
the mission. Options are those of plans (docs/plans.md); the command line overrides the file.
Its agents may use all tools of the project, unless \`base_tools\` names fewer. Models are as for \`navigator run\`.
Events are printed line by line; with --json as JSON Lines, and the last line is the result.

Exit codes: 0 done, 1 failed, 2 bad input, 3 no server, 4 waiting for a person: decide, then run it again with its --id.

Example:
  $ navigator plan run examples/plans/lamps.yaml --config examples/plans --id lamps`;

interface Options extends PlanFlags, ShareFlags {
  detach?: boolean;
  join?: boolean;
  config?: string;
  follow?: boolean;
}

/** `navigator plan run`: runs a plan on Temporal, with its own worker. */
export function registerPlanRun(plan: Command, io: CommandIo): void {
  withShareOptions(
    plan.command("run [file]").description("run a plan, or make one for a mission and run it; - reads stdin"),
  )
    .option("--mission <text>", "what the plan must achieve; without FILE the planner makes the plan")
    .option("--executor", "repair the plan: when it fails, the planner makes a new one for the rest")
    .option("--options <json>", "options of the plan, JSON or @FILE")
    .option("--on-review <wait|return>", "what to do at a review without a decision (default: wait)")
    .option("--reviews <json>", "decisions by task id, JSON or @FILE")
    .option("--initial-results <json>", "values by task id, JSON or @FILE: these tasks are not run")
    .option("--id <id>", "id of the plan; if it was started with the same before, the command shows that plan")
    .option("--join", "show the plan of this --id, whatever it was started with")
    .option(
      "--model <name>",
      "provider/model or scripted:FILE (default: the options' llm, NAVIGATOR_MODEL, else scripted)",
    )
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--detach", "start it and return; other workers do the work")
    .option("--follow", "keep running while the plan waits for people, until it ends")
    .addHelpText("after", EXAMPLE)
    .action((file: string | undefined, options: Options) => run(io, file, options));
}

/** All mistakes in the input are found before a server is looked up. */
async function run(io: CommandIo, file: string | undefined, options: Options): Promise<void> {
  const [{ planRequest }, { loadConfig }, { loadProject }, { createLogger }] = await Promise.all([
    import("../../input/plan-request"),
    import("../../../node/settings"),
    import("../../../project/load"),
    import("../../../node/log"),
  ]);
  shareArguments(options);
  const request = planRequest(file, options);
  const config = loadConfig();
  const project = await loadProject(options.config ?? process.cwd(), { log: createLogger(config.logLevel) });
  try {
    await start(io, request, project, config, file, options);
  } finally {
    await project.close();
  }
}

async function start(
  io: CommandIo,
  request: PlanRequest,
  project: import("../../../project/load").Project,
  config: import("../../../node/settings").Config,
  file: string | undefined,
  options: Options,
): Promise<void> {
  const [{ planStart }, { planInput }, { watchPlan }, { withOwnWorker }] = await Promise.all([
    import("../../input/plan-request"),
    import("../../../workflows/start/plan-input"),
    import("../../session/watch-plan"),
    import("../../session/watch-run"),
  ]);
  const wanted = await planStart(request, project, config, options);
  planInput(wanted);
  await withSession(io, true, async (session) => {
    const { client } = session;
    const ranBefore = options.id !== undefined && (await client.has(planWorkflowId(options.id)));
    const plan = await client.startPlan({
      ...wanted,
      ...shareArguments(options),
      join: options.join === true,
      ...defined({ requested_by: await requester(io) }),
    });
    const workflow_id = plan.workflow.workflowId;
    const url = uiLink(session, workflow_id);
    io.err(`Plan ${workflow_id}${url === null ? "" : `  ${url}`}`);
    if (ranBefore) io.err("This plan was started before, and its state is shown. Use a new --id to start another.");
    if (options.detach) {
      const { tellDetached } = await import("../../session/tell-detached");
      await tellDetached(io, { id: workflow_id, workflow: plan.workflow }, options.config);
      io.result({ id: plan.id, workflow_id }, () => plan.id);
      return EXIT.done;
    }
    const again = `navigator plan run${file === undefined ? ` --mission ...` : ` ${shellWord(file)}`} --id ${shellWord(plan.id)}`;
    return withOwnWorker({ io, session, project, workflowId: workflow_id }, () =>
      watchPlan(io, client, plan, { stay: options.follow === true, again }),
    );
  });
}
