import fc from "fast-check";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { type Definition, edgesFrom, maxRetriesOf, nodeOf } from "../../../../src/core/graph/definition/schema";
import { executionPlan } from "../../../../src/core/graph/show/levels";
import { renderDiagram } from "../../../../src/core/graph/show/mermaid";
import { taskProgress } from "../../../../src/core/graph/show/progress";
import { renderWay } from "../../../../src/core/graph/show/text-diagram";
import { advanceTask, newTask, retriesUsedAt, type Task } from "../../../../src/core/graph/task/task";
import { assertProperty, sample } from "../../../support/run/property";

/**
 * Graphs that nobody thought of. Steps stand in a row; what goes forward leads to a later step or an end, failures
 * lead anywhere, so every graph has ways back and a way out.
 */
interface Written {
  nodes: { [id: string]: object };
  edges: { from: string; to: string; on?: string }[];
}

const ENDS = {
  done: { type: "end", result: "success" },
  human: { type: "end", result: "blocked", escalation: "hitl" },
  lost: { type: "end", result: "failure" },
};
const NAMES = ["a", "constructor", "b-1", "__proto__", "e", "f f"];

const step = fc.record({
  gate: fc.boolean(),
  declared: fc.boolean(),
  maxRetries: fc.option(fc.nat(3), { nil: undefined }),
  forward: fc.constantFrom("passed", "any", "both"),
  skip: fc.nat(2),
  back: fc.option(fc.nat(5), { nil: undefined }),
  failedTo: fc.constantFrom(undefined, ...Object.keys(ENDS)),
  exceededTo: fc.constantFrom(undefined, ...Object.keys(ENDS)),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function write(steps: readonly Step[], recovery: number | undefined): Written {
  const ids = NAMES.slice(0, steps.length);
  const later = (i: number, skip: number) => ids[i + 1 + skip] ?? ids[i + 1] ?? "done";
  const edges = steps.flatMap((one, i) => {
    const from = ids[i] as string;
    const to = later(i, 0);
    const ways: (Written["edges"][number] | undefined)[] = [
      one.forward === "any" ? undefined : { from, to, on: "passed" },
      one.forward === "passed" ? undefined : { from, to: later(i, one.skip) },
      one.back === undefined ? undefined : { from, to: ids[one.back % ids.length] as string, on: "failed" },
      one.failedTo === undefined ? undefined : { from, to: one.failedTo, on: "failed" },
      one.exceededTo === undefined ? undefined : { from, to: one.exceededTo, on: "max_retries_exceeded" },
    ];
    return ways.filter((way) => way !== undefined);
  });
  const used = new Set(["done", ...edges.map(({ to }) => to)]);
  const recoveries =
    recovery !== undefined && used.has("human")
      ? [{ from: "human", to: ids[recovery % ids.length] as string, on: "passed" }]
      : [];
  const nodes: [string, object][] = [
    ["start", { type: "start" }],
    ...steps.map((one, i): [string, object] => [
      ids[i] as string,
      {
        type: one.gate ? "gate" : "task",
        name: `Step ${i}`,
        ...(one.declared ? { outputs: ["passed", "failed"] } : {}),
        ...(one.maxRetries === undefined ? {} : { maxRetries: one.maxRetries }),
      },
    ]),
    ...Object.entries(ENDS).filter(([id]) => used.has(id)),
  ];
  return {
    nodes: Object.fromEntries(nodes),
    edges: [{ from: "start", to: ids[0] as string }, ...edges, ...recoveries],
  };
}

const graphs: fc.Arbitrary<Definition> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: NAMES.length }), fc.option(fc.nat(5), { nil: undefined }))
  .map(([steps, recovery]) => parseDefinition(write(steps, recovery), "random"))
  .filter((read) => read.ok)
  .map((read) => (read.ok ? read.value.definition : (undefined as never)));

const RESULTS = ["passed", "failed", "failed", "odd", undefined, "max_retries_exceeded"];
const results = fc.array(fc.constantFrom(...RESULTS), { maxLength: 40 });

const begin = (definition: Definition): Task =>
  newTask({ id: "t", issueId: "i", workflowType: definition.id }, definition, 0);

/** Every move of a walk, with the task before and after it. */
function walk(definition: Definition, said: readonly (string | undefined)[], from = begin(definition)) {
  const moves: { before: Task; after: Task; result: string | undefined }[] = [];
  let task = from;
  for (const result of said) {
    const moved = advanceTask(definition, task, result === undefined ? {} : { result }, moves.length + 1);
    if (!moved.ok) continue;
    moves.push({ before: task, after: moved.task, result });
    task = moved.task;
  }
  return { task, moves };
}

