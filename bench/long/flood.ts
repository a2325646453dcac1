import type { WorkflowHandle } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask } from "../../src/core/graph/task/task";
import type { Setting } from "../setting";
import { agentOf, check, progress, runsOf, tell } from "./facts";

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;

/** The agents that are flooded, with their replies: one parks and takes what was decided, the other asks a person. */
export const FLOODED = [
  { name: "flooded", script: [fenced("(return {:status :waiting})"), fenced('(return (task "ok" nil))')] },
  { name: "asking", script: [fenced('(do (tool/ask-person {:question "Go on?"}) (return {:outcome "passed"}))')] },
];

/** A parked run that is flooded with refused signals, and whose worker is killed (SIGKILL) in the middle. */
export async function flood(setting: Setting, count: number, senders: number): Promise<void> {
  const queue = setting.queue("flood");
  const client = new NavigatorClient(setting.client, queue);
  let worker = await setting.worker("navigator", queue);
  const agent = agentOf("flooded", { tools: [] });
  const run = await client.startAgent({ id: `flooded-${Date.now()}`, agent, model: "scripted" });
  const id = run.workflow.workflowId;
  const handle = client.temporal.workflow.getHandle(id);
  while ((await run.status()).state !== "waiting") await pause();
  const kill = async () => {
    await worker.kill();
    worker = await setting.worker("navigator", queue);
  };
  const started = Date.now();
  const before = await refuse(handle, count, senders, kill);
  progress(`anna decides in the middle of more`);
  const more = refuse(handle, 1_000, senders);
  const decided = Date.now();
  await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
  const answered = Date.now() - decided;
  const after = await more;
  const end = await run.result();
  tell("a parked run in a flood", {
    "signals sent before the decision": count,
    seconds: ((Date.now() - started) / 1_000).toFixed(0),
    "workers killed with -9": 1,
    "ms until the decision was answered": answered,
    ...turnedAway("before", before),
    ...turnedAway("after", after),
    returned: JSON.stringify(end.return),
    ...(await runsOf(client, id)),
  });
  check(end.return === "yes", "the decision is taken");
  check(before.size === 0, "the server takes all signals to a run that waits");
}

/** A task whose agent waits for a person cannot continue as new: its history holds the whole flood. */
export async function floodWhileItsAgentRuns(setting: Setting, count: number, senders: number): Promise<void> {
  const queue = setting.queue("held");
  const client = new NavigatorClient(setting.client, queue);
  const worker = await setting.worker("navigator", queue);
  const parsed = parseDefinition(ASKING);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const { definition } = parsed.value;
  const id = `held-${Date.now()}`;
  const task = newTask({ id, issueId: id, workflowType: ASKING.id }, definition, Date.now());
  const agents = { asking: agentOf("asking", { tools: [], builtin_tools: ["ask"] }) };
  const handle = await client.startTask({ task, definition, agents, model: "scripted" });
  const agent = client.agent(`${handle.workflow.workflowId}/work/1`);
  const asked = async () => (await agent.reviews().catch(() => [])).find(({ status }) => status === "open");
  while ((await asked()) === undefined) await pause();
  const refused = await refuse(client.temporal.workflow.getHandle(handle.workflow.workflowId), count, senders);
  await worker.kill();
  const killed = Date.now();
  const next = await setting.worker("navigator", queue);
  const ready = Date.now();
  // A query is given up after 10 s; the worker may need longer.
  while (!(await handle.show().catch(() => null))) await pause();
  const answered = Date.now();
  await agent.decide({ review: (await asked())?.id as string, choice: "yes", by: "anna" });
  const ended = await handle.result();
  await next.stop();
  const [history] = (await client.runs(handle.workflow.workflowId)) as { events: { eventType: string }[] }[];
  const timeouts = history?.events.filter(({ eventType }) => eventType.endsWith("WORKFLOW_TASK_TIMED_OUT")).length ?? 0;
  tell("a task in a flood, while its agent waits for a person", {
    "signals sent": count,
    ...turnedAway("before", refused),
    "ms until the next worker was ready": ready - killed,
    "ms until it had taken the task over": answered - ready,
    "ms from the decision to the end": Date.now() - answered,
    "workflow tasks that timed out": timeouts,
    "ended at": `${ended.currentStep}, ${ended.status}`,
    ...(await runsOf(client, handle.workflow.workflowId)),
  });
  check(ended.status === "COMPLETED", "the task is completed");
}

const ASKING = {
  id: "asking",
  nodes: {
    start: { type: "start", name: "Start" },
    work: { type: "task", name: "Work", agent: "asking" },
    done: { type: "end", result: "success", name: "Done" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
  ],
};

/** Why signals were turned away, and how many. */
type TurnedAway = Map<string, number>;

/** Sends signals that decide nothing. */
async function refuse(
  handle: WorkflowHandle,
  count: number,
  senders: number,
  inTheMiddle?: () => Promise<void>,
): Promise<TurnedAway> {
  const turned: TurnedAway = new Map();
  const step = Math.max(100, Math.round(count / 10));
  const started = Date.now();
  let sent = 0;
  const sender = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      if (sent === Math.round(count / 2)) await inTheMiddle?.();
      if (sent % step === 0) progress(`${sent} signals in ${((Date.now() - started) / 1_000).toFixed(0)} s`);
      const nothing = { id: "", review: "", choice: "", by: "flood" };
      await handle.signal("decide", nothing).catch((error: unknown) => {
        const why = reasonOf(error);
        turned.set(why, (turned.get(why) ?? 0) + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return turned;
}

/** Why the server turned a call away. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { details?: string } }).cause;
  return (cause?.details ?? (error as Error).message).slice(0, 80);
}

const turnedAway = (when: string, turned: TurnedAway): { [name: string]: string } => ({
  [`turned away ${when} the decision`]: [...turned].map(([why, times]) => `${times} (${why})`).join(", ") || "0",
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
