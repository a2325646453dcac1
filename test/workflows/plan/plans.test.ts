import { defineTool } from "../../../src/tools";
import { fenced, openRig, type Rig } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { until } from "../../support/until";

/** Plans as workflows: phases, people, retries, repairs, events; the core's own tests have every rule. */
const calls: { what: string; key: string }[] = [];
let rig: Rig;
const look = defineTool({
  name: "timetable",
  signature: "(from :string) -> {departs :string, price :float}",
  run: ({ from }, { idempotencyKey: key }) => {
    calls.push({ what: String(from), key });
    if (from === "Moss") throw new Error("no ferry today");
    return { departs: "06:10", price: 61.5 };
  },
});
const FERRIES = {
  workers: { scout: { role: "You look up ferries.", capabilities: ["timetable"] } },
  steps: [
    { id: "north", worker: "scout", action: "Horten", signature: "{departs :string, price :float}" },
    { id: "south", worker: "scout", action: "Moss", on_failure: "skip" },
    {
      id: "best",
      agent: "direct",
      requires: ["north", "south"],
      signature: ":float",
      input: '(apply min (map (fn [r] (get r "price")) (vals data/results)))',
    },
    {
      id: "ok",
      type: "approval",
      after: "best",
      description: "Book at {{results.best}} euro?",
      verification: '(if (get data/result "approved") true "reviewer declined")',
      on_verification_failure: "stop",
    },
    { step_id: "note", query: "Confirm: {{results.ok.by}}", dependencies: ["ok"], output: "text" },
  ],
};
beforeAll(async () => {
  rig = await openRig({
    tools: [look],
    script: [
      { if_contains: "Task: Horten", content: fenced('(return (tool/timetable {:from "Horten"}))') },
      { if_contains: "Task: Moss", content: fenced('(fail "no ferry")') },
      { if_contains: "Confirm: ", content: '{"said": "done"}' },
      { if_contains: "Count votes", content: fenced("(return {:n 0})") },
    ],
  });
});
afterAll(() => rig.stop());

const options = { llm: "scripted", base_tools: [look.spec] };

test("a listener in this process gets every event in order before the result is there; its error is thrown", async () => {
  const heard: string[] = [];
  const plan = { tasks: [{ id: "a", agent: "direct", input: "1" }] };
  const run = await rig.client.startPlan({ plan, on_event: ({ type }) => void heard.push(type) });
  expect(await run.result()).toMatchObject({ status: "ok", results: { a: 1 } });
  expect(heard).toEqual(["task_started", "task_step", "task_succeeded"]);
  const broken = await rig.client.startPlan({
    plan,
    on_event: () => {
      throw new Error("no paper");
    },
  });
  await expect(broken.result()).rejects.toThrow("no paper");
});

test("phases, a skipped task, a person in the inbox, the rest", async () => {
  const plan = await rig.client.startPlan({ plan: FERRIES, options: { ...options, base_tools: ["timetable"] } });
  const review = await until(
    async () => (await plan.reviews()).find((one) => one.status === "open"),
    "somebody is asked",
  );
  expect(review).toMatchObject({ kind: "plan_review", title: "Book at 61.5 euro?" });
  expect(await plan.status()).toMatchObject({ state: "waiting", open_reviews: 1 });
  await expect(plan.decide({ review: "other", choice: "approve", by: "Ida" })).rejects.toMatchObject({
    code: "review_not_found",
  });
  await plan.decide({ review: review.id, choice: "approve", by: "Ida" });
  const result = await plan.result();
  expect(result).toMatchObject({
    status: "ok",
    results: {
      north: { departs: "06:10", price: 61.5 },
      best: 61.5,
      ok: { approved: true, by: "Ida" },
      note: { said: "done" },
    },
  });
  const { events, next } = await plan.events();
  expect(events.filter(({ type }) => type === "task_succeeded")).toHaveLength(4);
  expect((await plan.events(next - 2)).events.map(({ number }) => number)).toEqual([next - 2, next - 1]);
  const followed = [];
  for await (const event of plan.follow()) followed.push(event.number);
  expect(followed).toEqual(events.map(({ number }) => number));
});

