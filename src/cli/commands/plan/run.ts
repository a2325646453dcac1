import { defined } from "../../../core/base/defined";
import { planWorkflowId } from "../../../core/base/ids";
import { createLogger } from "../../../node/log";
import { loadConfig } from "../../../node/settings";
import { shellWord } from "../../../node/shell-word";
import { loadProject } from "../../../project/load";
import { planInput } from "../../../workflows/start/plan-input";
import { SHARE_OPTIONS, type ShareFlags, shareArguments } from "../../input/arguments";
import { type PlanFlags, type PlanRequest, planRequest, planStart } from "../../input/plan-request";
import { reportDetached } from "../../session/notices";
import { uiLink, withSession } from "../../session/session";
import { requester } from "../../session/signing";
import { watchPlan } from "../../session/watch-plan";
import { withOwnWorker } from "../../session/watch-run";
import { CONFIG_OPTION, type CommandSpec } from "../../terminal/command";

import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

interface Options extends PlanFlags, ShareFlags {
  detach?: boolean;
  join?: boolean;
  config?: string;
  follow?: boolean;
}

/** `navigator plan run`: runs a plan on Temporal, with its own worker. */
export const planRunCommands: readonly CommandSpec[] = [
  {
    name: "run [file]",
    about: "run a plan, or make one for a mission and run it; - reads stdin",
    options: [
      ...SHARE_OPTIONS,
      ["--mission <text>", "what the plan must achieve; without FILE the planner makes the plan"],
      ["--executor", "repair the plan: when it fails, the planner makes a new one for the rest"],
      ["--options <json>", "options of the plan, JSON or @FILE"],
      ["--on-review <wait|return>", "what to do at a review without a decision (default: wait)"],
      ["--reviews <json>", "decisions by task id, JSON or @FILE"],
      ["--initial-results <json>", "values by task id, JSON or @FILE: these tasks are not run"],
      ["--id <id>", "id of the plan; if it was started with the same before, the command shows that plan"],
      ["--join", "show the plan of this --id, whatever it was started with"],
      ["--model <name>", "provider/model or scripted:FILE (default: the options' llm, NAVIGATOR_MODEL, else scripted)"],
      CONFIG_OPTION,
      ["--detach", "start it and return; other workers do the work"],
      ["--follow", "keep running while the plan waits for people, until it ends"],
    ],
    notes: `FILE is a plan ({agents, tasks}, as a model writes it) or {plan, options, mission}. Without one the planner makes a plan for
the mission. Options are those of plans (docs/plans.md); the command line overrides the file.
Its agents may use all tools of the project, unless \`base_tools\` names fewer. Models are as for \`navigator run\`.
Events are printed line by line; with --json as JSON Lines, and the last line is the result.

Exit codes: 0 done, 1 failed, 2 bad input, 3 no server, 4 waiting for a person: decide, then run it again with its --id.`,
    examples: ["navigator plan run examples/plans/lamps.yaml --config examples/plans --id lamps"],
    run: run,
  },
];

/** All mistakes in the input are found before a server is looked up. */
async function run(io: CommandIo, file: string | undefined, options: Options): Promise<void> {
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
  const wanted = await planStart(request, project, config, options);
  planInput(wanted);
  await withSession(io, "start", async (session) => {
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
      await reportDetached(io, { id: workflow_id, workflow: plan.workflow }, options.config);
      io.result({ id: plan.id, workflow_id }, () => plan.id);
      return EXIT.done;
    }
    const again = `navigator plan run${file === undefined ? ` --mission ...` : ` ${shellWord(file)}`} --id ${shellWord(plan.id)}`;
    return withOwnWorker({ io, session, project, workflowId: workflow_id }, () =>
      watchPlan(io, client, plan, { stay: options.follow === true, again }),
    );
  });
}
