import { randomUUID } from "node:crypto";
import type { NavigatorClient } from "../../../src/client/client";
import { newTask } from "../../../src/core/graph/task/task";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { undoService } from "../../support/undo-service";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Missions that are undone, while they run and afterwards, and the undos themselves. */

const booker = (service: ReturnType<typeof undoService>, more: object = {}) =>
  agent({ name: "booker", tools: service.tools.map(({ spec }) => spec), max_turns: 5, ...more });

async function mission({ client }: Rig, service: ReturnType<typeof undoService>): Promise<string> {
  const run = await client.startAgent({ id: randomUUID(), agent: booker(service), model: "scripted" });
  await run.result();
  return run.workflow.workflowId;
}

const parks = (client: NavigatorClient, id: string) =>
  until(async () => (await client.agent(id).status()).state === "waiting", "the mission parks");

const books = (count: number) =>
  fenced(`(do ${Array.from({ length: count }, (_, i) => `(tool/book {:n ${i + 1}})`).join(" ")} (return 1))`);

const ended = undoService();
const failing = undoService();
failing.onUndo = (n) => {
  if (n === 1) throw new Error("closed");
};
const running = undoService();
const below = undoService();
const planned = undoService();
const long = undoService();
const within = undoService();
const delegated = undoService();
const planFails = undoService();
const stepFails = undoService();
const FAILS = fenced('(do (task "a" (tool/book {:n 1})) (tool/book {:n 2}) (fail "full"))');

