import { randomUUID } from "node:crypto";
import { TaskService } from "../../../src/client/tasks/task-service";
import { newTask } from "../../../src/core/graph/task/task";
import type { Review } from "../../../src/core/review/review";
import { defineTool } from "../../../src/tools";
import { type MailServer, openMailServer, openReceiver, type Receiver } from "../../support/receivers";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** The outbox: deliveries that arrive, are tried again, are given up, are dropped with their review, and continue as new. */

let hook: Receiver;
let mail: MailServer;
let isUp: boolean;
const opened = async (up: boolean) => {
  isUp = up;
  hook = await openReceiver(() => (isUp ? 204 : 503));
  mail = await openMailServer({ refuse: (address) => (address.startsWith("gone") ? 550 : undefined) });
  return {
    notify: {
      webhook: { url: hook.url, secret: "s" },
      email: { smtp: mail.url, from: "nav@example.com", to: ["all@example.com", "gone@example.com"] },
      showAfterMs: 1_500,
    },
  };
};
const closed = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } finally {
    await Promise.all([hook.close(), mail.close()]);
  }
};

interface Asked {
  reviews(): Promise<Review[]>;
  decide(decision: { review: string; choice: string; by: string }): Promise<unknown>;
}
const review = (asked: Asked) =>
  until(async () => (await asked.reviews()).find(({ status }) => status === "open"), "a review is open");
const decide = async (asked: Asked, choice: string) =>
  asked.decide({ review: (await review(asked)).id, choice, by: "anna" });
/** All is confirmed or given up. */
const settled = (asked: Asked) =>
  until(async () => {
    const { notices, unheard } = await review(asked);
    return notices === undefined && unheard?.length === 1;
  }, "the outbox is settled");

const asking = agent({ max_turns: 1, builtin_tools: ["ask"] });
const ASK = fenced('(return (:choice (tool/ask-person {:question "Now?"})))');
const startAsking = ({ client }: Rig) => client.startAgent({ id: randomUUID(), agent: asking, model: "scripted" });
const startReviewing = ({ client }: Rig) =>
  client.startPlan({ plan: { tasks: [{ id: "ask", type: "review", input: "Well?" }] } });
async function startGate({ client }: Rig) {
  const taskService = new TaskService(client);
  const id = randomUUID();
  await taskService.loadWorkflow("told", {
    nodes: {
      start: { type: "start" },
      check: { type: "gate", name: "Check", review: { assignees: ["anna"], remind_ms: 600_000 } },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "check" },
      { from: "check", to: "done", on: "passed" },
    ],
  });
  await taskService.loadTasks([{ id, issueId: "I-1", workflowType: "told", currentStep: "check" }], "merge");
  return { task: client.task(id), confirm: () => taskService.confirmSyncsOfTask(id) };
}

/** An agent, a plan and a task that ask. */
async function startAll(rig: Rig) {
  return { run: await startAsking(rig), plan: await startReviewing(rig), gate: await startGate(rig) };
}

/** Says yes to all three, waits until they end, and gives their workflow ids. */
async function decideAll({ run, plan, gate }: Awaited<ReturnType<typeof startAll>>): Promise<string[]> {
  await decide(run, "yes");
  await decide(plan, "approve");
  await decide(gate.task, "passed");
  await Promise.all([run.result(), plan.result()]);
  await gate.confirm();
  return [run, plan, gate.task].map(({ workflow }) => workflow.workflowId);
}

export const NOTIFICATION_RECORDINGS: Recording[] = [
  {
    // A webhook that is down at first and a mail that is refused for good: an agent, a plan and a task ask.
    name: "notified",
    rig: async () => ({ ...(await opened(false)), script: [ASK] }),
    run: (rig) =>
      closed(async () => {
        const started = await startAll(rig);
        const { run, plan, gate } = started;
        await until(async () => {
          const all = await Promise.all([run, plan, gate.task].map(review));
          return all.every(({ unheard }) => unheard?.length === 2);
        }, "the failures are shown");
        isUp = true;
        await Promise.all([run, plan, gate.task].map(settled));
        return await decideAll(started);
      }),
  },
  {
    // People decide while the webhook is down: what is left is dropped.
    name: "notified-too-late",
    rig: async () => ({ ...(await opened(false)), script: [ASK] }),
    run: (rig) =>
      closed(async () => {
        const started = await startAll(rig);
        await until(async () => hook.got.length >= 3, "all were tried");
        return await decideAll(started);
      }),
  },
  {
    // An alert: to the webhook and the tool, and to an address that is refused.
    name: "notified-of-an-alert",
    rig: async () => ({
      ...(await opened(true)),
      tools: [defineTool({ name: "page_oncall", run: () => "P-1" })],
      escalations: { alert: "page_oncall" },
    }),
    run: (rig) =>
      closed(async () => {
        const definition = definitionOf({
          id: "alerting",
          nodes: {
            start: { type: "start" },
            look: { type: "task", name: "Look" },
            lost: { type: "end", result: "failure", escalation: "alert" },
          },
          edges: [
            { from: "start", to: "look" },
            { from: "look", to: "lost", on: "failed" },
          ],
        });
        const given = { id: randomUUID(), issueId: "I-1", workflowType: "alerting" };
        const task = await rig.client.startTask({
          task: newTask(given, definition, Date.now()),
          definition,
          agents: {},
          model: "scripted",
        });
        await until(async () => (await task.show()).currentStep === "look", "it is at look");
        await task.advance({ result: "failed" });
        await task.result();
        return [task.workflow.workflowId];
      }),
  },
];

/** On a server that wants a new run every 40 events. */
export const LONG_NOTIFICATION_RECORDINGS: Recording[] = [
  {
    // The webhook is down until the agent has continued as new.
    name: "notified-continued",
    rig: async () => ({ ...(await opened(false)), script: [ASK] }),
    run: (rig) =>
      closed(async () => {
        const run = await startAsking(rig);
        const { workflowId } = run.workflow;
        await until(async () => (await review(run)).unheard?.length === 2, "the failures are shown");
        for (let sent = 0; sent < 60; sent++) await run.workflow.signal("recordDecision", { id: "", by: "" });
        await until(async () => ((await rig.client.runs(workflowId)) as unknown[]).length > 1, "it continues as new");
        isUp = true;
        await settled(run);
        await decide(run, "yes");
        await run.result();
        return [workflowId];
      }),
  },
];
