import type { Definition } from "../../../src/core/graph/schema";
import { advanceTask, newTask, type Task } from "../../../src/core/graph/task";
import { parseTask } from "../../../src/core/graph/task-schema";
import { definitionOf, describeShared, sharedDefinitions, sharedTasks } from "./shared-data";

/** Every task of the shared data is led to an end by what its orchestrator says; `-` is nothing said. */
interface Script {
  said: string;
  /** Where it went, step by step. */
  way: string;
  ends: Partial<Task>;
}

const SCRIPTS: { [id: string]: Script } = {
  "task-001": {
    said: "- passed - - passed passed -",
    way: "reproduce locate patch test_gate review_gate release_note shipped",
    ends: { status: "COMPLETED", endResult: "success", retryCount: 0, stepRetries: {} },
  },
  "task-002": {
    said: "- failed",
    way: "reproduce unreproducible",
    ends: { status: "FAILED", endResult: "cancelled" },
  },
  // Loaded with one of two review retries used: the second failure is the last retry, the third escalates.
  "task-003": {
    said: "failed - passed failed",
    way: "patch test_gate review_gate needs_engineer",
    ends: { status: "HITL", escalation: "hitl", retryCount: 2, stepRetries: { review_gate: 2 } },
  },
  "task-004": {
    said: "- - needs_discovery - passed passed failed passed passed passed",
    way: "discover design discover design split integrate split integrate rollout live",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  "task-005": {
    said: "passed failed",
    way: "rollout rolled_back",
    ends: { status: "FAILED", endResult: "failure", escalation: "alert" },
  },
  "task-006": {
    said: "- failed failed passed passed - -",
    way: "collect collect collect identity provision welcome active",
    ends: { status: "COMPLETED", retryCount: 2, stepRetries: {} },
  },
  "task-007": { said: "- -", way: "welcome active", ends: { status: "COMPLETED" } },
  "task-008": {
    said: "- - failed - failed passed - passed passed passed passed - passed",
    way: "freeze risk_gate freeze risk_gate hitl_scope freeze risk_gate build validate quality_gate deploy site_gate released",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  // Out of HITL its counters are empty: there is a retry again before the site refuses for good.
  "task-009": {
    said: "passed - failed - failed passed - passed",
    way: "deploy site_gate deploy site_gate hitl_site deploy site_gate released",
    ends: { status: "COMPLETED", retryCount: 2, stepRetries: {} },
  },
  "task-010": {
    said: "outage passed failed passed passed partial - passed -",
    way: "gather hypothesis gather hypothesis mitigate vendor verify review resolved",
    ends: { status: "COMPLETED", retryCount: 1, stepRetries: {} },
  },
  "task-011": { said: "", way: "", ends: { status: "COMPLETED", currentStep: "resolved" } },
  "task-012": {
    said: "failed failed",
    way: "mitigate unresolved",
    ends: { status: "FAILED", escalation: "alert", retryCount: 1, stepRetries: { mitigate: 1 } },
  },
};

const definitions = new Map(
  sharedDefinitions
    .filter(({ file }) => file.startsWith("workflows/"))
    .map((one): [string, Definition] => [one.id, definitionOf(one)]),
);
const definitionFor = (workflowType: string): Definition => definitions.get(workflowType) as Definition;

function told(task: Task, said: string): Task {
  const definition = definitionFor(task.workflowType);
  return said
    .split(" ")
    .filter((result) => result !== "")
    .reduce((current, result) => {
      const moved = advanceTask(definition, current, result === "-" ? {} : { result }, current.updatedAt + 1);
      if (!moved.ok) throw new Error(moved.fail.message);
      expect(moved.answer).toMatchObject({ success: true });
      return moved.task;
    }, task);
}

describeShared("the shared tasks (skipped when absent)", () => {
  test("have a script each", () => {
    expect(sharedTasks.map(({ id }) => id)).toEqual(Object.keys(SCRIPTS));
  });

  test.each(sharedTasks.map((input) => [input.id, input] as const))("%s is led to its end", (id, input) => {
    const { said, way, ends } = SCRIPTS[id] as Script;
    const read = parseTask(input, definitionFor(input.workflowType), 1);
    if (!read.ok) throw new Error(read.fail.message);
    // Its orchestrator loads it again when the waiting is over.
    const loaded: Task = read.value.status === "PAUSED" ? { ...read.value, status: "PENDING" } : read.value;
    const task = told(loaded, said);
    expect(task.history.map(({ to }) => to).join(" ")).toBe(way);
    expect(task).toMatchObject(ends);
  });

  test("one that is paused, and one that ended, are refused as they are loaded", () => {
    const refused = (id: string) => {
      const read = parseTask(
        sharedTasks.find((one) => one.id === id),
        undefined,
        1,
      );
      const moved = read.ok && advanceTask(definitionFor("incident-response"), read.value, { result: "passed" }, 2);
      return moved && !moved.ok ? moved.fail.reason : null;
    };
    expect([refused("task-012"), refused("task-011")]).toEqual(["task_paused", "task_closed"]);
  });

  test.each([
    { branch: "api", said: "failed passed failed passed passed", ends: { currentStep: "merge", status: "COMPLETED" } },
    { branch: "api", said: "failed failed failed", ends: { currentStep: "parts_missing", status: "HITL" } },
    { branch: "web", said: "-", ends: { currentStep: "merge", status: "COMPLETED" } },
    { branch: "copy", said: "failed", ends: { currentStep: "merge", status: "COMPLETED" } },
  ])("a branch at $branch, told $said, is over at $ends.currentStep", ({ branch, said, ends }) => {
    const definition = definitionFor("loyalty-feature");
    const input = { id: `task-004/${branch}`, issueId: "LOY-12", workflowType: "loyalty-feature", branch };
    const child = newTask({ ...input, currentStep: branch, parentTaskId: "task-004" }, definition, 1);
    expect(told(child, said)).toMatchObject(ends);
  });

  test("a subflow's workflow is led to each of its ends", () => {
    const check = (said: string) =>
      told(
        newTask({ id: "t", issueId: "i", workflowType: "identity-check" }, definitionFor("identity-check"), 1),
        said,
      );
    expect(check("- clear failed passed")).toMatchObject({ currentStep: "confirmed", status: "COMPLETED" });
    expect(check("- near_hit passed passed")).toMatchObject({ currentStep: "confirmed", status: "COMPLETED" });
    expect(check("- near_hit failed")).toMatchObject({ currentStep: "refused", status: "FAILED" });
    expect(check("- clear failed failed")).toMatchObject({ currentStep: "unclear", status: "HITL" });
  });
});
