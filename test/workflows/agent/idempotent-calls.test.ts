import { setTimeout as wait } from "node:timers/promises";
import type { AgentHandle } from "../../../src/client";
import { readHistory } from "../../../src/core/history/read/history";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { childIds } from "../../../src/core/history/trace/read-mission";
import { defineTool, ToolRetry, UnknownOutcome } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Calls of idempotent tools: they share an activity, or are alone; each is in the history before it is made. */

/** Every request of the agent under test that reached the service, as `<n> <key>`. */
let requests: string[] = [];
/** The name of the agent that the test started. A call of an earlier test's run can still arrive after that test. */
let under_test = "";
let slow_ms = 0;
const ARGUMENTS = "(n :int, text :string?) -> :string";
const put = defineTool({
  name: "put",
  signature: ARGUMENTS,
  effect: "idempotent",
  run: async ({ n }, { agent: name, idempotencyKey, attempt, signal }) => {
    if (name === under_test) requests.push(`${n} ${idempotencyKey}`);
    if (n === 90) throw new Error("it is full");
    if (n === 91 && attempt < 3) throw new UnknownOutcome("the answer was cut off");
    if (n === 92) throw new ToolRetry("it is busy");
    if (n === 93) await wait(60_000, undefined, { signal });
    await wait(slow_ms);
    return `put ${n}`;
  },
});
const look = defineTool({ name: "look", signature: ARGUMENTS, effect: "read", run: ({ n }) => `seen ${n}` });
const variant = (name: string, more: object) =>
  defineTool({ ...more, name, signature: ARGUMENTS, effect: "idempotent", run: ({ n }) => `${name} ${n}` });
const asked = variant("asked", { approval: true });
const undone = variant("undone", { undo: () => null });
const shared = variant("shared", { identityScope: "namespace" });
const limited = variant("limited", { rateLimit: { max: 100, per: "1s" } });
const tools = [put, look, asked, undone, shared, limited];
const specs = tools.map(({ spec }) => spec);
const HELPER = { name: "helper", prompt: "Help.", max_turns: 1, tools: specs };

const chain = (calls: number) =>
  fenced(
    `(do ${Array.from({ length: calls }, (_, i) => `(task "t${i}" (tool/put {:n ${i}})) (tool/look {:n ${i}})`).join(" ")} (return "done"))`,
  );

const SCRIPT = {
  chain: [chain(8)],
  long: [chain(24)],
  apart: [
    fenced(
      `(do (tool/asked {:n 1}) (tool/undone {:n 1}) (tool/shared {:n 1}) (tool/limited {:n 1}) (tool/put {:n 1 :text "${"x".repeat(2_100)}"}) (pmap #(tool/put {:n %}) [2 3 4]) (tool/helper {}) (return "done"))`,
    ),
  ],
  helper: [fenced("(return (tool/put {:n 5}))")],
  faults: [
    fenced("(do (tool-try (tool/put {:n 90})) (tool/put {:n 91}) (return 1))"),
    fenced("(return (tool/put {:n 90}))"),
  ],
  busy: [fenced("(do (tool/put {:n 1}) (return (tool-try (tool/put {:n 92}))))")],
  hung: [fenced("(do (tool/put {:n 1}) (return (tool-try (tool/put {:n 93}))))")],
};

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ tools, script: SCRIPT });
});
beforeEach(() => {
  requests = [];
  slow_ms = 0;
});
afterAll(() => rig.stop());

const start = (name: keyof typeof SCRIPT, more: object = {}): Promise<AgentHandle> => {
  under_test = name;
  return rig.client.startAgent({
    agent: agent({ name, max_turns: 3, tools: specs, ...more }),
    model: "scripted",
  });
};

const historyOf = async (run: AgentHandle) =>
  ((await rig.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory]).at(-1) as ExportedHistory;

/** What the history says of each call: `local`, or by an activity. */
function callsIn(history: ExportedHistory): { local: string[]; activities: string[] } {
  const facts = readHistory(history);
  const isCall = (summary: string | undefined) =>
    summary !== undefined && /^(turn|task) \S+: (put|look|asked|undone|shared|limited)$/.test(summary);
  return {
    local: facts.flatMap((fact) =>
      fact.kind === "local_activity" && fact.activity === "callTool" ? [fact.summary as string] : [],
    ),
    activities: facts.flatMap(({ kind, summary }) =>
      kind === "activity_scheduled" && isCall(summary) ? [summary as string] : [],
    ),
  };
}

const keysOf = () => new Set(requests.map((request) => request.split(" ")[1])).size;

test.each([
  { how: "with reads in one activity", more: {}, separate: 0 },
  { how: "each alone, without sequences", more: { sequences: false }, separate: 8 },
])("idempotent calls in a row are made $how, and the ledger has the effects", async ({ more, separate }) => {
  const run = await start("chain", more);
  expect((await run.result()).return).toBe("done");
  const history = await historyOf(run);
  const scheduled = history.events.flatMap(
    ({ activityTaskScheduledEventAttributes: one }) =>
      (one as { activityType?: { name?: string } } | undefined)?.activityType?.name ?? [],
  );
  expect(scheduled).toEqual(["runCalls", ...Array.from({ length: separate }, () => "callTool")]);
  // Only reads are local activities.
  expect(callsIn(history).local).toHaveLength(separate);
  expect(callsIn(history).local.every((summary) => summary.endsWith(": look"))).toBe(true);
  expect(new Set(requests).size).toBe(8);
  expect(keysOf()).toBe(8);
  const effects = await run.effects();
  expect(
    effects.map(({ tool, effect, state, answer, args, task }) => ({ tool, effect, state, answer, args, task })),
  ).toEqual(
    Array.from({ length: 8 }, (_, n) => ({
      tool: "put",
      effect: "write",
      state: "done",
      answer: `put ${n}`,
      args: { n },
      task: `t${n}`,
    })),
  );
  expect(projectEffects(history)).toEqual(effects);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
});

