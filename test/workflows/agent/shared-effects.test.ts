import { randomUUID } from "node:crypto";
import { WithStartWorkflowOperation, WorkflowIdConflictPolicy } from "@temporalio/client";
import type { JsonObject } from "../../../src/core/base/json";
import type { ClaimedEffect, GuardAnswer } from "../../../src/core/effects/effect-guard";
import { effectId } from "../../../src/core/effects/effect-id";
import { effectKey } from "../../../src/core/effects/effect-key";
import { absent, defineTool, found, type Tool } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual } from "../../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { until } from "../../support/until";

const openRig = sharedRigs();

/** Two missions that mean the same effect, on a real server, and a service that counts its calls. */
let rig: Rig;
let calls: { key: string; args: JsonObject }[];
/** What a call waits for before it answers. */
let answers: Promise<unknown>;
let name: string;
beforeEach(() => {
  calls = [];
  answers = Promise.resolve();
  // Effects of other tests have other ids.
  name = `pay_${randomUUID().slice(0, 8)}`;
});
afterEach(() => rig.stop());

const payTool = (more: object = {}): Tool =>
  defineTool({
    name,
    signature: "(n :int) -> :map",
    identityScope: "namespace",
    run: async (args, { idempotencyKey: key }) => {
      calls.push({ key, args: args as JsonObject });
      const tx = calls.length;
      await answers;
      return { tx };
    },
    ...more,
  });

async function open(tool: Tool) {
  rig = await openRig({ tools: [tool], script: [fenced(`(return (tool/${name} {:n 1}))`)] });
  return () => rig.client.startAgent({ id: randomUUID(), agent: agent({ tools: [tool.spec] }), model: "scripted" });
}

type Run = Awaited<ReturnType<Awaited<ReturnType<typeof open>>>>;

const guardOf = (tool: Tool) => `effect/${effectId(tool.spec, { n: 1 })}`;
const held = (tool: Tool): Promise<ClaimedEffect[]> =>
  rig.client.temporal.workflow.getHandle(guardOf(tool)).query<ClaimedEffect[]>("held");
const opened = (run: Run) =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "somebody is asked");

async function expectHistoryToAgree(run: Run) {
  const history = (await rig.client.history(run.workflow.workflowId)) as unknown as ExportedHistory;
  await expectProjectionsToEqual(history);
}

/** As a run claims it. */
function claim(tool: Tool, workflow_id: string, more: object = {}) {
  const id = effectId(tool.spec, { n: 1 });
  const startWorkflowOperation = new WithStartWorkflowOperation("effectGuard", {
    workflowId: guardOf(tool),
    taskQueue: rig.taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  });
  const deed = effectKey({ mission: workflow_id, id, lane: "", n: 1 });
  return rig.client.temporal.workflow.executeUpdateWithStart<() => Promise<void>, GuardAnswer, [object]>(
    "claimEffect",
    { startWorkflowOperation, args: [{ deed, workflow_id, tool: name, at: 1, turn: 1, ...more }] },
  );
}

test("two missions pay at the same time: the service is asked once, and both have its answer", async () => {
  let answer = () => {};
  answers = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const tool = payTool();
  const start = await open(tool);
  const [a, b] = await Promise.all([start(), start()]);
  await until(async () => calls.length > 0, "one of them pays");
  answer();
  const steps = await Promise.all([a.result(), b.result()]);
  expect(steps.map((step) => step.return)).toEqual([{ tx: 1 }, { tx: 1 }]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.key).toBe(`effect~${effectId(tool.spec, { n: 1 })}~1`);
  expect(await held(tool)).toMatchObject([{ n: 1, state: "done", answer: { tx: 1 } }]);
  const effects = [...(await a.effects()), ...(await b.effects())];
  expect(effects.map(({ key, state }) => [key, state])).toEqual([
    [calls[0]?.key, "done"],
    [calls[0]?.key, "done"],
  ]);
  expect(effects.filter(({ held_by }) => held_by !== undefined)).toHaveLength(1);
  for (const run of [a, b]) await expectHistoryToAgree(run);
});

