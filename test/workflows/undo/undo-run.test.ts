import { randomUUID } from "node:crypto";
import { missionHistories } from "../../../src/client/mission-tree";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { missionLedger } from "../../../src/core/history/trace/undo-of-mission";
import { ToolRetry } from "../../../src/tools";
import { effectsQuery } from "../../../src/workflows/messages";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { type UndoService, undoService } from "../../support/undo-service";
import { until } from "../../support/until";

const openRig = sharedRigs();

/** Undoing missions on a server (effects reference, section 9). */
let rig: Rig;
let service: UndoService;
beforeEach(() => {
  service = undoService();
});
afterEach(() => rig.stop());

/** A mission that runs these programs, one in each turn. */
async function start(...programs: string[]) {
  rig = await openRig({ tools: service.tools, script: programs.map(fenced) });
  const tools = service.tools.map(({ spec }) => spec);
  const mission = await rig.client.startAgent({
    id: randomUUID(),
    agent: agent({ tools, max_turns: 5 }),
    model: "scripted",
  });
  return { mission, id: mission.workflow.workflowId };
}

async function ended(...programs: string[]) {
  const { mission, id } = await start(...programs);
  await mission.result();
  return id;
}

const states = async (id: string) =>
  missionLedger(await missionHistories(rig.client, id)).map(({ tool, state }) => `${tool} ${state}`);

const THREE = '(do (task "a" (tool/book {:n 1})) (task "b" (tool/book {:n 2})) (return (task "c" (tool/book {:n 3}))))';

test("a mission that is over is undone in reverse order, and its ledger says so", async () => {
  const id = await ended(THREE);
  const undo = await rig.client.undo(id);
  expect(undo).toMatchObject({
    isRunning: false,
    underWay: null,
    workflowId: `undo/${id}/1`,
    plan: { steps: [{ task: "c" }, { task: "b" }, { task: "a" }], remaining: [], cost: { known: 0.75, unknown: 0 } },
  });
  const result = await undo.run();
  expect(result).toEqual({
    mission: id,
    undone: undo.plan.steps.map(({ key }) => key),
    failed: [],
    left: [],
    remaining: [],
  });
  expect({ undone: service.undone, state: service.state() }).toEqual({ undone: [3, 2, 1], state: [] });
  expect(service.undoKeys).toEqual(undo.plan.steps.map(({ key }) => `${key}~undo`));
  expect(await states(id)).toEqual(["book undone", "book undone", "book undone"]);

  const again = await rig.client.undo(id);
  expect(again.plan).toMatchObject({ steps: [], needless: [{ obstacle: "undone" }, {}, {}] });
  expect(again.workflowId).toBe(`undo/${id}/2`);
  expect(await again.run()).toMatchObject({ undone: [] });
  expect(await rig.client.has(again.workflowId)).toBe(false);
  await replay((await rig.client.history(undo.workflowId)) as unknown as ExportedHistory);
});

test("only what was done after a record is undone; a record without effects counts by its time", async () => {
  const id = await ended(
    '(do (task "a" (tool/book {:n 1})) (task "sum" (+ 1 2)) (task "b" (tool/book {:n 2})) (return (tool/note {:n 3})))',
  );
  const undo = await rig.client.undo(id, { to: "sum" });
  expect(undo.plan).toMatchObject({ to: "sum", steps: [{ task: "b" }], remaining: [{ obstacle: "no_undo" }] });
  expect(await undo.run()).toMatchObject({ to: "sum", undone: [expect.any(String)], remaining: [{ tool: "note" }] });
  expect(service.state()).toEqual([1, 3]);
  await expect(rig.client.undo(id, { to: "nothing" })).rejects.toMatchObject({
    code: "not_found",
    details: { path: "nothing", kind: "record" },
  });
  await expect(rig.client.undo(`${id}/sub/1.1`)).rejects.toMatchObject({ code: "invalid_id" });
});

test("what cannot be undone remains, exactly as it was announced", async () => {
  const id = await ended("(do (tool/note {:n 1}) (tool/big {:n 2}) (tool/book {:n 3}) (return 1))");
  const undo = await rig.client.undo(id);
  expect(undo.plan).toMatchObject({
    steps: [{ tool: "book" }],
    remaining: [
      { tool: "big", obstacle: "not_kept" },
      { tool: "note", obstacle: "no_undo" },
    ],
  });
  await undo.run();
  expect(service.state()).toEqual([1, 2]);
});

test.each([
  { on_failure: "stop" as const, undone: [3, 2], left: 1, state: [1] },
  { on_failure: "continue" as const, undone: [3, 2, 1], left: 0, state: [] },
])("an effect that cannot be taken back is told, and the undo does as it was told: $on_failure", async (row) => {
  const id = await ended(THREE);
  service.onUndo = (n) => {
    if (n === 2) throw new Error("the shop is closed");
  };
  const undo = await rig.client.undo(id);
  const result = await undo.run({ on_failure: row.on_failure });
  expect(result.failed).toEqual([
    { key: undo.plan.steps[1]?.key, tool: "book", outcome: "failed", message: "the shop is closed" },
  ]);
  expect({ left: result.left.length, undone: service.undone }).toEqual({ left: row.left, undone: row.undone });
  // The service has taken it back before it failed: the ledger does not know that, and the next undo asks again.
  service.onUndo = () => {};
  await (await rig.client.undo(id)).run();
  expect(service.state()).toEqual([]);
  expect(await states(id)).toEqual(["book undone", "book undone", "book undone"]);
});