export const UNDO_RECORDINGS: Recording[] = [
  {
    name: "undo-ended-mission",
    rig: {
      tools: ended.tools,
      script: [fenced('(do (task "a" (tool/book {:n 1})) (tool/note {:n 2}) (tool/book {:n 3}) (return 1))')],
    },
    run: async (rig) => {
      const id = await mission(rig, ended);
      const first = await rig.client.undo(id, { to: "a" });
      expect(await first.run()).toMatchObject({ undone: [{}], remaining: [{ tool: "note" }] });
      const second = await rig.client.undo(id);
      expect(await second.run()).toMatchObject({ undone: [{}] });
      return [first.workflowId, second.workflowId];
    },
  },
  {
    name: "undo-that-fails",
    rig: { tools: failing.tools, script: [books(2), books(2)] },
    run: async (rig) => {
      const id = await mission(rig, failing);
      const undo = await rig.client.undo(id);
      expect(await undo.run({ on_failure: "continue" })).toMatchObject({ undone: [{}], failed: [{}] });
      const again = await rig.client.undo(id);
      expect(await again.run({ on_failure: "stop" })).toMatchObject({ undone: [], failed: [{}] });
      const changed = await rig.client.undo(id);
      const { workflow } = rig.client.temporal;
      const workflowId = changed.workflowId;
      const args = [{ mission: id, digest: "another" }];
      await expect(workflow.execute("undoRun", { workflowId, taskQueue: rig.taskQueue, args })).rejects.toMatchObject({
        cause: { type: "stale_version" },
      });
      return [undo.workflowId, again.workflowId, workflowId];
    },
  },
  {
    name: "undo-running-mission",
    rig: {
      tools: running.tools,
      script: [
        fenced('(do (task "a" (tool/book {:n 1})) (return {:status :waiting}))'),
        fenced('(do (task-reset "a") (task "a" (tool/book {:n 1})) (return 1))'),
      ],
    },
    run: async (rig) => {
      const { client } = rig;
      const run = await client.startAgent({ id: randomUUID(), agent: booker(running), model: "scripted" });
      const id = run.workflow.workflowId;
      await parks(client, id);
      const undo = await client.undo(id);
      await undo.run();
      await run.recordDecision({ id: "go_on", value: true, by: "anna" });
      await run.result();
      expect(running.state()).toEqual([1]);
      return [id, undo.workflowId];
    },
  },
  {
    // By its own program.
    name: "agent-undoes-a-task",
    rig: {
      tools: within.tools,
      script: [
        fenced('(task "a" (do (tool/book {:n 1}) (tool/book {:n 2})))'),
        fenced('(do (def undone (undo "a")) (return [undone (task "a" (tool/book {:n 1}))]))'),
      ],
    },
    run: async ({ client }) => {
      const run = await client.startAgent({
        id: randomUUID(),
        agent: booker(within, { undo: true }),
        model: "scripted",
      });
      expect((await run.result()).return).toEqual([2, { tx: 1 }]);
      expect(within.state()).toEqual([1]);
      return [run.workflow.workflowId];
    },
  },
  {
    // By its own program, and by an agent that it called there.
    name: "agent-undoes-a-task-of-an-agent",
    rig: {
      tools: delegated.tools,
      script: {
        booker: [
          fenced('(task "a" (do (tool/book {:n 1}) (tool/helper {})))'),
          fenced('(do (def undone (undo "a")) (return [undone (task "a" (tool/book {:n 1}))]))'),
        ],
        helper: [fenced("(return (tool/book {:n 2}))")],
      },
    },
    run: async ({ client }) => {
      const [book] = delegated.tools.map(({ spec }) => spec);
      const worker = { name: "helper", description: "Books.", prompt: "Book it.", tools: [book] };
      const helper = { name: "helper", agent: worker };
      const booker = agent({ name: "booker", tools: [book, helper], max_turns: 5, undo: true });
      const run = await client.startAgent({ id: randomUUID(), agent: booker, model: "scripted" });
      expect((await run.result()).return).toEqual([2, { tx: 1 }]);
      expect(delegated.state()).toEqual([1]);
      return [run.workflow.workflowId];
    },
  },
  {
    name: "undo-running-task",
    rig: { tools: below.tools, script: [fenced('(do (tool/book {:n 1}) (return {:outcome "passed"}))')] },
    run: async ({ client }) => {
      const definition = definitionOf({
        id: "recorded",
        nodes: {
          start: { type: "start" },
          build: { type: "task", name: "Build", agent: "booker" },
          approval: { type: "gate", name: "Release?", review: {} },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "build" },
          { from: "build", to: "approval", on: "passed" },
          { from: "approval", to: "done", on: "passed" },
        ],
      });
      const id = `undone-${randomUUID()}`;
      const created = newTask({ id, issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
      const agents = { booker: booker(below) };
      const task = await client.startTask({ task: created, definition, agents, model: "scripted" });
      const review = await until(async () => (await task.reviews())[0], "somebody is asked");
      const undo = await client.undo(`task/${id}`);
      expect(await undo.run()).toMatchObject({ undone: [{}] });
      await task.decide({ review: review.id, choice: "passed", by: "anna" });
      await task.result();
      return [`task/${id}`, undo.workflowId];
    },
  },
  {
    name: "plan-undoes-a-failed-task",
    rig: { tools: planFails.tools, script: [FAILS] },
    run: async ({ client }) => {
      const plan = {
        agents: { booker: { prompt: "Book it.", tools: ["book"] } },
        tasks: [{ id: "book", agent: "booker", input: "Book.", on_failure: "undo", critical: false }],
      };
      const options = { llm: "scripted", base_tools: planFails.tools.map(({ spec }) => spec) };
      const run = await client.startPlan({ id: randomUUID(), plan, options });
      await run.result();
      expect(planFails.undone).toEqual([2, 1]);
      return [`plan/${run.id}`];
    },
  },
  {
    name: "task-undoes-a-failed-step",
    rig: { tools: stepFails.tools, script: [FAILS] },
    run: async ({ client }) => {
      const definition = definitionOf({
        id: "recorded",
        nodes: {
          start: { type: "start" },
          book: { type: "task", name: "Book", agent: "booker", on_failure: "undo" },
          done: { type: "end", result: "success" },
          missed: { type: "end", result: "blocked" },
        },
        edges: [
          { from: "start", to: "book" },
          { from: "book", to: "done", on: "passed" },
          { from: "book", to: "missed", on: "failed" },
        ],
      });
      const created = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
      const agents = { booker: booker(stepFails) };
      const task = await client.startTask({ task: created, definition, agents, model: "scripted" });
      await task.result();
      expect(stepFails.undone).toEqual([2, 1]);
      return [task.workflow.workflowId];
    },
  },
  {
    name: "undo-running-plan",
    rig: { tools: planned.tools, script: [fenced("(return (tool/book {:n 1}))")] },
    run: async ({ client }) => {
      const plan = {
        agents: { booker: { prompt: "Book it.", tools: ["book"] } },
        tasks: [
          { id: "book", agent: "booker", input: "Book 1." },
          { id: "ask", type: "review", input: "Well?", depends_on: ["book"] },
        ],
      };
      const options = { llm: "scripted", base_tools: planned.tools.map(({ spec }) => spec) };
      const run = await client.startPlan({ id: randomUUID(), plan, options });
      const review = await until(async () => (await run.reviews())[0], "somebody is asked");
      const undo = await client.undo(`plan/${run.id}`);
      expect(await undo.run()).toMatchObject({ undone: [{}] });
      await run.decide({ review: review.id, choice: "approve", by: "anna" });
      await run.result();
      return [`plan/${run.id}`, undo.workflowId];
    },
  },
];

/** On a server that wants a new run every 40 events. */
export const LONG_UNDO_RECORDINGS: Recording[] = [
  {
    name: "undo-continued",
    rig: { tools: long.tools, script: [books(60)] },
    run: async (rig) => {
      const id = await mission(rig, long);
      const undo = await rig.client.undo(id);
      expect((await undo.run()).undone).toHaveLength(60);
      expect(long.state()).toEqual([]);
      return [undo.workflowId];
    },
  },
];