test("a chain that takes longer than a workflow task may is replayed to the same end", async () => {
  slow_ms = 400;
  const run = await start("long");
  expect((await run.result()).return).toBe("done");
  // A worker that got no time makes the calls of a lost activity again, with their keys.
  expect(new Set(requests).size).toBe(24);
  const history = await historyOf(run);
  expect(projectEffects(history)).toEqual(await run.effects());
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
});

test("a call that people approve, a shared one and a limited one are alone; no call with an effect is a local activity", async () => {
  const run = await start("apart", { tools: [...specs, { name: "helper", description: "Helps", agent: HELPER }] });
  const review = await until(
    async () => (await run.reviews()).find(({ status }) => status === "open"),
    "somebody is asked",
  );
  await run.decide({ review: review.id, choice: "approve", by: "anna" });
  expect((await run.result()).return).toBe("done");
  const history = await historyOf(run);
  expect(callsIn(history).local).toEqual([]);
  const alone = history.events.flatMap(({ activityTaskScheduledEventAttributes: one, userMetadata }) =>
    (one as { activityType?: { name?: string } } | undefined)?.activityType?.name === "callTool" ? [userMetadata] : [],
  );
  // Asked, shared and limited; the three of pmap.
  expect(alone).toHaveLength(6);
  expect(callsIn(history).activities).toHaveLength(8);
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
  const [child] = childIds(history);
  const [below] = (await rig.client.runs(child as string)) as unknown as [ExportedHistory];
  expect(callsIn(below)).toEqual({ local: [], activities: ["turn 1: put"] });
});

test("what the tool refuses has failed, and an answer that was lost is asked for again with the same key", async () => {
  const run = await start("faults", { max_turns: 2 });
  await run.result();
  const states = (await run.effects()).map(({ args, state }) => [args?.n, state]);
  expect(states).toEqual([
    [90, "failed"],
    [91, "done"],
  ]);
  expect(requests.filter((request) => request.startsWith("91 "))).toHaveLength(3);
  expect(keysOf()).toBe(2);
  const history = await historyOf(run);
  expect(projectEffects(history)).toEqual(await run.effects());
  expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
});

test.each([
  { name: "busy", state: "failed" },
  { name: "hung", state: "unknown" },
] as const)("a call that is $name ends as its policy says: $state", async ({ name, state }) => {
  const short = defineTool({
    name: "put",
    signature: ARGUMENTS,
    effect: "idempotent",
    timeout: 6_000,
    retry: { attempts: 2, initial: 10 },
    run: put.run,
  });
  const own = await openRig({ tools: [short], script: SCRIPT });
  under_test = name;
  try {
    const run = await own.client.startAgent({ agent: agent({ name, tools: [short.spec] }), model: "scripted" });
    await run.result();
    expect((await run.effects()).map((effect) => effect.state)).toEqual(["done", state]);
    const [history] = (await own.client.runs(run.workflow.workflowId)) as unknown as [ExportedHistory];
    expect(projectEffects(history)).toEqual(await run.effects());
    expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
  } finally {
    await own.stop();
  }
});

test("a run that is cancelled during such a call says that the call was under way", async () => {
  const run = await start("hung");
  await until(async () => requests.some((request) => request.startsWith("93 ")), "the call is under way");
  await run.cancel();
  await run.workflow.result().catch(() => {});
  const history = await historyOf(run);
  expect(projectEffects(history).map(({ args, state }) => [args?.n, state])).toEqual([
    [1, "done"],
    [93, "intended"],
  ]);
});

test("a mission that is terminated during such a call shows it, and a retry makes it with its key", async () => {
  const run = await start("hung");
  const hasCalled =
    (n: number, from = 0) =>
    async () =>
      requests.slice(from).some((one) => one.startsWith(`${n} `));
  await until(hasCalled(93), "the call is under way");
  // A repeatable call is kept with the next regular heartbeat.
  await until(async () => {
    const { raw } = await run.workflow.describe();
    return raw.pendingActivities?.some(({ heartbeatDetails: kept }) =>
      Buffer.from(kept?.payloads?.[0]?.data ?? []).includes('"n":93'),
    );
  }, "the heartbeat has the call");
  await run.terminate({ by: "olga" });
  expect(projectEffects(await historyOf(run)).map(({ args, state }) => [args?.n, state])).toEqual([
    [1, "done"],
    [93, "intended"],
  ]);
  const before = requests.length;
  const { workflow_id } = await rig.client.retry(run.workflow.workflowId, { by: "olga", accept_unknown: true });
  await until(hasCalled(93, before), "the retry has come as far");
  const retried = rig.client.temporal.workflow.getHandle(workflow_id);
  await retried.cancel();
  await retried.result().catch(() => {});
  expect(keysOf()).toBe(2);
});

test("a pause holds the calls that have not begun, and a resumed run makes each with one key", async () => {
  slow_ms = 300;
  const run = await start("long");
  const calls = () => new Set(requests).size;
  await until(async () => calls() >= 2, "the chain has begun");
  await run.pause({ by: "anna" });
  await until(async () => (await run.status()).state === "paused", "it is paused");
  const made = await until(async () => {
    const before = calls();
    await wait(800);
    return calls() === before ? before : undefined;
  }, "no call is made any more");
  expect(made).toBeLessThan(24);
  await run.resume({ by: "anna" });
  expect((await run.result()).return).toBe("done");
  expect(calls()).toBe(24);
  expect(await expectProjectionsToEqual(await historyOf(run))).toBeGreaterThan(3);
});
