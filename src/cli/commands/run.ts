import type { Command } from "commander";
import type { Budget } from "../../core/agent/definition/agent-input";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { defined } from "../../core/base/defined";
import { agentWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Project } from "../../project/load";
import { shortModelNames } from "../../project/short-model-names";
import type { WorkShare } from "../../workflows/start/priority";
import { BUDGET_OPTION, budgetArgument } from "../input/budget-argument";
import { jsonObjectArgument } from "../input/json-argument";
import { type ShareFlags, shareArguments, withShareOptions } from "../input/share-arguments";
import { uiLink, withSession } from "../session/session";
import { requester } from "../session/signing";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export function registerRun(program: Command, io: CommandIo): void {
  withShareOptions(
    program
      .command("run <agent>")
      .description("one agent run: AGENT is a file (YAML or JSON) or the name of one of the project's agents"),
  )
    .option("--context <json>", "input of the agent, JSON or @FILE", "{}")
    .option("--journal <json>", "journal of an earlier run, JSON or @FILE")
    .option("--no-journal", "run without a journal: nothing keeps a task from running twice")
    .option("--id <id>", "run id; if it was started with the same before, the command shows that run")
    .option("--join", "show the run of this --id, whatever it was started with")
    .option("--model <name>", "provider/model or scripted:FILE (default: the agent's, NAVIGATOR_MODEL, else scripted)")
    .option(...BUDGET_OPTION)
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--detach", "start it and return; other workers do the work")
    .option("--stream", "show on stderr what the model says while it says it (default on a terminal)")
    .option("--no-stream", "do not show it")
    .option("--follow", "stay also while it waits for a person; default: exit with code 4 and say how to decide")
    .option("--return-waiting", "a waiting mission ends instead of parking: save its journal and run it again later")
    .addHelpText(
      "after",
      "\nExit code 4 means that the mission waits for a person: a decision in its journal, an approval, a question or a budget.\nThe same command with the same --id goes on with it.\n\nExample:\n  $ navigator run charge --config examples/order --context '{\"order_id\": 42}' --id order-42",
    )
    .action((agentName: string, options: RunOptions) => run(io, agentName, options));
}

interface RunOptions extends ShareFlags {
  context: string;
  journal?: string | boolean;
  id?: string;
  join?: boolean;
  model?: string;
  budget?: string;
  config?: string;
  detach?: boolean;
  stream?: boolean;
  follow?: boolean;
  returnWaiting?: boolean;
}

/** All mistakes in the input are found before a server is looked up. */
async function run(io: CommandIo, agentName: string, options: RunOptions): Promise<void> {
  const context = jsonObjectArgument("--context", options.context);
  const journal = journalOption(options.journal);
  const budget = budgetArgument(options.budget);
  const share = shareArguments(options);
  const [{ loadConfig }, { loadProject }, { modelOf }, { createLogger }, { processTelemetry }] = await Promise.all([
    import("../../node/settings"),
    import("../../project/load"),
    import("../input/model-name"),
    import("../../node/log"),
    import("../session/process-telemetry"),
  ]);
  const config = loadConfig();
  const log = createLogger(config.logLevel);
  const project = await loadProject(options.config ?? process.cwd(), { log });
  const named = await project.agent(agentName);
  const choice = { option: options.model, agent: [named.model].flat()[0], config };
  const model = modelOf(choice, project.models, options.detach !== true);
  try {
    // A detached run only names its unknown tools; its worker describes them.
    if (!options.detach) await project.openTools();
    const agent = await project.agent(agentName);
    if (!options.detach) await refuseUnknownTools(agent, project);
    const telemetry = await processTelemetry(project.telemetry, log);
    try {
      await runAgent(io, { project, agent, model, context, journal, budget, share }, options);
    } finally {
      await telemetry.stop();
    }
  } finally {
    await project.close();
  }
}

interface Prepared {
  project: Project;
  agent: AgentDefinition;
  model: string;
  context: JsonObject;
  journal: JsonObject | null | undefined;
  budget: Budget | undefined;
  share: WorkShare;
}

async function runAgent(io: CommandIo, prepared: Prepared, options: RunOptions): Promise<void> {
  const { project, agent, model, context, journal, budget, share } = prepared;
  const [{ watchRun }, { inCallersTrace }] = await Promise.all([
    import("../session/watch-run"),
    import("../../node/telemetry/global-provider"),
  ]);
  await withSession(io, true, async (session) => {
    const ranBefore = options.id !== undefined && (await session.client.has(agentWorkflowId(options.id)));
    const requested_by = await requester(io);
    const start = () =>
      session.client.startAgent({
        ...defined({ id: options.id, join: options.join }),
        agent,
        context,
        ...defined({ journal, budget }),
        ...share,
        model,
        ...defined({ requested_by }),
        llm_registry: shortModelNames(project.models),
        on_waiting: options.returnWaiting ? "return" : "park",
      });
    const handle = await inCallersTrace(
      { traceparent: process.env.TRACEPARENT, tracestate: process.env.TRACESTATE },
      start,
    );
    const url = uiLink(session, handle.workflow.workflowId);
    io.err(`Run ${handle.workflow.workflowId}${url === null ? "" : `  ${url}`}`);
    if (ranBefore) io.err("This run was started before, and its state is shown. Use a new --id to start another.");
    if (options.detach) {
      const { tellDetached } = await import("../session/tell-detached");
      await tellDetached(io, handle, options.config);
      io.result({ id: handle.id, workflow_id: handle.workflow.workflowId }, () => handle.id);
      return EXIT.done;
    }
    const waitingStatus = options.returnWaiting ? agent.waiting_status : null;
    return watchRun(io, session, project, handle, {
      waitingStatus,
      stay: options.follow === true,
      text: options.stream ?? (io.isWatched && !io.json),
      again: options.id === undefined ? `the same command with --id ${handle.id}` : "the same command again",
    });
  });
}

/** The worker of this command has only the project's tools. */
async function refuseUnknownTools(agent: AgentDefinition, project: Project): Promise<void> {
  const { isWorkerTool } = await import("../../core/agent/definition/definition");
  const known = project.tools.specs().map((tool) => tool.name);
  const named = agent.tools.filter(isWorkerTool).map((tool) => (typeof tool === "string" ? tool : tool.name));
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(", ");
  const there = known.length === 0 ? "The project has no tools." : `Tools of the project: ${known.join(", ")}.`;
  throw new NavigatorError("tool_not_found", `The agent names ${names}, which the project does not have. ${there}`, {
    hint: "Add it to navigator.config, or leave the run to a worker that has it: --detach.",
    exitCode: 2, // The error is raised before anything runs.
  });
}

/** undefined = a new journal, null = no journal. */
function journalOption(option: RunOptions["journal"]): JsonObject | null | undefined {
  if (option === false) return null;
  return typeof option === "string" ? jsonObjectArgument("--journal", option) : undefined;
}
