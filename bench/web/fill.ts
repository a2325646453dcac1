import { randomUUID } from "node:crypto";
import type { NavigatorClient } from "../../src/client/client";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { valueOrThrow } from "../../src/core/base/navigator-error";
import { ATTRIBUTE } from "../../src/core/base/search-attributes";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask } from "../../src/core/graph/task/task";

/** A namespace with many missions, of which some wait for a person. */
export interface Filling {
  /** Missions that end: every second one is an agent with one answer of a model, the others are tasks. */
  missions: number;
  /** Reviews that are open: every fifth one is a question of an agent, the others are gates of tasks. */
  reviews: number;
}

const AT_ONCE = 24;
/** A worker that is far behind lets calls run out, and then does everything twice. */
const MAX_BEHIND = 300;

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;

/** The replies of the model, by agent. */
export const WEB_SCRIPTS = [
  { name: "clerk", script: [{ content: fenced("(return 1)"), tokens: { input: 900, output: 60, total_cost: 0.002 } }] },
  { name: "asker", script: [fenced('(return (tool/ask-person {:question "Is this order right?"}))')] },
];

const CLERK = valueOrThrow(parseAgent({ name: "clerk", prompt: "Do it.", max_turns: 2 }));
const ASKER = valueOrThrow(parseAgent({ name: "asker", prompt: "Ask.", builtin_tools: ["ask"], max_turns: 2 }));

const START = { type: "start" };
const DONE = { type: "end", result: "success" };
const definition = (raw: object) => valueOrThrow(parseDefinition(raw as never)).definition;
const PLAIN = definition({ id: "plain", nodes: { start: START, done: DONE }, edges: [{ from: "start", to: "done" }] });
const GATES = ["anna", "ben", "carl", "dora"].map((name) =>
  definition({
    id: "sign-off",
    nodes: {
      start: START,
      check: { type: "gate", name: "Sign off the contract", review: { assignees: [name] } },
      done: DONE,
    },
    edges: [
      { from: "start", to: "check" },
      { from: "check", to: "done", on: "passed" },
    ],
  }),
);

/** @returns ids of workflows that wait */
export async function fill(
  client: NavigatorClient,
  { missions, reviews }: Filling,
  progress: (line: string) => void,
): Promise<string[]> {
  const run = randomUUID().slice(0, 8);
  const waiting: string[] = [];
  const startTask = async (id: string, graph: typeof PLAIN) => {
    const about = { id, issueId: `C-${id}`, workflowType: graph.id };
    const task = await client.startTask({
      task: newTask(about, graph, Date.now()),
      definition: graph,
      model: "scripted",
    });
    return task.workflow.workflowId;
  };
  const startAgent = async (id: string, agent: typeof CLERK) =>
    (await client.startAgent({ id, agent, model: "scripted" })).workflow.workflowId;
  const total = missions + reviews;
  let started = 0;
  const startOne = async () => {
    const n = started++;
    const id = `${run}-${n}`;
    if (n < reviews)
      waiting.push(
        await (n % 5 === 0 ? startAgent(id, ASKER) : startTask(id, GATES[n % GATES.length] as (typeof GATES)[number])),
      );
    else await (n % 2 === 0 ? startAgent(id, CLERK) : startTask(id, PLAIN));
  };
  const count = async (query: string) => (await client.temporal.workflow.count(query)).count;
  const running = () => count(`ExecutionStatus = "Running" AND ${ATTRIBUTE.kind} IN ("agent", "task")`);
  const open = () => count(`ExecutionStatus = "Running" AND ${ATTRIBUTE.openReviews} > 0`);
  while (started < total) {
    const begun = started;
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, total - started) }, startOne));
    if (begun % (AT_ONCE * 4) === 0)
      while ((await running()) - (await open()) > MAX_BEHIND) await new Promise((resolve) => setTimeout(resolve, 200));
    if (begun % (AT_ONCE * 40) === 0) progress(`  ${started} of ${total} missions started ...`);
  }
  while ((await running()) > reviews || (await open()) < reviews)
    await new Promise((resolve) => setTimeout(resolve, 500));
  return waiting;
}
