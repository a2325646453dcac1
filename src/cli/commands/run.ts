import type { Command } from "commander";
import type { AgentHandle } from "../../client";
import type { Step } from "../../core/agent/step";
import type { Json, JsonObject } from "../../core/json";
import type { Project } from "../../project";
import { CliError, EXIT, type ExitCode } from "../exit";
import type { CommandIo } from "../io";
import { jsonObjectArgument } from "../json-argument";
import { type Session, uiLink, withSession } from "../session";

const POLL_MS = 300;

export function registerRun(program: Command, io: CommandIo): void {
  program
    .command("run <agent>")
    .description("one agent run: AGENT is a file (YAML or JSON) or the name of one of the project's agents")
    .option("--context <json>", "input of the agent, JSON or @FILE", "{}")
    .option("--journal <json>", "journal of an earlier run, JSON or @FILE")
    .option("--no-journal", "run without a journal: nothing protects against doing things twice")
    .option("--id <id>", "run id; the same id again answers with what that run does or did")
    .option("--model <name>", "provider/model or scripted:FILE (default: the agent's, NAVIGATOR_MODEL, else scripted)")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--detach", "start it and return; workers that run elsewhere do the work")
    .option("--return-waiting", "a waiting mission ends instead of parking: save its journal and run it again later")
    .addHelpText(
      "after",
      "\nExit code 4 means that the mission waits for a person.\n\nExample:\n  $ navigator run charge --config examples/order --context '{\"order_id\": 42}' --id order-42",
    )
    .action((agentName: string, options: RunOptions) => run(io, agentName, options));
}

interface RunOptions {
  context: string;
  journal?: string | boolean;
  id?: string;
  model?: string;
  config?: string;
  detach?: boolean;
  returnWaiting?: boolean;
}

/** All that can be wrong with the input is found before a server is looked for. */
async function run(io: CommandIo, agentName: string, options: RunOptions): Promise<void> {
  const context = jsonObjectArgument("--context", options.context);
  const journal = journalOption(options.journal);
  const [{ loadConfig }, { loadProject }, { modelOf }] = await Promise.all([
    import("../../config"),
    import("../../project"),
    import("../model-name"),
  ]);
  const config = loadConfig();
  const project = await loadProject(options.config ?? process.cwd());
  const agent = await project.agent(agentName);
  const choice = { option: options.model, agent: agent.model, config };
  const model = modelOf(choice, project.models, options.detach !== true);
  const { agentWorkflowId } = await import("../../client");
  await withSession(io, true, async (session) => {
    const ranBefore = options.id !== undefined && (await session.client.has(agentWorkflowId(options.id)));
    const handle = await session.client.startAgent({
      ...(options.id === undefined ? {} : { id: options.id }),
      agent,
      context,
      ...(journal === undefined ? {} : { journal }),
      model,
      on_waiting: options.returnWaiting ? "return" : "park",
    });
    const url = uiLink(session, handle.workflow.workflowId);
    io.err(`Run ${handle.workflow.workflowId}${url === null ? "" : `  ${url}`}`);
    if (ranBefore) io.err("It was started before: this is what that run does or did. A new run needs a new --id.");
    if (options.detach) {
      io.result({ id: handle.id, workflow_id: handle.workflow.workflowId }, () => handle.id);
      return EXIT.done;
    }
    const waitingStatus = options.returnWaiting ? agent.waiting_status : null;
    return withOwnWorker(session, project, () => follow(io, handle, waitingStatus));
  });
}

/** undefined = a new journal, null = none. */
function journalOption(option: RunOptions["journal"]): JsonObject | null | undefined {
  if (option === false) return null;
  return typeof option === "string" ? jsonObjectArgument("--journal", option) : undefined;
}

/** A run that is watched brings its own worker, so that one command is enough; others may serve the same queue. */
async function withOwnWorker(session: Session, project: Project, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const { startWorker } = await import("../worker-session");
  // A failed call is told as the run's own, in its Step and its log.
  const own = await startWorker(session.config, session, project, { quiet: true });
  const running = own.run();
  try {
    return await Promise.race([
      work(),
      running.then(() =>
        Promise.reject(
          new CliError("worker_stopped", "The worker stopped before the run was over.", { exitCode: EXIT.failed }),
        ),
      ),
    ]);
  } finally {
    own.worker.shutdown();
    await running;
  }
}

/** Until the run is over or waits for a person. `waitingStatus`: the status of a return that only says that it waits. */
async function follow(io: CommandIo, handle: AgentHandle, waitingStatus: string | null): Promise<ExitCode> {
  let over: Step | undefined;
  const finished = handle.result().then((step) => {
    over = step;
  });
  const told = new Set<string>();
  for (;;) {
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
    if (over) return report(io, handle, over, waitingStatus);
    const status = await handle.status();
    if (status.state === "waiting") return waiting(io, handle, status.waiting ?? null);
    for (const row of await handle.journal()) {
      if (!told.has(row.id)) io.err(`  recorded ${row.id}: ${row.text}`);
      told.add(row.id);
    }
  }
}

async function report(io: CommandIo, handle: AgentHandle, step: Step, waitingStatus: string | null): Promise<ExitCode> {
  const { stepText } = await import("../render-step");
  const { mission_log } = await handle.projection();
  const progress = await handle.progress();
  io.result({ id: handle.id, step }, () => stepText(step, { mission_log, progress }, io.color));
  if (step.fail !== null) return EXIT.failed;
  if (waitingStatus === null || statusOf(step.return) !== waitingStatus) return EXIT.done;
  io.err(
    `It waits for a person. Keep its journal: navigator journal export ${handle.id} > journal.json\nAdd the decision to it, and run the agent again with --journal @journal.json`,
  );
  return EXIT.waiting;
}

function statusOf(value: Json): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value.status : undefined;
}

async function waiting(io: CommandIo, handle: AgentHandle, value: Json): Promise<ExitCode> {
  const { waitingText } = await import("../render-step");
  const [mission_log, progress] = [await handle.missionLog(), await handle.progress()];
  io.result({ id: handle.id, status: "waiting", waiting: value }, () =>
    waitingText(handle.id, value, { mission_log, progress }, io.color),
  );
  return EXIT.waiting;
}