test("a person is asked about an irreversible effect of another mission, and may say to do it again", async () => {
  const start = await open(payTool({ effect: "irreversible" }));
  const a = await start();
  await a.result();
  const b = await start();
  const { id: review, body } = await opened(b);
  expect(body).toContain(a.workflow.workflowId);
  await b.decide({ review, choice: "do_again", by: "anna" });
  expect((await b.result()).return).toEqual({ tx: 2 });
  expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  expect(await b.effects()).toMatchObject([{ by: "anna", resembles: calls[0]?.key }]);
  await expectHistoryToAgree(b);
});

describe("the mission that made the effect ended before it could tell", () => {
  /** The run that pays is terminated between the deed and its record. */
  async function terminated(lookup: () => unknown) {
    let answer = () => {};
    answers = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const start = await open(payTool({ effect: "irreversible", lookup }));
    const a = await start();
    await until(async () => calls.length === 1, "it pays");
    await a.workflow.terminate("by an operator");
    const b = await start();
    const end = b.result();
    // The service of a second call answers at once.
    answers = Promise.resolve();
    const step = await end;
    answer();
    await expectHistoryToAgree(b);
    return { step, effects: await b.effects() };
  }

  test("the tool finds it: it is not done again", async () => {
    const { step, effects } = await terminated(() => found({ tx: 99 }));
    expect(step.return).toEqual({ tx: 99 });
    expect(calls).toHaveLength(1);
    expect(effects).toMatchObject([{ state: "done", by: "lookup", held_by: expect.any(String) }]);
  });

  test("the tool does not find it: it is done, with the same key", async () => {
    const { step } = await terminated(() => absent);
    expect(step.return).toEqual({ tx: 2 });
    expect(calls[1]?.key).toBe(calls[0]?.key);
  });

  test("its history has the answer that the guard did not hear", async () => {
    const tool = payTool();
    const start = await open(tool);
    const a = await start();
    await a.result();
    await rig.client.temporal.workflow.getHandle(guardOf(tool)).terminate("an operator");
    // The guard that takes its place knows only that the first one holds it.
    const [effect] = await a.effects();
    await claim(tool, a.workflow.workflowId, { deed: effect?.deed });
    const b = await start();
    expect((await b.result()).return).toEqual({ tx: 1 });
    expect(calls).toHaveLength(1);
  });

  test("it never made the call: nobody is asked", async () => {
    const tool = payTool({ effect: "irreversible" });
    const start = await open(tool);
    const other = await rig.client.startAgent({ agent: agent({ tools: [] }), model: "scripted" });
    await other.result();
    await claim(tool, other.workflow.workflowId);
    const b = await start();
    expect((await b.result()).return).toEqual({ tx: 1 });
    expect(await held(tool)).toMatchObject([{ n: 1, workflow_id: b.workflow.workflowId, state: "done" }]);
  });
});

describe("what any client may send to a guard", () => {
  test("a claim that is not about its effect is refused", async () => {
    const tool = payTool();
    await open(tool);
    for (const wrong of [{ deed: "agent/x" }, { turn: "one" }, { more: 1 }, { tool: "x".repeat(300) }])
      await expect(claim(tool, "agent/x", wrong)).rejects.toMatchObject({ cause: { type: "invalid_input" } });
  });

  test("a signal that says nothing is counted", async () => {
    const tool = payTool();
    await open(tool);
    await claim(tool, "agent/x");
    const guard = rig.client.temporal.workflow.getHandle(guardOf(tool));
    for (const wrong of [undefined, "nonsense", { n: 7, state: "done" }, { n: 1, deed: "other", state: "done" }])
      await guard.signal("settleEffect", wrong);
    expect(await held(tool)).toMatchObject([{ state: "claimed" }]);
    expect(await guard.query("__temporal_workflow_metadata")).toMatchObject({
      currentDetails: expect.stringContaining("4 signals changed nothing"),
    });
  });

  test.each([
    ["another id", "effect/x", []],
    ["a state", `effect/${"a".repeat(43)}`, [{ state: { next: 5, effects: [] } }]],
    ["a text", `effect/${"b".repeat(43)}`, ["nonsense"]],
  ])("it is not started with %s", async (_, workflowId, args) => {
    await open(payTool());
    const { taskQueue } = rig;
    const handle = await rig.client.temporal.workflow.start("effectGuard", { workflowId, taskQueue, args });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "invalid_input" } });
  });
});
