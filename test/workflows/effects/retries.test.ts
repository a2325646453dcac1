import { randomUUID } from "node:crypto";
import { exportHistory } from "../../../src/client/history";
import { listMissions } from "../../../src/client/missions";
import type { RetryOptions } from "../../../src/client/retry-mission";
import { newTask } from "../../../src/core/graph/task/task";
import { startedIn } from "../../../src/core/history/read/history";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { defineTool, found, type Tool, UnknownOutcome, unknown } from "../../../src/tools";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/**
 * A mission that ended is tried again: what it has done is never done a second time (effects reference, section 11). The
 * service acts once for each key, and counts both what it did and how often it was asked.
 */
const service = {
  /** Amounts by key. */
  done: new Map<string, number>(),
  asked: [] as string[],
  isOpen: false,
  reads: [] as string[],
};
/** Whether the answer of the next charge is lost, after it was made. */
let losesAnswer = false;
let holdsBack: Promise<void> | undefined;

const charge = defineTool({
  name: "charge",
  signature: "(cents :int, order :string) -> {tx :int}",
  effect: "write",
  run: async ({ cents }, { idempotencyKey: key }) => {
    service.asked.push(key);
    service.done.set(key, Number(cents));
    await holdsBack;
    return { tx: Number(cents) };
  },
  undo: (_args, _result, { idempotencyKey: key }) => {
    service.done.delete(key.replace(/~undo$/, ""));
    return null;
  },
});
const wire = (name: string, lookup?: Parameters<typeof defineTool>[0]["lookup"]): Tool =>
  defineTool({
    name,
    signature: "(cents :int, order :string) -> :string",
    effect: "irreversible",
    ...(lookup === undefined ? {} : { lookup }),
    run: ({ cents }, { idempotencyKey: key }) => {
      service.asked.push(key);
      service.done.set(key, Number(cents));
      if (losesAnswer) throw new UnknownOutcome("the line went dead");
      return "wired";
    },
  });
const ship = defineTool({
  name: "ship",
  signature: "(order :string) -> :string",
  effect: "write",
  run: ({ order }) => {
    if (!service.isOpen) throw new Error("the warehouse is closed");
    return `shipped ${order}`;
  },
});
const stock = defineTool({
  name: "stock",
  effect: "read",
  signature: "(order :string) -> :int",
  run: (_args, { idempotencyKey }) => {
    service.reads.push(idempotencyKey);
    return 3;
  },
});
let cents = 500;
const price = defineTool({ name: "price", effect: "read", signature: "(order :string) -> :int", run: () => cents });
const askedLater = wire("wire");
const lookedUp = wire("transfer", () => (losesAnswer ? unknown : found("wired")));
const approvedCall = defineTool({
  name: "refund",
  signature: "(order :string) -> :string",
  effect: "irreversible",
  approval: { separation: true },
  run: ({ order }, { idempotencyKey: key }) => {
    service.asked.push(key);
    return `refunded ${order}`;
  },
});
const TOOLS = [charge, ship, stock, price, askedLater, lookedUp, approvedCall];
const SCRIPT = {
  recorded: [
    '(task "charge" (do (tool/stock {:order "A"}) (tool/charge {:cents 500 :order "A"})))',
    '(return (tool/ship {:order "A"}))',
  ],
  plain: [
    '(tool/charge {:cents 500 :order "B"})',
    '(tool/charge {:cents 500 :order "B"})',
    '(return (tool/ship {:order "B"}))',
  ],
  wires: ['(do (tool/wire {:cents 700 :order "C"}) 1)', '(return (tool/ship {:order "C"}))'],
  transfers: ['(do (tool/transfer {:cents 700 :order "D"}) 1)', '(return (tool/ship {:order "D"}))'],
  priced: [
    '(do (def p (tool/price {:order "G"})) (task "charge" (tool/charge {:cents p :order "G"})) (return (tool/ship {:order "G"})))',
  ],
  waits: ['(return (task "charge" (tool/charge {:cents 900 :order "E"})))'],
  refunds: ['(return (tool/refund {:order "R"}))'],
  parent: ["(return (tool/child {}))"],
  child: ['(do (tool/charge {:cents 300 :order "F"}) (return (tool/ship {:order "F"})))'],
};

