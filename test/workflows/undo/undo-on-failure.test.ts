import { randomUUID } from "node:crypto";
import { missionHistories } from "../../../src/client/mission-tree";
import { newTask } from "../../../src/core/graph/task/task";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { missionLedger } from "../../../src/core/history/trace/undo-of-mission";
import { effectsQuery } from "../../../src/workflows/messages";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { type UndoService, undoService } from "../../support/undo-service";
import { until } from "../../support/until";
import { definitionOf, reviewAt } from "../task/order-graph";

const openRig = sharedRigs();

/** `on_failure: undo` of a plan's task and of a graph's step, on a server (effects reference, section 9). */
let rig: Rig;
let service: UndoService;
const BOOKS = '(do (task "a" (tool/book {:n 1})) (tool/book {:n 2}) (fail "full"))';
beforeEach(() => {
  service = undoService();
});
afterEach(() => rig.stop());

const becauseOf = async (id: string) => [
  ...new Set(
    missionLedger(await missionHistories(rig.client, id)).flatMap(({ undone }) =>
      undone?.because === undefined ? [] : [undone.because],
    ),
  ),
];
const states = async (id: string) => missionLedger(await missionHistories(rig.client, id)).map(({ state }) => state);

test("a failed task of a plan is undone before the plan ends; its ledger equals its history", async () => {
  rig = await openRig({ tools: service.tools, script: [fenced(BOOKS)] });
  const plan = {
    agents: { booker: { prompt: "Book it.", tools: ["book"] } },
    tasks: [{ id: "book", agent: "booker", input: "Book.", on_failure: "undo", critical: false }],
  };
  const options = { llm: "scripted", base_tools: service.tools.map(({ spec }) => spec) };
  const run = await rig.client.startPlan({ id: randomUUID(), plan, options });
  await run.result();
  expect({ undone: service.undone, state: service.state() }).toEqual({ undone: [2, 1], state: [] });
  const id = `plan/${run.id}`;
  const history = await rig.client.history(id);
  expect(projectEffects(history)).toEqual(await rig.client.temporal.workflow.getHandle(id).query(effectsQuery));
  expect(await states(id)).toEqual(["undone", "undone"]);
  expect(await becauseOf(id)).toEqual(['on_failure of task "book"']);
  await replay(history as unknown as ExportedHistory);
});

test("a failed step of a graph is undone before the task moves on: each attempt has effects with keys of their own", async () => {
  rig = await openRig({
    tools: service.tools,
    script: [fenced(BOOKS)],
  });
  const definition = definitionOf({
    id: "booking",
    nodes: {
      start: { type: "start" },
      book: { type: "task", name: "Book", agent: "booker", maxRetries: 2, on_failure: "undo" },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "book" },
      { from: "book", to: "done", on: "passed" },
      { from: "book", to: "book", on: "failed" },
    ],
  });
  const created = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "booking" }, definition, Date.now());
  const agents = {
    booker: agent({ name: "booker", tools: service.tools.map(({ spec }) => spec), max_turns: 2 }),
  };
  const task = await rig.client.startTask({ task: created, definition, agents, model: "scripted" });
  const ended = await task.result();
  expect(JSON.stringify(ended.history)).toContain("What it had done was undone (2).");
  expect({ undone: service.undone, state: service.state() }).toEqual({
    undone: [2, 1, 2, 1, 2, 1],
    state: [],
  });
  expect(service.done.size).toBe(6);
  const id = task.workflow.workflowId;
  const history = await rig.client.history(id);
  expect(projectEffects(history)).toEqual(await task.workflow.query(effectsQuery));
  expect(await states(id)).toEqual(Array.from({ length: 6 }, () => "undone"));
  expect(await becauseOf(id)).toEqual(['on_failure of node "book"']);
  await replay(history as unknown as ExportedHistory);
});

test("a person's rejection undoes the step before the gate on a server; the ledger equals the history", async () => {
  rig = await openRig({
    tools: service.tools,
    script: [fenced('(do (tool/book {:n 1}) (tool/note {:n 2}) (tool/book {:n 3}) (return {:outcome "passed"}))')],
  });
  const definition = definitionOf({
    id: "trip",
    nodes: {
      start: { type: "start" },
      book: { type: "task", name: "Book", agent: "booker" },
      look: { type: "gate", name: "Well?" },
      pack: { type: "task", name: "Pack" },
      done: { type: "end", result: "success" },
      missed: { type: "end", result: "failure" },
    },
    edges: [
      { from: "start", to: "book" },
      { from: "book", to: "look", on: "passed", on_failure: "undo" },
      { from: "book", to: "missed", on: "failed" },
      { from: "look", to: "done", on: "passed" },
      { from: "look", to: "pack", on: "failed" },
      { from: "pack", to: "missed" },
    ],
  });
  const created = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "trip" }, definition, Date.now());
  const agents = { booker: agent({ name: "booker", tools: service.tools.map(({ spec }) => spec) }) };
  const task = await rig.client.startTask({ task: created, definition, agents, model: "scripted" });
  const review = await reviewAt(task, "look");
  const seen: unknown[] = [];
  // While the undo is under way, nobody goes on.
  service.onUndo = async () => {
    const { currentStep, status } = await task.show();
    const refused = await task.advance({}).catch(({ code }) => code);
    seen.push({ currentStep, status, refused });
  };
  await task.decide({ review: review.id, choice: "failed", by: "anna" });
  await until(async () => (await task.show()).status === "PENDING", "it is undone");
  const during = { currentStep: "pack", status: "IN_PROGRESS", refused: "child_active" };
  expect(seen).toEqual([during, during]);
  await task.advance({});
  const ended = await task.result().catch((error) => error);
  expect(service.undone).toEqual([3, 1]);
  const shown = await task.show();
  expect(shown.history.map(({ undo }) => undo)).toEqual([
    undefined,
    undefined,
    { steps: ["book"], undone: 2, remaining: ["note: tool/note has no undo"] },
    undefined,
  ]);
  expect(ended).toBeDefined();
  const id = task.workflow.workflowId;
  const history = await rig.client.history(id);
  expect(projectEffects(history)).toEqual(await task.workflow.query(effectsQuery));
  expect((await states(id)).sort()).toEqual(["done", "undone", "undone"]);
  expect(await becauseOf(id)).toEqual(["on_failure of edge book -> look"]);
  await replay(history as unknown as ExportedHistory);
});
