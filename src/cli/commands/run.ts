import type { Command } from "commander";
import type { AgentHandle } from "../../client";
import type { Step } from "../../core/agent/step";
import type { JsonObject } from "../../core/json";
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
    .option("--id <id>", "run id; the same id twice answers with the running one")
    .option("--model <name>", "provider/model (default: the agent's, NAVIGATOR_MODEL, else scripted)")
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--detach", "start it and return; workers that run elsewhere do the work")
    .option("--return-waiting", "a waiting mission ends instead of parking: save its journal and run it again later")
    .addHelpText(
      "after",
      "\nExit code 4 means that the mission waits for a person.\n\nExample:\n  navigator run charge --config examples/order --context '{\"order_id\": 42}' --id order-42\n",
    )
    .action(async (agentName: string, options: RunOptions) => {
      const context = jsonObjectArgument("--context", options.context);
      const journal = journalOption(options.journal);
      const { loadProject } = await import("../../project");
      const project = await loadProject(options.config ?? process.cwd());
      const agent = await project.agent(agentName);
      await withSession(io, true, async (session) => {
        const handle = await session.client.startAgent({
          ...(options.id === undefined ? {} : { id: options.id }),
          agent,
          context,
          ...(journal === undefined ? {} : { journal }),
          model: options.model ?? agent.model ?? session.config.model ?? "scripted",
          on_waiting: options.returnWaiting ? "return" : "park",
        });
        io.err(`Run ${handle.workflow.workflowId}${link(session, handle)}`);
        if (options.detach) {
          io.result({ id: handle.id, workflow_id: handle.workflow.workflowId }, () => handle.id);
          return EXIT.done;
        }
        return withOwnWorker(io, options, () => follow(io, handle));
      });
    });
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

/** undefined = a new journal, null = none. */
function journalOption(option: RunOptions["journal"]): JsonObject | null | undefined {
  if (option === false) return null;
  return typeof option === "string" ? jsonObjectArgument("--journal", option) : undefined;
}

/** A run that is watched brings its own worker, so that one command is enough; others may serve the same queue. */
async function withOwnWorker(io: CommandIo, options: RunOptions, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const { openWorker } = await import("../worker-session");
  const session = await openWorker(io, {
    ...(options.config === undefined ? {} : { config: options.config }),
    start: false,
  });
  const running = session.run();
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
    session.worker.shutdown();
    await running;
  }
}

/** Until the run is over or waits for a person. */
async function follow(io: CommandIo, handle: AgentHandle): Promise<ExitCode> {
  let over: Step | undefined;
  const finished = handle.result().then((step) => {
    over = step;
  });
  for (;;) {
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
    if (over) return report(io, handle, over);
    const status = await handle.status();
    if (status.state === "waiting") return waiting(io, handle, status.waiting ?? null);
  }
}

async function report(io: CommandIo, handle: AgentHandle, step: Step): Promise<ExitCode> {
  const { mission_log } = await handle.projection();
  io.result({ id: handle.id, step }, () =>
    [
      ...(mission_log === "" ? [] : [mission_log, ""]),
      step.fail === null
        ? `return ${JSON.stringify(step.return)}`
        : `failed (${step.fail.reason}): ${step.fail.message}`,
    ].join("\n"),
  );
  return step.fail === null ? EXIT.done : EXIT.failed;
}

async function waiting(io: CommandIo, handle: AgentHandle, value: unknown): Promise<ExitCode> {
  const missionLog = await handle.missionLog();
  io.result({ id: handle.id, status: "waiting", waiting: value }, () =>
    [
      ...(missionLog === "" ? [] : [missionLog, ""]),
      `waiting for a decision: ${JSON.stringify(value)}`,
      `Decide with: navigator journal set ${handle.id} JOURNAL_ID VALUE --by YOUR_NAME`,
      "It costs nothing while it waits. A worker must be up for it to go on: navigator worker, or this command again.",
    ].join("\n"),
  );
  return EXIT.waiting;
}

function link(session: Session, handle: AgentHandle): string {
  const url = uiLink(session, handle.workflow.workflowId);
  return url === null ? "" : `  ${url}`;
}