let rig: Rig;
beforeAll(async () => {
  const script = Object.fromEntries(Object.entries(SCRIPT).map(([name, turns]) => [name, turns.map(fenced)]));
  // Each workflow task replays its whole history: as if a worker were lost behind each.
  rig = await openRig({ tools: TOOLS, script, maxCachedWorkflows: 0 });
});
afterAll(() => rig.stop());
beforeEach(() => {
  service.done.clear();
  service.asked.length = 0;
  service.reads.length = 0;
  service.isOpen = false;
  losesAnswer = false;
  holdsBack = undefined;
  cents = 500;
});

const retry = (id: string, more: RetryOptions = {}) => rig.client.retry(id, { by: "olga", ...more });
const define = (name: keyof typeof SCRIPT) =>
  agent({
    name,
    max_turns: SCRIPT[name].length,
    tools: TOOLS.map(({ spec }) => spec),
    // What an earlier turn gave is no answer.
    ...(name === "waits" ? {} : { signature: "() -> :string" }),
  });
async function ended(name: keyof typeof SCRIPT, id: string = randomUUID()): Promise<string> {
  const run = await rig.client.startAgent({ id, agent: define(name), model: "scripted" });
  await run.result();
  return run.workflow.workflowId;
}
const stepOf = (id: string) => rig.client.agent(id.replace(/^agent\//, "")).result();
async function agrees(id: string): Promise<void> {
  const handle = rig.client.agent(id.replace(/^agent\//, ""));
  expect(projectEffects(await exportHistory(handle.workflow))).toEqual(await handle.effects());
}

test("a mission that failed behind a charge goes on behind it, and so does a retry of its retry", async () => {
  const id = await ended("recorded");
  const first = await retry(id, { note: "the warehouse says noon" });
  expect(first).toMatchObject({
    workflow_id: `${id}-again-2`,
    started: true,
    of: id,
    taken_over: { tasks: ["charge"], effects: [{ tool: "charge", state: "done" }], left_out: [] },
  });
  expect((await stepOf(first.workflow_id)).fail).not.toBeNull();
  service.isOpen = true;
  const second = await retry(id);
  expect(second).toMatchObject({
    workflow_id: `${id}-again-3`,
    of: first.workflow_id,
    taken_over: { tasks: ["charge"] },
  });
  expect(await stepOf(second.workflow_id)).toMatchObject({ return: "shipped A", fail: null });
  expect(service.asked).toEqual([expect.stringMatching(`^${id}~`)]);
  // The record says when the charge was made, and its task had read the stock: it is the same task.
  expect(service.reads).toHaveLength(1);
  const effects = await rig.client.agent(second.workflow_id.slice(6)).effects();
  expect(effects).toMatchObject([
    { tool: "charge", state: "done", taken_from: id },
    { tool: "ship", state: "done" },
  ]);
  await agrees(second.workflow_id);
  const start = startedIn(await exportHistory(rig.client.agent(first.workflow_id.slice(6)).workflow));
  const said = { of: id, by: "olga", note: "the warehouse says noon" };
  expect(start?.input).toMatchObject({ retry: said });
  await expect(retry(id)).rejects.toMatchObject({
    code: "already_over",
    details: { path: `${id}-again-3`, kind: "run" },
  });
});

test("two equal charges that were meant are two, not four; a third one is made", async () => {
  const id = await ended("plain");
  expect(service.asked).toHaveLength(2);
  service.isOpen = true;
  const { workflow_id, taken_over } = await retry(id);
  expect(taken_over.effects.map(({ tool }) => tool)).toEqual(["charge", "charge"]);
  expect(await stepOf(workflow_id)).toMatchObject({ return: "shipped B" });
  expect(service.asked).toHaveLength(2);
  await agrees(workflow_id);
});

test("of a charge whose outcome is unknown a person is asked in the retry; a lookup says it without one", async () => {
  losesAnswer = true;
  const terminated = async (name: "wires" | "transfers") => {
    const run = await rig.client.startAgent({ id: randomUUID(), agent: define(name), model: "scripted" });
    await until(async () => (await run.reviews()).length === 1, "a person is asked");
    await run.terminate({ by: "olga" });
    return run.workflow.workflowId;
  };
  const [run, other] = [await terminated("wires"), await terminated("transfers")];
  losesAnswer = false;
  service.isOpen = true;

  await expect(retry(run)).rejects.toMatchObject({
    code: "confirmation_required",
    details: { path: run, effects: [{ tool: "wire", state: "unknown" }], under_way: [] },
  });
  const retried = await retry(run, { accept_unknown: true });
  expect(retried.taken_over.effects).toMatchObject([{ tool: "wire", state: "unknown" }]);
  const again = rig.client.agent(retried.workflow_id.slice(6));
  const review = await until(async () => (await again.reviews())[0], "a person is asked");
  expect(review.data).toMatchObject({ code: "unknown_outcome", key: service.asked[0] });
  await again.decide({ review: review.id, choice: "it_happened", value: "wired", by: "anna" });
  expect(await again.result()).toMatchObject({ return: "shipped C" });
  await agrees(retried.workflow_id);

  const { workflow_id } = await retry(other, { accept_unknown: true });
  expect(await stepOf(workflow_id)).toMatchObject({ return: "shipped D" });
  expect(service.asked).toHaveLength(2);
  expect(service.done.size).toBe(2);
});

test("a mission that was terminated in the middle of a charge is tried again with the key of that charge", async () => {
  let release = () => {};
  holdsBack = new Promise((resolve) => {
    release = resolve;
  });
  const run = await rig.client.startAgent({ id: randomUUID(), agent: define("waits"), model: "scripted" });
  await until(async () => service.asked.length >= 1, "the charge is under way");
  await expect(retry(run.workflow.workflowId)).rejects.toMatchObject({ code: "still_running" });
  await run.terminate({ by: "olga" });
  release();
  holdsBack = undefined;
  // No worker: what is taken over is read from the history.
  await rig.stopWorker();
  await expect(retry(run.workflow.workflowId)).rejects.toMatchObject({ code: "confirmation_required" });
  const retried = await retry(run.workflow.workflowId, { accept_unknown: true });
  await rig.startWorker();
  expect(await stepOf(retried.workflow_id)).toMatchObject({ return: { tx: 900 } });
  // A write is called again with its key: the service has acted once.
  expect(new Set(service.asked).size).toBe(1);
  expect(service.done.size).toBe(1);
});

test("two retries at the same time start one mission", async () => {
  const id = await ended("recorded");
  service.isOpen = true;
  const both = await Promise.all([retry(id, { note: "one" }), retry(id, { by: "anna" })]);
  expect(new Set(both.map(({ workflow_id }) => workflow_id))).toEqual(new Set([`${id}-again-2`]));
  expect(both.filter(({ started }) => started)).toHaveLength(1);
  expect(await stepOf(`${id}-again-2`)).toMatchObject({ return: "shipped A" });
  expect(service.asked).toHaveLength(1);
});

test("what an agent below it has done is met again by the agent of the retry", async () => {
  const child = { name: "child", description: "charges and ships", agent: define("child") };
  const parent = agent({ name: "parent", max_turns: 1, tools: [child] });
  const run = await rig.client.startAgent({ id: randomUUID(), agent: parent, model: "scripted" });
  await run.result();
  expect(service.asked).toHaveLength(1);
  service.isOpen = true;
  const { workflow_id, taken_over } = await retry(run.workflow.workflowId);
  expect(taken_over.effects).toMatchObject([{ tool: "charge", state: "done" }]);
  expect(await stepOf(workflow_id)).toMatchObject({ return: "shipped F" });
  expect(service.asked).toHaveLength(1);
});

test("another charge under the id of a record that was taken over is told, and not made", async () => {
  const id = await ended("priced");
  cents = 900;
  service.isOpen = true;
  const { workflow_id, taken_over } = await retry(id);
  expect(taken_over.tasks).toEqual(["charge"]);
  const step = await stepOf(workflow_id);
  expect(step).toMatchObject({ return: "shipped G", warnings: [{ code: "other_effect" }] });
  expect(JSON.stringify(step.warnings)).toMatch(/500.*900|900.*500/);
  expect([...service.done.values()]).toEqual([500]);
  await agrees(workflow_id);
});

test("a retry has the share of the workers that the first try had", async () => {
  const share = { priority: 100, fairness: { key: "acme", weight: 2 } };
  const run = await rig.client.startAgent({ id: randomUUID(), agent: define("recorded"), model: "scripted", ...share });
  await run.result();
  const { workflow_id: first } = await retry(run.workflow.workflowId);
  await stepOf(first);
  const { workflow_id: second } = await retry(first);
  for (const id of [first, second]) {
    const { raw } = await rig.client.temporal.workflow.getHandle(id).describe();
    expect(raw.workflowExecutionInfo?.priority).toMatchObject({
      priorityKey: 1,
      fairnessKey: "acme",
      fairnessWeight: 2,
    });
  }
});

test("afresh does all of it again, with keys of its own", async () => {
  const id = await ended("recorded");
  service.isOpen = true;
  const { workflow_id, taken_over } = await retry(id, { afresh: true });
  expect(taken_over).toEqual({ tasks: [], effects: [], left_out: [], under_way: [] });
  expect(await stepOf(workflow_id)).toMatchObject({ return: "shipped A" });
  expect(service.asked).toEqual([expect.stringMatching(`^${id}~`), expect.stringMatching(`^${workflow_id}~`)]);
});

test("a retry is undone with all that it has taken over; the mission before it is not undone beside it", async () => {
  const id = await ended("recorded");
  service.isOpen = true;
  const { workflow_id } = await retry(id);
  await stepOf(workflow_id);
  await expect(rig.client.undo(id)).rejects.toMatchObject({ code: "taken_over" });
  const undo = await rig.client.undo(workflow_id);
  expect(undo.plan.steps).toMatchObject([{ tool: "charge", key: service.asked[0] }]);
  await undo.run({ by: "olga", on_failure: "continue" });
  expect(service.done.size).toBe(0);
});

test("what was undone is done again by the retry, under another key", async () => {
  const id = await ended("recorded");
  await (await rig.client.undo(id)).run({ by: "olga" });
  service.isOpen = true;
  const { workflow_id, taken_over } = await retry(id);
  expect(taken_over).toEqual({ tasks: [], effects: [], left_out: [], under_way: [] });
  expect(await stepOf(workflow_id)).toMatchObject({ return: "shipped A" });
  expect(new Set(service.asked).size).toBe(2);
  expect(service.done.size).toBe(1);
});

test("a plan goes on behind the tasks that have succeeded, and the failed one meets its effects", async () => {
  const pays = (order: string) => `(do (tool/charge {:cents 100 :order "${order}"}) (tool/ship {:order "${order}"}))`;
  const plan = {
    tasks: [
      { id: "a", agent: "direct", input: '(tool/charge {:cents 100 :order "P"})' },
      { id: "b", agent: "direct", input: pays("Q"), depends_on: ["a"] },
      { id: "c", agent: "direct", input: '(str "behind " (get data/results "b"))', depends_on: ["b"] },
    ],
  };
  const run = await rig.client.startPlan({
    id: randomUUID(),
    plan,
    options: { base_tools: TOOLS.map(({ spec }) => spec) },
  });
  await run.result();
  expect(service.asked).toHaveLength(2);
  service.isOpen = true;
  const id = run.workflow.workflowId;
  const retried = await retry(id);
  expect(retried).toMatchObject({
    workflow_id: `${id}-again-2`,
    taken_over: { tasks: ["a"], effects: [{ tool: "charge" }, { tool: "charge" }] },
  });
  const result = await rig.client.plan(retried.workflow_id.slice(5)).result();
  expect(result).toMatchObject({ status: "ok" });
  expect(service.asked).toHaveLength(2);
});

const requested_by = "anna";
const REFUND = '(tool/refund {:order "R"})';
const onGraph = definitionOf({
  id: `refunded-${randomUUID()}`,
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", agent: "refunds", maxRetries: 0 },
    done: { type: "end", result: "success" },
    lost: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
    { from: "work", to: "lost", on: "failed" },
  ],
});
test.each<[string, (id: string) => Promise<{ workflow: { workflowId: string } }>]>([
  ["an agent", (id) => rig.client.startAgent({ id, agent: define("refunds"), model: "scripted", requested_by })],
  [
    "a plan",
    (id) =>
      rig.client.startPlan({
        ...{ id, plan: { tasks: [{ id: "a", agent: "direct", input: REFUND }] }, requested_by },
        options: { base_tools: [approvedCall.spec] },
      }),
  ],
  [
    "a task",
    (id) => {
      const task = newTask({ id, issueId: "r", workflowType: onGraph.id }, onGraph, Date.now());
      const agents = { refunds: define("refunds") };
      return rig.client.startTask({ task, definition: onGraph, agents, model: "scripted", requested_by });
    },
  ],
])(
  "%s that a colleague retries makes the approved call, and its first requester approves nothing",
  async (kind, start) => {
    const { workflow } = await start(randomUUID());
    const open = (within: string) =>
      until(async () => (await rig.client.openReviews({ within })).open[0], "a person is asked");
    await open(workflow.workflowId);
    const own = { query: `WorkflowId = "${workflow.workflowId}"`, state: "waiting" } as const;
    const [listed] = await until(async () => {
      const { missions } = await listMissions(rig.client, own);
      return missions.length > 0 && missions;
    }, "the list shows what it waits for");
    expect(listed).toMatchObject({
      state: "waiting",
      waits_for: expect.stringMatching(
        kind === "an agent" ? /^approval: / : /^waits below: approval: Call refund\? \(/,
      ),
    });
    const { ended, left } = await rig.client.reviewed(workflow.workflowId).terminate();
    expect([ended.length > 0, left]).toEqual([kind !== "an agent", []]);
    const { workflow_id } = await retry(workflow.workflowId, { requested_by: "ben" });
    const { review, ...asked } = await open(workflow_id);
    const decide = (by: string) =>
      rig.client.reviewed(asked.workflow_id).decide({ review: review.id, choice: "approve", by });
    await expect(decide("anna")).rejects.toMatchObject({ code: "self_approval" });
    await decide("carl");
    await until(async () => service.asked.length > 0, "the call is made");
    await rig.client.temporal.workflow.getHandle(workflow_id).result();
    expect(service.asked).toEqual([expect.stringMatching(`^${workflow.workflowId}~`)]);
  },
);

test("what cannot be tried again is refused with the reason", async () => {
  await expect(retry("agent/nobody-here")).rejects.toMatchObject({ code: "not_found" });
  await expect(retry("agent/x/tool/1")).rejects.toMatchObject({ code: "wrong_kind" });
  await expect(retry("shop:agent/x")).rejects.toMatchObject({
    code: "not_found",
    details: { path: "shop:agent/x", kind: "run" },
  });
});
