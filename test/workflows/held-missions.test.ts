import { randomUUID } from "node:crypto";
import { ask } from "../../src/client/errors";
import type { AgentHandle, ReviewedHandle } from "../../src/client/handles";
import { exportedEvents } from "../../src/core/history/read/decode-events";
import { projectEffects } from "../../src/core/history/read/project-effects";
import { defineTool } from "../../src/tools";
import * as messages from "../../src/workflows/messages";
import type { ExportedHistory } from "../support/recorded";
import { replay } from "../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { until } from "../support/until";

/**
 * Missions and plans that are paused while their workers come and go (engine reference, section 15), and messages that
 * come before a worker has begun the workflow. Workers keep nothing, if a test does not say otherwise: each workflow task
 * reads its whole history.
 */
const called: string[] = [];
let holdsBack: Promise<void> | undefined;
const charge = defineTool({
  name: "charge",
  signature: "(n :int) -> :int",
  effect: "write",
  run: async ({ n }, { idempotencyKey }) => {
    called.push(idempotencyKey);
    await holdsBack;
    return Number(n);
  },
  undo: () => null,
});
const wire = defineTool({
  name: "wire",
  signature: "(n :int) -> :int",
  approval: true,
  run: ({ n }, { idempotencyKey }) => {
    called.push(idempotencyKey);
    return Number(n);
  },
});

const SCRIPT = {
  charges: ['(do (task "a" (tool/charge {:n 1})) (return (task "b" (tool/charge {:n 2}))))'],
  asks: ['(return (task "w" (tool/wire {:n 3})))'],
  waits: ['(return {:status :waiting :for "the tax office"})', '(return (task "go" nil))'],
};
const HELD = { state: "paused", paused: { by: "anna" } };

let rig: Rig;
beforeAll(async () => {
  const script = Object.fromEntries(Object.entries(SCRIPT).map(([name, turns]) => [name, turns.map(fenced)]));
  rig = await openRig({ tools: [charge, wire], script, maxCachedWorkflows: 0 });
});
afterAll(() => rig.stop());
beforeEach(() => {
  called.length = 0;
  holdsBack = undefined;
});

/** @param tools by name: the run looks them up as it begins. */
const started = (name: keyof typeof SCRIPT, tools: unknown[] = [charge.spec, wire.spec]): Promise<AgentHandle> =>
  rig.client.startAgent({ id: randomUUID(), agent: agent({ name, tools }), model: "scripted" }) as Promise<AgentHandle>;
const startedPlan = () =>
  rig.client.startPlan({
    id: randomUUID(),
    plan: {
      tasks: [
        { id: "pay", agent: "direct", input: "(tool/charge {:n 4})" },
        { id: "look", type: "review", input: "Well?", depends_on: ["pay"] },
      ],
    },
    options: { base_tools: [charge.spec] },
  });
const opened = (asked: ReviewedHandle) =>
  until(async () => (await asked.reviews()).find(({ status }) => status === "open"), "somebody is asked");
const pause = (run: ReviewedHandle) => run.pause({ by: "anna" });
const resume = (run: ReviewedHandle) => run.resume({ by: "ben" });

/** No workflow task has failed, and the history leads to the same commands again. */
async function isSound(run: ReviewedHandle | string): Promise<void> {
  const history = await rig.client.history(typeof run === "string" ? run : run.workflow.workflowId);
  const failed = exportedEvents(history).filter(({ type }) => type === "WorkflowTaskFailed");
  expect(failed.map(({ attributes }) => attributes)).toEqual([]);
  await replay(history as unknown as ExportedHistory);
}

test("a charge that is under way as its mission is paused is made once; another worker goes on behind it", async () => {
  let release = () => {};
  holdsBack = new Promise((resolve) => {
    release = resolve;
  });
  const run = await started("charges");
  await until(async () => called.length === 1, "the charge is under way");
  await pause(run);
  release();
  await until(async () => (await run.effects())[0]?.state === "done", "the charge has ended");
  await rig.stopWorker();
  await rig.startWorker();
  expect(await run.status()).toMatchObject(HELD);
  expect(called).toHaveLength(1);
  await resume(run);
  expect(await run.result()).toMatchObject({ return: 2 });
  expect(new Set(called).size).toBe(2);
  expect(called).toHaveLength(2);
  await isSound(run);
});

