import { randomUUID } from "node:crypto";
import type { TaskHandle } from "../../../src/client";
import { newTask } from "../../../src/core/graph/task/task";
import { claim, release } from "../../../src/workflows/messages";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { undoService } from "../../support/undo-service";
import { until } from "../../support/until";
import { definitionOf, reviewAt } from "../task/order-graph";

/** Tasks whose edges say `on_failure: undo` (effects reference, section 9). */

const idOf = (task: TaskHandle) => task.workflow.workflowId;

/** An agent for each of these steps, of the same name: the script says what it does. */
const agentsOf = (service: ReturnType<typeof undoService>, ...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, agent({ name, tools: service.tools.map(({ spec }) => spec), max_turns: 1 })]),
  );
const step = (name: string, more: object = {}) => ({ type: "task", name, agent: name, ...more });
const books = (n: number) => fenced(`(do (task "b" (tool/book {:n ${n}})) (return {:outcome "passed"}))`);
const fails = (n: number) => fenced(`(do (tool/book {:n ${n}}) (fail "full"))`);
const ENDS = {
  start: { type: "start" },
  done: { type: "end", result: "success" },
  missed: { type: "end", result: "blocked", escalation: "alert" },
};

async function begin({ client }: Rig, raw: object, agents: object): Promise<TaskHandle> {
  const definition = definitionOf({ id: "recorded", ...raw });
  const task = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
  return client.startTask({ task, definition, agents: agents as never, model: "scripted" });
}

const both = undoService();
const asked = undoService();
const joined = undoService();
const continued = undoService();

export const EDGE_UNDO_RECORDINGS: Recording[] = [
  {
    // The step that failed, and then the one before it.
    name: "task-undoes-over-an-edge",
    rig: { tools: both.tools, script: { flight: [books(1)], hotel: [fails(2)] } },
    run: async (rig) => {
      const raw = {
        nodes: { ...ENDS, flight: step("flight"), hotel: step("hotel", { on_failure: "undo", maxRetries: 1 }) },
        edges: [
          { from: "start", to: "flight" },
          { from: "flight", to: "hotel", on_failure: "undo" },
          { from: "hotel", to: "done", on: "passed" },
          { from: "hotel", to: "missed", on: "failed" },
        ],
      };
      const task = await begin(rig, raw, agentsOf(both, "flight", "hotel"));
      await task.result();
      expect(both.undone).toEqual([2, 2, 1]);
      return [idOf(task)];
    },
  },
  {
    // A person rejects, the step before is done anew, and the person agrees.
    name: "task-undoes-over-an-edge-for-a-person",
    rig: { tools: asked.tools, script: { flight: [books(1)] } },
    run: async (rig) => {
      const raw = {
        nodes: { ...ENDS, flight: step("flight"), look: { type: "gate", name: "Well?", maxRetries: 2 } },
        edges: [
          { from: "start", to: "flight" },
          { from: "flight", to: "look", on: "passed", on_failure: "undo" },
          { from: "flight", to: "missed", on: "failed" },
          { from: "look", to: "done", on: "passed" },
          { from: "look", to: "flight", on: "failed" },
          { from: "look", to: "missed", on: "max_retries_exceeded" },
        ],
      };
      const task = await begin(rig, raw, agentsOf(asked, "flight"));
      await task.decide({ review: (await reviewAt(task, "look")).id, choice: "failed", by: "anna" });
      const again = await until(
        async () => (await task.reviews()).find(({ status, data }) => status === "open" && data.step === "look"),
        "it is asked again",
      );
      await task.decide({ review: again.id, choice: "passed", by: "anna" });
      await task.result();
      expect({ undone: asked.undone, state: asked.state() }).toEqual({ undone: [1], state: [1] });
      return [idOf(task)];
    },
  },
  {
    // One branch fails, and what the others did is undone at the join; then what was done before the fork.
    name: "task-undoes-branches",
    rig: { tools: joined.tools, script: { before: [books(1)], flight: [books(2)], hotel: [fails(3)] } },
    run: async (rig) => {
      const raw = {
        nodes: {
          ...ENDS,
          before: step("before"),
          split: { type: "fork", join: "merge", maxConcurrency: 1 },
          flight: step("flight"),
          hotel: step("hotel"),
          merge: { type: "join", fork: "split" },
        },
        edges: [
          { from: "start", to: "before" },
          { from: "before", to: "split", on_failure: "undo" },
          { from: "split", to: "flight" },
          { from: "split", to: "hotel" },
          { from: "flight", to: "merge", on_failure: "undo" },
          { from: "hotel", to: "merge" },
          { from: "merge", to: "done", on: "passed" },
          { from: "merge", to: "missed", on: "failed" },
        ],
      };
      const task = await begin(rig, raw, agentsOf(joined, "before", "flight", "hotel"));
      await task.result();
      expect({ undone: joined.undone, state: joined.state() }).toEqual({ undone: [2, 1], state: [3] });
      return [idOf(task), `${idOf(task)}/flight`];
    },
  },
];

/** On a server that wants a new run every 40 events. */
export const LONG_EDGE_UNDO_RECORDINGS: Recording[] = [
  {
    // The failure fills the history: what it has to undo is undone by the next run.
    name: "task-continued-before-it-undoes",
    rig: { tools: continued.tools, script: { flight: [books(1)] } },
    run: async (rig) => {
      const raw = {
        nodes: { ...ENDS, flight: step("flight"), pack: { type: "task", name: "Pack" } },
        edges: [
          { from: "start", to: "flight" },
          { from: "flight", to: "pack", on: "passed", on_failure: "undo" },
          { from: "flight", to: "missed", on: "failed" },
          { from: "pack", to: "done", on: "passed" },
          { from: "pack", to: "missed", on: "failed" },
        ],
      };
      const task = await begin(rig, raw, agentsOf(continued, "flight"));
      await until(async () => (await task.show()).currentStep === "pack", "it is booked");
      for (let round = 0; round < 6; round++) {
        const claimed = await task.workflow.executeUpdate(claim, { args: [{ owner: "one", leaseMs: 3_600_000 }] });
        await task.workflow.executeUpdate(release, { args: [claimed.token] });
      }
      await task.advance({ result: "failed" });
      await task.result();
      expect(continued.undone).toEqual([1]);
      return [idOf(task)];
    },
  },
];
