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

/** A task whose agent waits for a person: it continues as new meanwhile, and the agent goes on. */
export async function floodWhileAgentsWork(setting: Setting, count: number, senders: number): Promise<void> {
  const queue = setting.queue("held");
  const client = new NavigatorClient(setting.client, queue);
  const parsed = parseDefinition(ASKING);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const { definition } = parsed.value;
  const id = `held-${Date.now()}`;
  const task = newTask({ id, issueId: id, workflowType: ASKING.id }, definition, Date.now());
  const agents = { asking: agentOf("asking", { tools: [], builtin_tools: ["ask"] }) };
  const begun = await client.startTask({ task, definition, agents, model: "scripted" });
  await floodWhile(setting, { client, queue, count, senders }, "task", {
    id: begun.workflow.workflowId,
    agent: `${begun.workflow.workflowId}/work/1`,
    ended: async () => (await begun.result()).status === "COMPLETED",
  });
}

async function floodWhile(
  setting: Setting,
  { client, queue, count, senders }: { client: NavigatorClient; queue: string; count: number; senders: number },
  what: string,
  { id, agent, ended }: { id: string; agent: string; ended: () => Promise<boolean> },
): Promise<void> {
  let worker = await setting.worker("navigator", queue);
  const handle = client.temporal.workflow.getHandle(id);
  const run = client.agent(agent);
  const asked = async () => (await run.reviews().catch(() => [])).find(({ status }) => status === "open");
  while ((await asked()) === undefined) await pause();
  const started = Date.now();
  const kill = async () => {
    await worker.kill();
    worker = await setting.worker("navigator", queue);
  };
  const refused = await refuse(handle, count, senders, kill);
  const more = refuse(handle, 1_000, senders);
  const decided = Date.now();
  await run.decide({ review: (await asked())?.id as string, choice: "yes", by: "anna" });
  const answered = Date.now();
  const isRight = await ended();
  const over = Date.now();
  await more;
  await worker.stop();
  const listed = client.temporal.workflow.list({ query: `WorkflowId = "${agent}"` });
  let agentRuns = 0;
  for await (const _ of listed) agentRuns += 1;
  tell(`a ${what} in a flood, while its agent waits for a person`, {
    "signals sent before the decision": count,
    seconds: ((over - started) / 1_000).toFixed(0),
    "workers killed with -9": 1,
    ...turnedAway("before", refused),
    "ms until the decision was answered": answered - decided,
    "ms from the decision to the end": over - answered,
    ...(await runsOf(client, id)),
  });
  check(isRight, `the ${what} is completed`);
  check(agentRuns === 1, "its agent ran once");
  check(refused.size === 0, "the server takes all signals");
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
