import fc from "fast-check";
import { executionPlan } from "../../../src/core/graph/levels";
import { parseDefinition } from "../../../src/core/graph/parse";
import { taskProgress } from "../../../src/core/graph/progress";
import type { Definition } from "../../../src/core/graph/schema";
import { advanceTask, newTask, type Task } from "../../../src/core/graph/task";
import { type NaiveTask, naiveAdvance } from "./naive/advance";
import { files } from "./naive/draw";
import { type NaiveFile, type NaiveGraph, naiveGraph } from "./naive/graph";
import { naiveLevels } from "./naive/levels";

/**
 * The engine and a second, naive evaluator on the same graphs and results: they agree move by move. A failure prints
 * its seed and path: give both to `fc.assert` below (`{ seed, path }`) to see it again.
 */
const RUNS = { numRuns: 4_000 };

const readable = (file: NaiveFile) => parseDefinition(file, "random").ok;
const graphs = files.filter(readable);

const RESULTS = [
  "passed",
  "passed",
  "passed",
  "failed",
  "failed",
  "failed",
  "odd",
  "other",
  "",
  "max_retries_exceeded",
];
const given = fc.record({
  result: fc.option(fc.constantFrom(...RESULTS), { nil: undefined, freq: 6 }),
  expected: fc.constantFrom("none", "none", "none", "here", "elsewhere"),
  // The orchestrator marks the task as taken before it works on it.
  taken: fc.boolean(),
});
const begun = fc.record({
  at: fc.option(fc.nat(30), { nil: undefined, freq: 2 }),
  status: fc.constantFrom("PENDING", "PENDING", "PENDING", "IN_PROGRESS", "HITL", "PAUSED", "COMPLETED", "FAILED"),
  used: fc.dictionary(fc.constantFrom("a", "constructor", "b-1", "__proto__", "gone"), fc.nat(4)),
  autonomy: fc.constantFrom(undefined, true, false),
  child: fc.boolean(),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;
type Begun = typeof begun extends fc.Arbitrary<infer T> ? T : never;

function both(file: NaiveFile, { at, status, used, autonomy, child }: Begun): [Task, NaiveTask] {
  const ids = Object.keys(file.nodes);
  const currentStep = at === undefined ? "start" : (ids[at % ids.length] as string);
  const counted = at === undefined ? {} : used;
  const input = { id: "t", issueId: "i", workflowType: "random", currentStep, stepRetries: counted };
  const more = { ...(autonomy === undefined ? {} : { autonomy }), ...(child ? { parentTaskId: "p" } : {}) };
  const here = at === undefined ? "PENDING" : (status as Task["status"]);
  const naive = {
    currentStep,
    status: here,
    retryCount: 0,
    stepRetries: new Map(Object.entries(counted)),
    autonomy: autonomy === true,
    isChild: child,
    endResult: undefined,
    escalation: undefined,
    history: [],
  };
  return [newTask({ ...input, ...more, status: here }, undefined, 0), naive];
}

/** What both tell of a task, in the same form. */
const plain = ({ currentStep, status, retryCount, stepRetries, endResult, escalation, history }: Task) => ({
  currentStep,
  status,
  retryCount,
  stepRetries: Object.entries(stepRetries).sort(),
  endResult,
  escalation,
  history: history.map(({ step, to, result, action }) => ({ step, to, result, action })),
});
const plainNaive = ({ isChild: _, autonomy: __, stepRetries, ...task }: NaiveTask) => ({
  ...task,
  stepRetries: [...stepRetries].sort(),
});

const seen = new Set<string>();

function agree(definition: Definition, graph: NaiveGraph, tasks: [Task, NaiveTask], said: Given[]): void {
  let [task, naive] = tasks;
  for (const { result, expected, taken } of said) {
    if (taken && task.status === "PENDING") {
      task = { ...task, status: "IN_PROGRESS" };
      naive = { ...naive, status: "IN_PROGRESS" };
    }
    const expectedStep = expected === "none" ? undefined : expected === "here" ? task.currentStep : "nowhere";
    const advance = {
      ...(result === undefined ? {} : { result }),
      ...(expectedStep === undefined ? {} : { expectedStep }),
    };
    const moved = advanceTask(definition, task, advance, 1);
    const answer = naiveAdvance(graph, naive, advance);
    if (!moved.ok || "error" in answer) {
      expect(moved.ok ? moved.answer : moved.fail.reason).toEqual("error" in answer ? answer.error : answer);
      seen.add(moved.ok ? "" : moved.fail.reason);
      continue;
    }
    const { task: _, ...ours } = moved.answer;
    const { task: after, ...theirs } = answer;
    expect(ours).toEqual(theirs);
    expect(plain(moved.task)).toEqual(plainNaive(after as NaiveTask));
    expect(moved.entry === null).toBe(answer.success === false);
    seen.add(
      `${String(answer.action)}${"autonomyContinued" in answer ? " continued" : ""}${answer.nextStep === null ? " nowhere" : ""}`,
    );
    task = moved.task;
    naive = after as NaiveTask;
  }
}

test("most drawn graphs can be read", () => {
  expect(fc.sample(files, 300).filter(readable).length).toBeGreaterThan(150);
});

test("every move, refusal, counter, status and history line is the same", () => {
  fc.assert(
    fc.property(graphs, begun, fc.array(given, { maxLength: 30 }), (file, how, said) => {
      const read = parseDefinition(file, "random");
      if (!read.ok) throw new Error(read.fail.message);
      agree(read.value.definition, naiveGraph(file), both(file, how), said);
    }),
    RUNS,
  );
  // Nothing that the reference knows was left untried.
  expect([...seen].sort()).toEqual(
    [
      "conditional",
      "conditional continued",
      "escalate",
      "escalate continued",
      "escalate nowhere",
      "invalid_result",
      "no_matching_edge nowhere",
      "no_outgoing_edges nowhere",
      "reserved_result",
      "result_required",
      "retry",
      "step_changed",
      "task_closed",
      "task_in_hitl",
      "task_paused",
      "unconditional",
      "unconditional continued",
    ].sort(),
  );
});

test("levels and back edges are the same, and so is how far a task is", () => {
  fc.assert(
    fc.property(graphs, begun, (file, how) => {
      const read = parseDefinition(file, "random");
      if (!read.ok) throw new Error(read.fail.message);
      const { definition } = read.value;
      const { levels, backEdges } = naiveLevels(naiveGraph(file));
      const plan = executionPlan(definition);
      expect(plan.levels).toEqual(levels);
      expect(plan.backEdges).toEqual(expect.arrayContaining(backEdges));
      expect(plan.backEdges).toHaveLength(backEdges.length);
      expect([plan.levelCount, plan.stepCount]).toEqual([levels.length, Object.keys(file.nodes).length]);

      const [task] = both(file, how);
      const level = levels.findIndex((ids) => ids.includes(task.currentStep));
      const isEnd = new Map(Object.entries(file.nodes)).get(task.currentStep)?.type === "end";
      expect(taskProgress(definition, task)).toMatchObject({
        level,
        percent: isEnd ? 100 : Math.floor((level * 100) / (levels.length - 1)),
      });
    }),
    RUNS,
  );
});
