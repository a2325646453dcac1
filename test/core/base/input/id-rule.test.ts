import fc from "fast-check";
import * as ids from "../../../../src/core/base/ids";
import {
  branchIdProblem,
  checkedId,
  givenIdProblem,
  idLike,
  MAX_ID_BYTES,
  nameProblem,
  nodeIdProblem,
  taskIdProblem,
} from "../../../../src/core/base/input/id-rule";
import { assertProperty } from "../../../support/run/property";

test.each([
  "order-42",
  "ORDER 42",
  "a.b:c_d+e=f,g(h)#1@2~3!",
  "Größe-prüfen",
  "注文-42",
  "🚢",
  "constructor",
  "__proto__",
  "tasks",
  "7f3c2e60-7c52-4a8f-9b55-0d3c6a1f2b11",
  "x".repeat(MAX_ID_BYTES),
])("%j can be an id", (id) => expect(givenIdProblem(id)).toBeUndefined());

test.each([
  ["", "it is empty", undefined],
  ["   ", "it is empty", undefined],
  ["a/b", 'it has "/"', "a-b"],
  ["Y/l", 'it has "/"', "Y-l"],
  ["a\\b", 'it has "\\"', "a-b"],
  ["..", 'it has ".."', undefined],
  ["../../etc/passwd", 'it has ".."', "etc-passwd"],
  ["a..b", 'it has ".."', "a-b"],
  [".", "it is a path", undefined],
  ["a\0b", "it has the invisible character U+0000", "a-b"],
  ["a\nb", "it has the invisible character U+000A", "a-b"],
  ["a\u2028b", "it has the invisible character U+2028", "a-b"],
  ["a\u200bb", "it has the invisible character U+200B", "a-b"],
  ["a\u202eb", "it has the invisible character U+202E", "a-b"],
  ["a\ud800", "it has half of a character", "a"],
  [" a", "it has blanks around it", "a"],
  ["a ", "it has blanks around it", "a"],
  ["x".repeat(201), "it is 201 bytes long; the limit is 200", "x".repeat(200)],
  ["é".repeat(101), "it is 202 bytes long; the limit is 200", "é".repeat(100)],
  ["task", '"task" is the first part of workflow ids', "task-1"],
  ["agent", '"agent" is the first part of workflow ids', "agent-1"],
])("%j cannot be an id, and the error has one that can", (id, problem, like) => {
  expect(givenIdProblem(id)).toContain(problem);
  expect(idLike(id)).toBe(like);
  expect(() => checkedId("a run", id)).toThrow(like === undefined ? /cannot be the id of a run/ : `try "${like}"`);
});

test("what is suggested for any text can be an id", () =>
  assertProperty(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const like = idLike(text);
      if (like !== undefined) expect(givenIdProblem(like)).toBeUndefined();
    }),
  ));

test("an id that is no text is refused as such", () => {
  expect(() => checkedId("a run", 42)).toThrow("The id of a run must be a text.");
});

test("names may have a slash, as issues and steps of plans do", () => {
  expect(nameProblem("org/repo#12")).toBeUndefined();
  expect(nameProblem("a\tb")).toContain("U+0009");
});

test.each([
  ["work", undefined],
  ["agent", undefined],
  ["__proto__", undefined],
  ["a/b", 'it has "/"'],
  ["work~2", 'it ends with "~2"'],
  ["work@2", 'it ends with "@2"'],
])("the id %j of a node has the problem %j", (id, problem) => {
  if (problem === undefined) expect(nodeIdProblem(id)).toBeUndefined();
  else expect(nodeIdProblem(id)).toContain(problem);
});

