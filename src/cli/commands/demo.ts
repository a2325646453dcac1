import { createInterface } from "node:readline/promises";
import {
  type MissionEvent,
  ORDER_EXAMPLE,
  type OrderMissionResult,
  runOrderMission,
} from "../../../examples/order/demo/mission";
import { timeSpent } from "../../../examples/order/demo/time-spent";
import { NavigatorClient } from "../../client/client";
import { type MissionTree, missionTree } from "../../client/mission-tree";
import { taskWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Review } from "../../core/review/review";
import { loadProject } from "../../project/load";
import { modelOf } from "../input/model-name";
import { type Session, uiLink, withSession } from "../session/session";
import { type DemoSummary, demoText } from "../show/render-demo";
import type { TopCommands } from "../terminal/command";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

export const demoCommands: TopCommands = {
  demo: {
    options: [
      ["--yes", "approve without asking"],
      ["--no-crash", "let the worker live"],
    ],
    examples: ["navigator demo --yes"],
    run: (io: CommandIo, options: { yes?: boolean; crash: boolean }) =>
      withSession(io, "start", (session) => demo(io, session, options)),
  },
};

async function demo(io: CommandIo, session: Session, options: { yes?: boolean; crash: boolean }): Promise<ExitCode> {
  const model = await demoModel(session);
  const taskId = `order-42-${stamp(new Date())}`;
  // The demo has its own task queue: a worker of another project must not take its tasks.
  const client = new NavigatorClient(session.client.temporal, {
    project: session.client.project,
    taskQueue: `navigator-demo-${taskId}`,
  });
  io.err(
    model.startsWith("scripted")
      ? `Model: scripted (its answers are replayed from ${model === "scripted" ? "examples/order/script.json" : model.slice("scripted:".length)}; set NAVIGATOR_MODEL=provider/model for a real one)`
      : `Model: ${model}`,
  );
  const result = await runOrderMission({
    client,
    env: { TEMPORAL_ADDRESS: session.address, TEMPORAL_NAMESPACE: session.namespace },
    model,
    taskId,
    crash: options.crash,
    approve: (review) => approval(review, options.yes === true),
    report: (event) => io.err(`  ${eventText(event)}`),
  });
  const tree = await missionTree(client, taskWorkflowId(taskId, client.project));
  const answer = { ...(await summary(result, tree)), ui: uiLink(session, taskWorkflowId(taskId, client.project)) };
  io.result(answer, () => demoText(answer, result, tree, io.color));
  return result.counts.charges === 1 && result.task.status === "COMPLETED" ? EXIT.done : EXIT.failed;
}

/** Refused here if the model is not available: otherwise the worker would fail the mission. */
async function demoModel({ config }: Session): Promise<string> {
  return modelOf({ config }, (await loadProject(ORDER_EXAMPLE)).models, true);
}

async function approval(review: Review, yes: boolean): Promise<{ choice: string; by: string; note?: string }> {
  if (yes || !process.stdin.isTTY)
    return { choice: review.choices[0] as string, by: "demo", note: yes ? "--yes" : "no terminal to ask on" };
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const first = review.choices[0] as string;
  try {
    for (;;) {
      const given = await prompt.question(`\n  ${review.title} [${review.choices.join(" / ")}, Enter: ${first}] `);
      const choice = given.trim() || first;
      if (review.choices.includes(choice)) return { choice, by: process.env.USER ?? "you" };
      process.stderr.write(`  "${choice}" is not one of the choices.`);
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ABORT_ERR") throw error;
    throw new NavigatorError("interrupted", "Nobody decided, so the order is still waiting. The demo ends here.", {
      hint: "navigator demo --yes approves automatically.",
      exitCode: EXIT.waiting,
    });
  } finally {
    prompt.close();
  }
}

function eventText(event: MissionEvent): string {
  switch (event.event) {
    case "service_ready":
      return `payment service (counts every charge) at ${event.url}`;
    case "worker_ready":
      return event.first ? `worker ${event.pid} is up` : `worker ${event.pid} is up and takes over`;
    case "task_started":
      return `order 42 started: ${event.workflow_id}`;
    case "money_moved":
      return `the money has moved (key ${event.key}); the response is not recorded yet ...`;
    case "worker_killed":
      return `... and worker ${event.pid} was killed with SIGKILL`;
    case "review_open":
      return `waiting for a person: ${event.review.title}`;
    case "review_decided":
      return `${event.by} decided: ${event.choice}`;
  }
}

async function summary(result: OrderMissionResult, tree: MissionTree): Promise<DemoSummary> {
  return {
    task: result.task,
    missions: tree,
    charges: result.counts.charges,
    refunds: result.counts.refunds,
    shipments: result.counts.shipments,
    charge_requests: result.requests.filter((request) => request.path === "/charges").length,
    crash: result.crash,
    time_ms: timeSpent(
      tree,
      result.reviews.map((review) => ({
        createdAt: review.createdAt,
        ...(review.decision === undefined ? {} : { decidedAt: review.decision.at }),
      })),
    ),
  };
}

function stamp(now: Date): string {
  return now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
}
