import { randomUUID } from "node:crypto";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { treeOf } from "../../support/record";
import type { Recording } from "../../support/recording";
import { agent, fenced } from "../../support/rig";
import { newKey } from "../../support/test-keys";
import { until } from "../../support/until";
import { definitionOf } from "../task/order-graph";

/** Runs, tasks and plans that keep a chain, with a worker that signs its end. */

const pay = defineTool({
  name: "pay",
  signature: "(cents :int) -> :map",
  effect: "irreversible",
  approval: true,
  run: ({ cents }) => ({ receipt: Number(cents) + 1 }),
});
const note = defineTool({
  name: "note",
  signature: "(text :string) -> :string",
  effect: "write",
  run: ({ text }) => `noted ${String(text)}`,
});
const noting = agent({ name: "noting", description: "Notes.", prompt: "Note it.", tools: [note.spec], max_turns: 2 });
const NOTE = fenced('(return (task "noted" (tool/note {:text "a"})))');

/** A graph with two branches, each with an agent called `noting`. */
export const BRANCHES = {
  id: "branches",
  nodes: {
    start: { type: "start" },
    split: { type: "fork", join: "merge" },
    api: { type: "task", name: "API", agent: "noting" },
    web: { type: "task", name: "Web", agent: "noting" },
    merge: { type: "join", fork: "split" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "split" },
    { from: "split", to: "api" },
    { from: "split", to: "web" },
    { from: "api", to: "merge" },
    { from: "web", to: "merge" },
    { from: "merge", to: "done", on: "passed" },
  ],
};

export const LEDGER_RECORDINGS: Recording[] = [
  {
    // Records, effects, an approval, an agent below, and two signed heads.
    name: "ledger-of-a-run",
    rig: async () => ({
      tools: [pay, note],
      ledgerKey: newKey(),
      script: [
        fenced('(task "first" (tool/note {:text "a"}))\n(println "on")'),
        fenced('(task "paid" (tool/pay {:cents 500}))\n(tool/noting {})\n(println "on")'),
        NOTE,
        fenced("(return 1)"),
      ],
    }),
    run: async ({ client }) => {
      const run = await client.startAgent({
        id: randomUUID(),
        agent: agent({ tools: [pay.spec, note.spec, { name: "noting", agent: noting }], max_turns: 4 }),
        model: "scripted",
      });
      const review = await until(async () => (await run.reviews()).at(0), "the review opens");
      await run.decide({ review: review.id, choice: "approve", by: "anna", note: "ok" });
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // The heads that its calls of tools bring are signed, in one turn.
    name: "ledger-signed-by-calls",
    rig: async () => ({
      tools: [pay, note],
      ledgerKey: newKey(),
      script: [fenced('(do (tool/note {:text "a"}) (tool/pay {:cents 500}) (return (tool/note {:text "b"})))')],
    }),
    run: async ({ client }) => {
      const run = await client.startAgent({
        id: randomUUID(),
        agent: agent({ tools: [pay.spec, note.spec], max_turns: 1 }),
        model: "scripted",
      });
      const review = await until(async () => (await run.reviews()).at(0), "the review opens");
      await run.decide({ review: review.id, choice: "approve", by: "anna" });
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // A plan whose task has effects, and a review.
    name: "ledger-of-a-plan",
    rig: async () => ({ tools: [note], ledgerKey: newKey(), script: [NOTE] }),
    run: async ({ client }) => {
      const plan = await client.startPlan({
        plan: {
          agents: { noting: { prompt: "Note it.", tools: ["note"] } },
          tasks: [
            { id: "note", agent: "noting", input: "Note it." },
            { id: "look", type: "review", input: "Well?", depends_on: ["note"] },
          ],
        },
        options: { llm: "scripted", base_tools: [note.spec] },
      });
      const review = await until(async () => (await plan.reviews()).at(0), "the review opens");
      await plan.decide({ review: review.id, choice: "approve", by: "anna" });
      await plan.result();
      return [plan.workflow.workflowId];
    },
  },
  {
    // A task whose agent has effects, and a gate that a person decides.
    name: "ledger-of-a-task",
    rig: async () => ({ tools: [note], ledgerKey: newKey(), script: [NOTE] }),
    run: async ({ client }) => {
      const definition = definitionOf({
        id: "noted",
        nodes: {
          start: { type: "start" },
          write: { type: "task", name: "Write", agent: "noting" },
          check: { type: "gate", name: "Check", review: { assignees: ["anna"] } },
          done: { type: "end", result: "success" },
        },
        edges: [
          { from: "start", to: "write" },
          { from: "write", to: "check", on: "passed" },
          { from: "check", to: "done", on: "passed" },
        ],
      });
      const given = { id: randomUUID(), issueId: "I-1", workflowType: "noted" };
      const task = await client.startTask({
        task: newTask(given, definition, Date.now()),
        definition,
        agents: { noting },
        model: "scripted",
      });
      const review = await until(async () => (await task.reviews()).at(0), "the gate opens");
      await task.decide({ review: review.id, choice: "passed", by: "anna" });
      await task.result();
      return [task.workflow.workflowId];
    },
  },
  {
    // A task says which branches began; each branch has a chain of its own.
    name: "ledger-of-branches",
    rig: async () => ({ tools: [note], ledgerKey: newKey(), script: { noting: [NOTE, NOTE] } }),
    run: async ({ client }) => {
      const definition = definitionOf(BRANCHES);
      const given = { id: randomUUID(), issueId: "I-1", workflowType: "branches" };
      const task = await client.startTask({
        task: newTask(given, definition, Date.now()),
        definition,
        agents: { noting },
        model: "scripted",
      });
      await task.result();
      return treeOf(client.temporal, task.workflow.workflowId);
    },
  },
];