test("nothing is undone when the mission has done something since the plan was shown", async () => {
  const { mission, id } = await start(
    '(do (task "a" (tool/book {:n 1})) (return {:status :waiting}))',
    '(do (task "b" (tool/book {:n 2})) (return data/x))',
  );
  await until(async () => (await mission.status()).state === "waiting", "the mission parks");
  const undo = await rig.client.undo(id);
  expect(undo).toMatchObject({ isRunning: true, plan: { steps: [{ task: "a" }] } });
  await mission.recordDecision({ id: "go_on", value: true, by: "anna" });
  await mission.result();
  await expect(undo.run()).rejects.toMatchObject({ code: "stale_version" });
  expect(service.state()).toEqual([1, 2]);
});

test("a running mission hears what was undone: the same call is a new effect, and its ledger equals its history", async () => {
  const { mission, id } = await start(
    '(do (task "a" (tool/book {:n 1})) (return {:status :waiting}))',
    '(do (task-reset "a") (task "a" (tool/book {:n 1})) (return 1))',
  );
  await until(async () => (await mission.status()).state === "waiting", "the mission parks");
  await (await rig.client.undo(id)).run();
  const entries = await mission.workflow.query(effectsQuery);
  expect(entries).toMatchObject([{ state: "undone", n: 1 }]);
  expect(projectEffects(await rig.client.history(id))).toEqual(entries);

  await mission.recordDecision({ id: "go_on", value: true, by: "anna" });
  await mission.result();
  expect(await states(id)).toEqual(["book undone", "book done"]);
  expect({ done: service.done.size, state: service.state() }).toEqual({ done: 2, state: [1] });
  const last = await mission.workflow.query(effectsQuery);
  expect(projectEffects(await rig.client.history(id))).toEqual(last);
  for (const history of await rig.client.runs(id)) await replay(history as unknown as ExportedHistory);
});

test("an input that no client has checked ends the undo at once", async () => {
  rig = await openRig({ tools: service.tools });
  const started = rig.client.temporal.workflow.execute("undoRun", {
    workflowId: `undo/agent/${randomUUID()}/1`,
    taskQueue: rig.taskQueue,
    args: [{ mission: "agent/x/y/1.1", on_failure: "perhaps" }],
  });
  await expect(started).rejects.toMatchObject({
    cause: { type: "invalid_input", message: expect.stringMatching(/mission.*digest.*on_failure/) },
  });
});

test("an agent undoes a task in its program: the ledger equals its history, and the record is gone", async () => {
  rig = await openRig({
    tools: service.tools,
    script: [
      fenced('(task "a" (do (tool/book {:n 1}) (tool/book {:n 2})))'),
      fenced('(do (def undone (undo "a")) (return [undone (task "a" (tool/book {:n 1}))]))'),
    ],
  });
  const tools = service.tools.map(({ spec }) => spec);
  const run = await rig.client.startAgent({ agent: agent({ tools, undo: true, max_turns: 5 }), model: "scripted" });
  expect(await run.result()).toMatchObject({ return: [2, { tx: 1 }], journal: { a: { tx: 1 } } });
  expect({ undone: service.undone, state: service.state() }).toEqual({ undone: [2, 1], state: [1] });
  const history = await rig.client.history(run.workflow.workflowId);
  const entries = await run.workflow.query(effectsQuery);
  expect(entries.map(({ state }) => state)).toEqual(["undone", "undone", "done"]);
  expect(projectEffects(history)).toEqual(entries);
  await replay(history as unknown as ExportedHistory);
});

test("an attempt whose answer is lost: the effect is taken back once, with the same key", async () => {
  const id = await ended(THREE);
  let lost = 0;
  service.onUndo = async (n) => {
    if (n !== 2 || lost++ > 0) return;
    throw new ToolRetry("the connection was lost");
  };
  expect(await (await rig.client.undo(id)).run()).toMatchObject({ failed: [], left: [] });
  expect({ undone: service.undone, keys: service.undoKeys.length }).toEqual({ undone: [3, 2, 1], keys: 4 });
  expect(new Set(service.undoKeys).size).toBe(3);
});

test("an undo goes on with another worker after its worker was stopped in the middle", async () => {
  const id = await ended(THREE);
  let stopped: Promise<void> | undefined;
  service.onUndo = (n) => {
    if (n === 2) stopped ??= rig.stopWorker();
  };
  const undo = await rig.client.undo(id);
  await undo.start();
  await until(async () => stopped !== undefined, "the undo is in the middle");
  await stopped;
  await rig.startWorker();
  expect(await undo.result()).toMatchObject({
    undone: undo.plan.steps.map(({ key }) => key),
    failed: [],
  });
  expect(service.state()).toEqual([]);
});

test("what an agent did that was called as a tool is undone where it stood among the other calls", async () => {
  const tools = service.tools.map(({ spec }) => spec);
  const helper = agent({ name: "helper", description: "Books.", tools, max_turns: 2 });
  rig = await openRig({
    tools: service.tools,
    script: {
      helper: [fenced("(return (tool/book {:n 2}))")],
      root: [fenced("(do (tool/book {:n 1}) (tool/helper {}) (tool/book {:n 3}) (return 1))")],
    },
  });
  const root = agent({ name: "root", tools: [...tools, { name: "helper", agent: helper }], max_turns: 3 });
  const run = await rig.client.startAgent({ agent: root, model: "scripted" });
  await run.result();
  await (await rig.client.undo(run.workflow.workflowId)).run();
  expect({ undone: service.undone, state: service.state() }).toEqual({ undone: [3, 2, 1], state: [] });
});