test("the page of a plan shows it as it is when somebody looks", async () => {
  const plan = await rig.client.startPlan({ plan: FERRIES, options: { ...options, base_tools: ["timetable"] } });
  const page = async () =>
    (await plan.workflow.query<{ currentDetails: string }>("__temporal_workflow_metadata")).currentDetails;
  const review = await until(
    async () => (await plan.reviews()).find((one) => one.status === "open"),
    "somebody is asked",
  );
  expect(await page()).toMatch(/^\*\*waiting\*\*, .* of 5 tasks done\n\n```\n✓ north\n/);
  expect(await page()).toContain("\n· note\n");
  await plan.decide({ review: review.id, choice: "approve", by: "Ida" });
  await plan.result();
  expect(await page()).toMatch(/^\*\*ok\*\*, 4 of 5 tasks done\n/);
  expect(await page()).toContain("\n✓ note\n");
});

test("with review: return it ends instead of waiting, and starts again with the decision", async () => {
  const first = await rig.client.startPlan({ plan: FERRIES, options: { ...options, on_review: "return" } });
  const waiting = await first.result();
  expect(waiting).toMatchObject({ status: "waiting", pending: [{ task_id: "ok", prompt: "Book at 61.5 euro?" }] });
  const results = "results" in waiting ? waiting.results : {};
  const again = await rig.client.startPlan({
    plan: FERRIES,
    options: { ...options, on_review: "return", initial_results: results, reviews: { ok: { approved: false } } },
  });
  expect(await again.result()).toMatchObject({
    status: "error",
    task_id: "ok",
    reason: { reason: "verification_failed" },
  });
});

test("an invalid plan is refused before anything starts", async () => {
  const cyclic = {
    tasks: [
      { id: "a", input: "x", depends_on: ["b"] },
      { id: "b", input: "y", depends_on: ["a"] },
    ],
  };
  await expect(rig.client.startPlan({ plan: cyclic, options })).rejects.toMatchObject({ code: "invalid_plan" });
  await expect(rig.client.startPlan({ options })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "mission" },
  });
  await expect(rig.client.startPlan({ plan: FERRIES, options: { timeouts: 3 } as never })).rejects.toMatchObject({
    code: "invalid_input",
    details: { path: "timeouts" },
  });
});

test("the limit of parallel tasks holds, and a cancelled plan keeps its results", async () => {
  let now = 0;
  let most = 0;
  const slow = defineTool({
    name: "slow",
    run: async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 60));
      now -= 1;
      return 1;
    },
  });
  const own = await openRig({ tools: [slow], script: [] });
  try {
    const tasks = Array.from({ length: 25 }, (_, i) => ({ id: `t${i}`, agent: "direct", input: "(tool/slow {})" }));
    const plan = await own.client.startPlan({ plan: { tasks }, options: { base_tools: ["slow"], max_concurrency: 5 } });
    expect(await plan.result()).toMatchObject({ status: "ok", results: { t0: 1, t24: 1 } });
    expect(most).toBeLessThanOrEqual(5);
    const waits = {
      tasks: [
        { id: "a", agent: "direct", input: "42" },
        { id: "b", type: "review", input: "Well?", depends_on: ["a"] },
      ],
    };
    const cancelled = await own.client.startPlan({ plan: waits });
    await until(async () => (await cancelled.status()).state === "waiting", "it waits");
    expect(await cancelled.results()).toEqual({ a: 42 });
    await cancelled.cancel();
    await expect(cancelled.result()).rejects.toMatchObject({ code: "agent_lost" });
    expect(await cancelled.status()).toMatchObject({ state: "cancelled" });
  } finally {
    await own.stop();
  }
});

/** Tasks of the largest plan here. */
const MANY = isDeep ? 500 : 60;

test(`${MANY} tasks in one phase, ten at a time: the history stays bounded`, async () => {
  let now = 0;
  let most = 0;
  const count = defineTool({
    name: "count",
    signature: "(n :int) -> :int",
    run: async ({ n }) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return Number(n);
    },
  });
  const own = await openRig({ tools: [count], script: [] });
  try {
    const tasks = Array.from({ length: MANY }, (_, i) => ({
      id: `t${i}`,
      agent: "direct",
      input: `(tool/count {:n ${i}})`,
    }));
    const plan = await own.client.startPlan({
      plan: { tasks },
      options: { base_tools: [count.spec], max_concurrency: 10 },
    });
    const result = await plan.result();
    expect("results" in result && Object.values(result.results)).toEqual(tasks.map((_, i) => i));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
    // A worker reads the whole history for it.
    const { tasks: ended } = await until(() => plan.status(), "a worker tells how it ended");
    expect(ended.filter(({ state }) => state === "ok")).toHaveLength(MANY);
    // It continues as new in the middle of the phase where that is needed: no run comes near the server's 51,200 events.
    const runs = (await own.client.runs(plan.workflow.workflowId)) as { events: unknown[] }[];
    for (const { events } of runs) expect(events.length).toBeLessThan(20 * MANY);
  } finally {
    await own.stop();
  }
});