test.each([
  ["X/l", "X", undefined],
  ["X/l~2", "X", undefined],
  ["X/l/m", "X/l", undefined],
  ["own", "X", undefined],
  ["X/l", undefined, 'it has "/"'],
  ["Y/l", "X", 'it has "/"'],
  ["X/l/1", "X/l", "taken for an attempt"],
  ["X//l", "X", "it is empty"],
  ["task/l", "task", "the first part of workflow ids"],
])("a task %j with the parent %j has the problem %j", (id, parent, problem) => {
  if (problem === undefined) expect(taskIdProblem(id, parent)).toBeUndefined();
  else expect(taskIdProblem(id, parent)).toContain(problem);
});

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "1", "/", "~", ".", "2", "l") }),
  fc.constantFrom("X", "1", "gate", "plan", "repair", "agent", "task", "call"),
);
const id = text.filter((one) => givenIdProblem(one) === undefined);
const node = text.filter((one) => nodeIdProblem(one) === undefined);
const branch = node.filter((one) => branchIdProblem(one) === undefined);
const from1 = fc.integer({ min: 1, max: 3 });

/** Every workflow id that anybody can cause, with the parts that it was made of. */
const child = fc.oneof(
  fc.tuple(fc.constantFrom("agent", "task", "plan") as fc.Arbitrary<ids.MissionKind>, id).map(([kind, own]) => ({
    made: [kind, own],
    workflowId: ids.workflowIdFor(kind, own),
  })),
  fc.tuple(id, fc.array(fc.tuple(branch, from1), { maxLength: 2 })).map(([own, nodes]) => ({
    made: ["task", own, ...nodes.flat()],
    workflowId: ids.workflowIdFor(
      "task",
      nodes.reduce((parent, [at, round]) => ids.childTaskId(parent, at, round), own),
    ),
  })),
  fc.tuple(id, fc.array(fc.tuple(branch, from1), { maxLength: 1 }), node, from1).map(([own, nodes, step, attempt]) => ({
    made: ["task", own, ...nodes.flat(), "step", step, attempt],
    workflowId: ids.stepRunId(
      ids.workflowIdFor(
        "task",
        nodes.reduce((parent, [at, round]) => ids.childTaskId(parent, at, round), own),
      ),
      step,
      attempt,
    ),
  })),
  fc.tuple(id, fc.constantFrom("find", "call", "gate"), from1, from1).map(([own, name, turn, call]) => ({
    made: ["agent", own, "tool", name, turn, call],
    workflowId: ids.toolRunId(ids.workflowIdFor("agent", own), { name, turn, call }, 1),
  })),
  fc.tuple(id, from1, text, from1).map(([own, execution, task, attempt]) => ({
    made: ["plan", own, "task", execution, task, attempt],
    workflowId: ids.planRunWorkflowId(ids.workflowIdFor("plan", own), ids.planTaskRunId(execution, task, attempt)),
  })),
  fc.tuple(id, from1, text).map(([own, execution, task]) => ({
    made: ["plan", own, "gate", execution, task],
    workflowId: ids.planRunWorkflowId(ids.workflowIdFor("plan", own), ids.qualityGateRunId(execution, task)),
  })),
  fc.tuple(id, from1).map(([own, attempt]) => ({
    made: ["plan", own, "planner", attempt],
    workflowId: ids.planRunWorkflowId(ids.workflowIdFor("plan", own), ids.plannerRunId(attempt)),
  })),
  fc.tuple(id, from1, from1).map(([own, execution, attempt]) => ({
    made: ["plan", own, "repair", execution, attempt],
    workflowId: ids.planRunWorkflowId(ids.workflowIdFor("plan", own), ids.repairRunId(execution, attempt)),
  })),
);

test("two things that people or workflows start never have the same workflow id", () =>
  assertProperty(
    fc.property(fc.array(child, { minLength: 2, maxLength: 40 }), (all) => {
      const seen = new Map<string, string>();
      for (const { made, workflowId } of all) {
        const parts = JSON.stringify(made.map(String));
        expect(seen.get(workflowId) ?? parts).toBe(parts);
        seen.set(workflowId, parts);
      }
    }),
    { numRuns: 2_000 },
  ));