test("random graphs are rarely discarded", () => {
  const drawn = sample(fc.array(step, { minLength: 1, maxLength: NAMES.length }), 200);
  expect(drawn.filter((steps) => parseDefinition(write(steps, 1), "random").ok).length).toBeGreaterThan(100);
});

test("a task is moved, or refused with a reason: nothing is thrown, and a refusal changes nothing", () =>
  assertProperty(
    fc.property(graphs, results, (definition, said) => {
      for (const { before, after, result } of walk(definition, said).moves) {
        if (after === before) continue;
        expect(after.history).toHaveLength(before.history.length + 1);
        expect(after.history.at(-1)).toMatchObject({ step: before.currentStep, result: result ?? null });
        expect(nodeOf(definition, after.currentStep)).toBeDefined();
      }
    }),
  ));

test("retries of a step never exceed its limit, and the task counts each of them", () =>
  assertProperty(
    fc.property(graphs, results, (definition, said) => {
      for (const { before, after } of walk(definition, said).moves) {
        const last = after === before ? undefined : after.history.at(-1);
        for (const [id, node] of Object.entries(definition.nodes))
          expect(retriesUsedAt(after, id)).toBeLessThanOrEqual(maxRetriesOf(node));
        expect(after.retryCount - before.retryCount).toBe(last?.action === "retry" ? 1 : 0);
        const used = retriesUsedAt(before, before.currentStep);
        if (last?.action === "retry") expect(retriesUsedAt(after, before.currentStep)).toBe(used + 1);
        if (last?.action === "escalate")
          expect(used).toBe(maxRetriesOf(nodeOf(definition, before.currentStep) as never));
      }
    }),
  ));

test("passing from anywhere reaches an end, or a step that needs another result", () =>
  assertProperty(
    fc.property(graphs, results, (definition, said) => {
      const somewhere = walk(definition, said).task;
      const steps = Object.keys(definition.nodes).length;
      const { task } = walk(definition, Array<string>(2 * steps).fill("passed"), somewhere);
      const waysOn = edgesFrom(definition, task.currentStep).filter(({ on }) => on === undefined || on === "passed");
      // Recovery takes a task from a person back to work: from there it passes to the end.
      expect(
        task.status === "COMPLETED" || task.status === "FAILED" || task.status === "HITL" || waysOn.length === 0,
      ).toBe(true);
    }),
  ));

test("failing repeatedly stops: at an end, with a person, without an edge, or without a limit", () =>
  assertProperty(
    fc.property(graphs, (definition) => {
      const { task, moves } = walk(definition, Array<string>(200).fill("failed"));
      // A result without a way moves nothing: whoever drives the task asks a person.
      if (task.status !== "PENDING" || moves.at(-1)?.after === moves.at(-1)?.before) return;
      // Still going round: then some failed edge of the round is not counted, which the file was warned of.
      const round = moves.slice(-20).map(({ before }) => before.currentStep);
      const uncounted = round.filter((id) => maxRetriesOf(nodeOf(definition, id) as never) === 0);
      expect(uncounted.length).toBeGreaterThan(0);
    }),
  ));

test("the same task and result give the same move, also after a round trip through JSON", () =>
  assertProperty(
    fc.property(graphs, results, (definition, said) => {
      const copy = JSON.parse(JSON.stringify(definition)) as Definition;
      const there = walk(definition, said).task;
      const here = said.reduce<Task>((task, result) => {
        const moved = advanceTask(copy, task, result === undefined ? {} : { result }, task.history.length + 1);
        return moved.ok ? (JSON.parse(JSON.stringify(moved.task)) as Task) : task;
      }, begin(copy));
      const untimed = (task: Task) => ({
        ...task,
        updatedAt: 0,
        history: task.history.map((entry) => ({ ...entry, at: 0 })),
      });
      expect(untimed(here)).toEqual(untimed(there));
    }),
  ));

test("levels, pictures, progress and the path are available at any moment", () =>
  assertProperty(
    fc.property(graphs, results, (definition, said) => {
      const { task } = walk(definition, said);
      const { levels, levelCount } = executionPlan(definition);
      expect(levels.flat().sort()).toEqual(Object.keys(definition.nodes).sort());
      expect(
        renderDiagram(definition, task.currentStep)
          .split("\n")
          .filter((line) => line.includes(" -->")),
      ).toHaveLength(definition.edges.length);
      const progress = taskProgress(definition, task);
      expect(progress.percent).toBeGreaterThanOrEqual(0);
      expect(progress.percent).toBeLessThanOrEqual(100);
      expect(progress.levelCount).toBe(levelCount);
      expect(progress.visited).toHaveLength(task.history.length);
      expect(renderWay(definition, task).split("\nWay:\n")[1]?.split("\n")).toHaveLength(task.history.length + 1);
    }),
  ));
