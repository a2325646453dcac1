import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { NavigatorClient } from "../../src/client/client";
import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { valueOrThrow } from "../../src/core/base/navigator-error";
import { ATTRIBUTE } from "../../src/core/base/search-attributes";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask } from "../../src/core/graph/task/task";
import { ensureSearchAttributes } from "../../src/server/search-attributes";
import { MortalWorker } from "../../src/testing/mortal-worker";
import { sceneOfScenario } from "../../src/testing/scene";
import { defineTool } from "../../src/tools";

/** Where to measure, how many requests to load, and how long loading may take. */
export interface ListLoad {
  address: string;
  namespace: string;
  requests: number;
  /** Loading ends after this time with what there is by then. */
  minutes: number;
  /** Called now and then. */
  progress?: (line: string) => void;
}

/** How long the inbox takes to list the open reviews, in ms. Each time is the middle one of several. */
export interface ListFigures {
  asked_for: number;
  /** Workflows that wait with an open review. */
  loaded: number;
  load_ms: number;
  first_page_ms: number;
  by_assignee_ms: number;
  by_mission_ms: number;
  /** The worker was killed: the rest needs none. */
  first_page_without_worker_ms: number;
  last_page_ms: number;
  all_pages_ms: number;
  pages: number;
  items: number;
  /** Times for `asked_for` requests, if fewer were loaded: grown in proportion, which is more than it takes. */
  extrapolated?: { first_page_ms: number; all_pages_ms: number };
}

const PAGE = 50;
const BIG_PAGE = 500;
const TIMES = 5;
const STARTS_AT_ONCE = 24;
/** Every so-manieth request is a call of an agent; the others are gates of tasks, which load faster. */
const AGENT_EACH = 5;
const MAX_OPEN_STARTS = 400;

/** Loads requests that wait for people on a real server, with a worker process, and measures how long lists take. */
export async function measureInboxList(load: ListLoad): Promise<ListFigures> {
  const connection = await Connection.connect({ address: load.address });
  const { address, namespace } = load;
  await ensureSearchAttributes(connection, namespace);
  const taskQueue = `prove-inbox-${randomUUID()}`;
  const client = new NavigatorClient(new Client({ connection, namespace }), { project: "prove-inbox", taskQueue });
  const worker = new MortalWorker(
    { address, namespace, taskQueue, tools: [PAY.spec], listeners: [] },
    sceneOfScenario({ model: [PROGRAM], tools: {}, prices: {}, listeners: [] } as never),
    { loses: () => false },
  );
  try {
    await worker.launch();
    const { loaded, load_ms } = await loadRequests(client, load);
    const first_page_ms = await middle(() => client.inbox({ size: PAGE }));
    const by_assignee_ms = await middle(() => client.inbox({ size: PAGE, assignee: "anna" }));
    const { items } = await client.inbox({ size: PAGE });
    const mission = items.at(-1)?.mission ?? "";
    const by_mission_ms = await middle(() => client.inbox({ mission }));
    await worker.close();
    const first_page_without_worker_ms = await middle(() => client.inbox({ size: PAGE }));
    const all = await readAll(client);
    const grown = (ms: number) => Math.round((ms * load.requests) / Math.max(1, loaded));
    return {
      asked_for: load.requests,
      loaded,
      load_ms,
      first_page_ms,
      by_assignee_ms,
      by_mission_ms,
      first_page_without_worker_ms,
      ...all,
      ...(loaded >= load.requests
        ? {}
        : { extrapolated: { first_page_ms: grown(first_page_ms), all_pages_ms: grown(all.all_pages_ms) } }),
    };
  } finally {
    await worker.close();
    await connection.close();
  }
}

const PAY = defineTool({
  name: "pay",
  signature: "(order :int, cents :int) -> :map",
  effect: "irreversible",
  approval: { assignees: ["group:finance"] },
  run: (args) => args,
});

const PROGRAM = "```clojure\n(return (tool/pay {:order data/order :cents 500}))\n```";

const AGENT: AgentDefinition = valueOrThrow(
  parseAgent({ prompt: "Pay.", signature: "(order :int) -> :map", tools: [PAY.spec], max_turns: 2 }),
);

/** A gate for one person of ten, another one for each. */
const GATES = ["anna", "ben", "carl", "dora", "eva", "finn", "gila", "hugo", "ida", "jan"].map(
  (name) =>
    valueOrThrow(
      parseDefinition({
        id: "sign-off",
        nodes: {
          start: { type: "start" },
          check: { type: "gate", name: "Sign off the contract", review: { assignees: [name], remind_ms: 3_600_000 } },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "check" },
          { from: "check", to: "done", on: "passed" },
        ],
      } as never),
    ).definition,
);

async function loadRequests(
  client: NavigatorClient,
  { requests, minutes, progress }: ListLoad,
): Promise<{ loaded: number; load_ms: number }> {
  const began = Date.now();
  const ends = began + minutes * 60_000;
  const run = randomUUID().slice(0, 8);
  let started = 0;
  const startOne = async () => {
    const n = started;
    started += 1;
    if (n % AGENT_EACH === 0) {
      await client.startAgent({ id: `${run}-${n}`, agent: AGENT, model: "scripted", context: { order: n } });
      return;
    }
    const definition = GATES[n % GATES.length] as (typeof GATES)[number];
    const about = { id: `${run}-${n}`, issueId: `C-${n}`, workflowType: "sign-off" };
    await client.startTask({ task: newTask(about, definition, Date.now()), definition, model: "scripted" });
  };
  const waiting = () => openOnes(client);
  let open = 0;
  while (started < requests && Date.now() < ends) {
    const batch = Math.min(STARTS_AT_ONCE, requests - started);
    await Promise.all(Array.from({ length: batch }, startOne));
    // An overloaded worker lets calls run out, and then does everything twice.
    while (started - open > MAX_OPEN_STARTS && Date.now() < ends) {
      open = await waiting();
      if (started - open > MAX_OPEN_STARTS) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    if (started % (STARTS_AT_ONCE * 20) === 0) progress?.(`${started} requests started, ${open} open`);
  }
  while (open < started && Date.now() < ends) {
    open = await waiting();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { loaded: await waiting(), load_ms: Date.now() - began };
}

async function openOnes({ temporal, project }: NavigatorClient): Promise<number> {
  const query = `WorkflowId STARTS_WITH "${project}:" AND ${ATTRIBUTE.openReviews} > 0 AND ExecutionStatus = "Running"`;
  return (await temporal.workflow.count(query)).count;
}

async function readAll(
  client: NavigatorClient,
): Promise<Pick<ListFigures, "last_page_ms" | "all_pages_ms" | "pages" | "items">> {
  const began = Date.now();
  const seen = new Set<string>();
  let pages = 0;
  let page: string | undefined;
  let last_page_ms = 0;
  do {
    const at = Date.now();
    const { items, next } = await client.inbox({ size: BIG_PAGE, ...(page === undefined ? {} : { page }) });
    for (const { workflow_id } of items) seen.add(workflow_id);
    last_page_ms = Date.now() - at;
    pages += 1;
    page = next;
  } while (page !== undefined);
  return { last_page_ms, all_pages_ms: Date.now() - began, pages, items: seen.size };
}

async function middle(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const at = performance.now();
    await read();
    times.push(performance.now() - at);
  }
  times.sort((a, b) => a - b);
  return Math.round(times[(TIMES - 1) / 2] as number);
}