test("what is not paused cannot be resumed", async () => {
  const run = await started("asks");
  await opened(run);
  await expect(resume(run)).rejects.toMatchObject({ code: "not_paused", message: expect.stringContaining(run.id) });
  const plan = await startedPlan();
  await opened(plan);
  await expect(resume(plan)).rejects.toMatchObject({ code: "not_paused" });
  await Promise.all([run.terminate(), plan.terminate()]);
});

test("a paused mission is cancelled or terminated where it stands, and makes no call any more", async () => {
  const [decided, parked, plan, gone] = [
    await started("asks"),
    await started("waits"),
    await startedPlan(),
    await started("asks"),
  ];
  const { id: review } = await opened(decided);
  await until(async () => (await parked.status()).state === "waiting", "the run parks");
  await opened(plan);
  await opened(gone);
  called.length = 0;
  const all = [decided, parked, plan, gone];
  for (const run of all) await pause(run);
  await decided.decide({ review, choice: "approve", by: "ben" });
  for (const run of [decided, parked, plan]) {
    await run.cancel({ by: "olga" });
    await expect(run.result()).rejects.toMatchObject({ code: "agent_lost" });
    await isSound(run);
  }
  await gone.terminate({ by: "olga" });
  for (const run of all)
    await expect(resume(run)).rejects.toMatchObject({
      code: "already_over",
      details: { path: run.workflow.workflowId, kind: "run" },
    });
  expect(called).toEqual([]);
  expect(projectEffects(await rig.client.history(plan.workflow.workflowId))).toMatchObject([{ state: "done" }]);
});

test("messages before the first workflow task: nothing begins before the resume, and the history replays", async () => {
  await rig.stopWorker();
  const run = await started("charges", ["charge"]);
  const plan = await startedPlan();
  const unasked = { review: "nobody/asked/1", choice: "approve", by: "ben" };
  // What is refused has no trace in a history, so it must not change what follows.
  // What a client of Navigator asks first would wait for the first workflow task, so the pause is sent without that.
  const pauseUnasked = ({ workflow }: ReviewedHandle) =>
    ask(() => workflow.executeUpdate(messages.pauseRun, { args: [{ by: "anna" }] }));
  const early = [
    pauseUnasked(run),
    run.recordDecision({ id: "note", value: "early", by: "ben" }),
    run.decide(unasked).catch((error: unknown) => error),
    pauseUnasked(plan),
    plan.decide(unasked).catch((error: unknown) => error),
  ];
  for (const { workflow } of [run, plan]) {
    await workflow.signal("markUndone", { keys: ["agent/x~1"] });
    await workflow.signal("decide", unasked);
  }
  await run.workflow.signal("recordDecision", { id: "mail", value: "by signal", by: "ben" });
  // These workers keep workflows: where one must be forgotten at once, the SDK loses the answer to a workflow task that a
  // query came with, and the server gives the task out again only after its time-out.
  await rig.startWorker({ maxCachedWorkflows: 100 });
  await Promise.all([early[0], early[3]]);
  await rig.stopWorker();
  await rig.startWorker({ maxCachedWorkflows: 100 });
  expect([await run.status(), await plan.status()]).toMatchObject([HELD, HELD]);
  await Promise.all([resume(run), resume(plan)]);
  const [, , refused, , refusedPlan] = await Promise.all(early);
  expect([refused, refusedPlan]).toMatchObject([{ code: "review_not_found" }, { code: "review_not_found" }]);
  expect(await run.result()).toMatchObject({ return: 2 });
  expect((await run.journal()).map(({ id }) => id)).toEqual(expect.arrayContaining(["note", "mail", "a", "b"]));
  await plan.decide({ review: (await opened(plan)).id, choice: "approve", by: "ben" });
  expect(await plan.result()).toMatchObject({ status: "ok" });
  expect(called).toHaveLength(3);
  await isSound(run);
  await isSound(plan);
});

test("a plan, and the undo of it, hold with workers that keep nothing", async () => {
  const plan = await startedPlan();
  const { id: review } = await opened(plan);
  await pause(plan);
  await plan.decide({ review, choice: "approve", by: "ben" });
  expect(await plan.status()).toMatchObject(HELD);
  await resume(plan);
  expect(await plan.result()).toMatchObject({ status: "ok" });
  await isSound(plan);
  const undo = await rig.client.undo(`plan/${plan.id}`);
  expect(await undo.run({ by: "anna" })).toMatchObject({ undone: called, failed: [] });
  await isSound(undo.workflowId);
});
