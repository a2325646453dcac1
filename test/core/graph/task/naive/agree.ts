import fc from "fast-check";
import type { Definition } from "../../../../../src/core/graph/definition/schema";
import { executionPlan } from "../../../../../src/core/graph/show/levels";
import { taskProgress } from "../../../../../src/core/graph/show/progress";
import { advanceTask, newTask, type Task } from "../../../../../src/core/graph/task/task";
import { type NaiveTask, naiveAdvance } from "./advance";
import { type NaiveFile, naiveGraph } from "./graph";
import { naiveLevels } from "./levels";

/** Lets the engine and the naive evaluator do the same things, and expects the same of both. */

/** One call: a result, or none; sometimes with the step that the caller believes the task to be at. */
export const calls = (results: readonly string[]) =>
  fc.record({
    result: fc.option(fc.constantFrom(...results), { nil: undefined, freq: 6 }),
    expected: fc.constantFrom("none", "none", "none", "here", "elsewhere"),
    // The orchestrator marks the task as taken before it works on it.
    taken: fc.boolean(),
  });
export type Call = ReturnType<typeof calls> extends fc.Arbitrary<infer T> ? T : never;

/** How a task is loaded: mostly at the start, else anywhere in any state, with counters from elsewhere. */
export const beginnings = fc.record({
  at: fc.option(fc.nat(40), { nil: undefined, freq: 2 }),
  status: fc.constantFrom("PENDING", "PENDING", "PENDING", "IN_PROGRESS", "HITL", "PAUSED", "COMPLETED", "FAILED"),
  used: fc.array(fc.tuple(fc.nat(40), fc.nat(4)), { maxLength: 5 }),
  autonomy: fc.constantFrom(undefined, true, false),
  child: fc.boolean(),
});
export type Beginning = typeof beginnings extends fc.Arbitrary<infer T> ? T : never;

function both(file: NaiveFile, { at, status, used, autonomy, child }: Beginning): [Task, NaiveTask] {
  const ids = Object.keys(file.nodes);
  const id = (i: number) => ids[i % ids.length] as string;
  const start = ids.find((one) => new Map(Object.entries(file.nodes)).get(one)?.type === "start") as string;
  const currentStep = at === undefined ? start : id(at);
  const counted =
    at === undefined ? new Map<string, number>() : new Map(used.map(([step, count]) => [id(step), count]));
  const here = at === undefined ? "PENDING" : (status as Task["status"]);
  const input = { id: "t", issueId: "i", workflowType: "w", currentStep, status: here };
  const task = newTask(
    {
      ...input,
      stepRetries: Object.fromEntries(counted),
      ...(autonomy === undefined ? {} : { autonomy }),
      ...(child ? { parentTaskId: "p" } : {}),
    },
    undefined,
    0,
  );
  const naive = {
    currentStep,
    status: here,
    retryCount: 0,
    stepRetries: counted,
    autonomy: autonomy === true,
    isChild: child,
    endResult: undefined,
    escalation: undefined,
    history: [],
  };
  return [task, naive];
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

/** @returns what happened, as words: `retry`, `task_paused`, `escalate nowhere`. */
export function agreeOnMoves(definition: Definition, file: NaiveFile, how: Beginning, said: readonly Call[]): string[] {
  const graph = naiveGraph(file);
  const happened: string[] = [];
  let [task, naive] = both(file, how);
  for (const { result, expected, taken } of said) {
    if (taken && task.status === "PENDING") {
      task = { ...task, status: "IN_PROGRESS" };
      naive = { ...naive, status: "IN_PROGRESS" };
    }
    const expectedStep = expected === "none" ? undefined : expected === "here" ? task.currentStep : "nowhere";
    const given = {
      ...(result === undefined ? {} : { result }),
      ...(expectedStep === undefined ? {} : { expectedStep }),
    };
    const moved = advanceTask(definition, task, given, 1);
    const answer = naiveAdvance(graph, naive, given);
    if (!moved.ok || "error" in answer) {
      expect(moved.ok ? moved.answer : moved.fail.reason).toEqual("error" in answer ? answer.error : answer);
      happened.push(moved.ok ? "" : moved.fail.reason);
      continue;
    }
    const { task: _, ...ours } = moved.answer;
    const { task: after, ...theirs } = answer;
    expect(ours).toEqual(theirs);
    expect(plain(moved.task)).toEqual(plainNaive(after as NaiveTask));
    expect(moved.entry === null).toBe(answer.success === false);
    const continued = "autonomyContinued" in answer ? " continued" : "";
    happened.push(`${String(answer.action)}${continued}${answer.nextStep === null ? " nowhere" : ""}`);
    task = moved.task;
    naive = after as NaiveTask;
  }
  return happened;
}

export function agreeOnLevels(definition: Definition, file: NaiveFile, how: Beginning): void {
  const { levels, backEdges } = naiveLevels(naiveGraph(file));
  const plan = executionPlan(definition);
  expect(plan.levels).toEqual(levels);
  expect(plan.backEdges).toEqual(expect.arrayContaining(backEdges));
  expect(plan.backEdges).toHaveLength(backEdges.length);
  expect([plan.levelCount, plan.stepCount]).toEqual([levels.length, Object.keys(file.nodes).length]);

  const [task] = both(file, how);
  const node = new Map(Object.entries(file.nodes)).get(task.currentStep);
  const level = levels.findIndex((ids) => ids.includes(task.currentStep));
  const used = new Map(Object.entries(task.stepRetries)).get(task.currentStep) ?? 0;
  expect(taskProgress(definition, task)).toMatchObject({
    level,
    percent: node?.type === "end" ? 100 : Math.floor((level * 100) / (levels.length - 1)),
    retriesRemaining: Math.max((node?.maxRetries ?? 0) - used, 0),
    nextSteps: file.edges
      .filter(({ from }) => from === task.currentStep)
      .map(({ to, on }) => (on === undefined ? { to } : { to, on })),
  });
}
