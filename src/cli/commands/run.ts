import type { Budget } from "../../core/agent/definition/agent-input";
import { type AgentDefinition, isWorkerTool } from "../../core/agent/definition/definition";
import { defined } from "../../core/base/defined";
import { agentWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { createLogger } from "../../node/log";
import { loadConfig } from "../../node/settings";
import { inCallersTrace } from "../../node/telemetry/global-provider";
import { loadProject, type Project } from "../../project/load";
import { shortModelNames } from "../../project/short-model-names";
import type { WorkShare } from "../../workflows/start/priority";
import {
  BUDGET_OPTION,
  budgetArgument,
  jsonObjectArgument,
  SHARE_OPTIONS,
  type ShareFlags,
  shareArguments,
} from "../input/arguments";
import { modelOf } from "../input/model-name";
import { reportDetached } from "../session/notices";
import { processTelemetry } from "../session/process-telemetry";
import { uiLink, withSession } from "../session/session";
import { requester } from "../session/signing";
import { watchRun } from "../session/watch-run";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export const runCommands: TopCommands = {
  run: {
    options: [
      ...SHARE_OPTIONS,
      ["--context <json>", "input of the agent, JSON or @FILE", "{}"],
      ["--journal <json>", "journal of an earlier run, JSON or @FILE"],
      ["--no-journal", "run without a journal: nothing keeps a task from running twice"],
      ["--id <id>", "run id; if it was started with the same before, the command shows that run"],
      ["--join", "show the run of this --id, whatever it was started with"],
      ["--model <name>", "provider/model or scripted:FILE (default: the agent's, NAVIGATOR_MODEL, else scripted)"],
      BUDGET_OPTION,
      CONFIG_OPTION,
      ["--detach", "start it and return; other workers do the work"],
      ["--stream", "show the model's text on stderr as it arrives (default on a terminal)"],
      ["--no-stream", "do not show it"],
      ["--follow", "stay also while it waits for a person; default: exit with code 4 and show how to decide"],
      ["--return-waiting", "a waiting mission ends instead of parking: save its journal and run it again later"],
    ],
    notes: `Exit code 4 means that the mission waits for a person: a decision in its journal, an approval, a question or a budget.
The same command with the same --id continues it.`,
    examples: ["navigator run charge --config examples/order --context '{\"order_id\": 42}' --id order-42"],
    run: run,
  },
};

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
  await withSession(io, "start", async (session) => {
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
      await reportDetached(io, handle, options.config);
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
