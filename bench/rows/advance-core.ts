import { parseDefinition } from "../../src/core/graph/definition/parse";
import type { Definition } from "../../src/core/graph/definition/schema";
import { type Advance, advanceTask, newTask } from "../../src/core/graph/task/task";
import { median } from "../measure";
import type { Row } from "../report";
import type { Comparison } from "./context";

const ADVANCES = 10_000;

/** Two gates that send work back, and a person when they have done so too often. */
const FEATURE = {
  id: "feature",
  nodes: {
    start: { type: "start" },
    analyze: { type: "task", name: "Analyze", agent: "planner", outputs: ["clear", "unclear"] },
    ask: { type: "task", name: "Ask back" },
    plan: { type: "task", name: "Plan" },
    build: { type: "task", name: "Build", agent: "developer" },
    test: { type: "gate", name: "Test", maxRetries: 3 },
    review: { type: "gate", name: "Review", maxRetries: 3 },
    note: { type: "task", name: "Write the note" },
    done: { type: "end", result: "success" },
    human: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "analyze" },
    { from: "analyze", to: "plan", on: "clear" },
    { from: "analyze", to: "ask", on: "unclear" },
    { from: "ask", to: "analyze" },
    { from: "plan", to: "build" },
    { from: "build", to: "test" },
    { from: "test", to: "review", on: "passed" },
    { from: "test", to: "build", on: "failed" },
    { from: "test", to: "human", on: "max_retries_exceeded" },
    { from: "review", to: "note", on: "passed" },
    { from: "review", to: "build", on: "failed" },
    { from: "review", to: "human", on: "max_retries_exceeded" },
    { from: "human", to: "plan", on: "passed" },
    { from: "note", to: "done" },
  ],
};

const again = ["failed", undefined];
const redTests = [undefined, ...again, ...again, ...again];
/** Asked back, three rounds of review with red tests between, a person, and through. */
const SAID = [
  ...[undefined, "unclear", undefined, "clear", undefined],
  ...[...redTests, "passed", "failed", undefined, "failed", undefined, "passed", "failed"],
  ...[...redTests, "failed", "passed", undefined, undefined, "passed", "passed", undefined],
];

/** What one move of a task costs without a server: edges, counters, status, history. */
export const advanceCore: Comparison = {
  name: "advance-core",
  about: `${ADVANCES.toLocaleString("en")} advances of tasks in the core alone, without a server`,
  missions: [],
  async run({ quick }) {
    const definition = readFeature();
    const plain = SAID.map((result): Advance => (result === undefined ? {} : { result }));
    const reporting = plain.map((said) => ({ ...said, output: "212 tests, all green; two files changed" }));
    const first = rate(definition, plain);
    const rounds = Array.from({ length: quick ? 20 : 100 }, () => [
      rate(definition, plain),
      rate(definition, reporting),
    ]);
    const row = (what: string, ours: number): Row => ({ what, unit: "M/s", ours, theirs: null, against: "" });
    const middle = (side: number) => median(rounds.map((round) => round[side] as number));
    return [
      { ...row(`advances a second, ${SAID.length} moves a task`, middle(0)), aim: { at_least: 1 } },
      { ...row("  with an output each", middle(1)), aim: { at_least: 1 } },
      row(`  the first ${ADVANCES.toLocaleString("en")} of the process`, first),
    ];
  },
};

function readFeature(): Definition {
  const read = parseDefinition(FEATURE);
  if (!read.ok) throw new Error(read.fail.message);
  return read.value.definition;
}

/** Millions a second. */
function rate(definition: Definition, said: readonly Advance[]): number {
  const started = performance.now();
  for (let moves = 0; moves < ADVANCES; ) {
    let task = newTask({ id: "t-1", issueId: "I-1", workflowType: "feature" }, definition, 0);
    for (let i = 0; i < said.length && moves < ADVANCES; i++, moves++) {
      const moved = advanceTask(definition, task, said[i] as Advance, moves);
      if (!moved.ok || !moved.answer.success)
        throw new Error(`Step ${task.currentStep} has no way for ${String(said[i]?.result)}.`);
      task = moved.task;
    }
  }
  return ADVANCES / (performance.now() - started) / 1000;
}
