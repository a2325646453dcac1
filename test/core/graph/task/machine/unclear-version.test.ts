import type { Advance } from "../../../../../src/core/graph/task/advance-input";
import type { TaskEntry } from "../../../../../src/core/graph/task/task-schema";
import { reviewed } from "../../definition/definitions";
import { MachineRig, NOW } from "./machine-rig";

/** Calls without a version, whose senders may have seen an earlier one (graph reference, section 4). */

type Made = Pick<TaskEntry, "step" | "to" | "result"> & Partial<TaskEntry>;
const PASSED: Made = { step: "build", to: "review", result: "passed" };
const REJECTED: Made = { step: "review", to: "build", result: "failed", output: { choice: "failed", by: "anna" } };
const BY_AGENT: Made = { ...REJECTED, output: 1, by: { id: "agent:a", kind: "agent", via: "mcp" } };

const refusalOf = (currentStep: string, made: Made[], call: Advance) => {
  const history = made.map((entry) => ({ action: "conditional" as const, at: NOW, ...entry }));
  const { messages } = new MachineRig(reviewed, { task: { currentStep, status: "IN_PROGRESS", history } });
  const checked = messages.checkAdvance(call);
  return checked.ok ? null : checked.fail;
};
const mayRepeat = true;

test.each<[string, string, Made[], Advance, string | null]>([
  ["the move that led to a person, again", "review", [PASSED], { result: "passed" }, "version_required"],
  ["the same after the person has sent it back", "build", [PASSED, REJECTED], { result: "passed" }, "version_required"],
  ["a result that nobody has reported yet", "review", [PASSED], { result: "failed" }, "version_required"],
  ["the same result with another output", "review", [PASSED], { result: "passed", output: "new" }, "version_required"],
  [
    "the present step by its name",
    "review",
    [PASSED],
    { result: "failed", expectedStep: "review" },
    "version_required",
  ],
  ["another step by its name", "review", [PASSED], { result: "passed", expectedStep: "build" }, "step_changed"],
  ["a result at an ordinary step", "build", [PASSED, REJECTED], { result: "failed" }, null],
  ["a repeat after an agent's own move at the gate", "build", [PASSED, BY_AGENT], { result: "passed" }, null],
  ["the same result with the version of now", "review", [PASSED], { result: "passed", version: 1 }, null],
  ["the same result with an old version", "review", [PASSED], { result: "passed", version: 0 }, null],
  ["the first result of all", "build", [], { result: "passed" }, null],
])("%s", (_, currentStep, made, call, reason) => {
  expect(refusalOf(currentStep, made, { ...call, mayRepeat })?.reason ?? null).toBe(reason);
});

test("the refusal says what happened, and the version of a new result", () => {
  expect(refusalOf("build", [PASSED, REJECTED], { result: "passed", mayRepeat })).toMatchObject({
    message:
      'Task "t" has left "build" with this result already, and "review" was decided with "failed", which led to "build", since: nothing moved. It is at "build", version 2. If this is a new result of that step, call again with version 2.',
    details: { version: 2, currentStep: "build", status: "IN_PROGRESS" },
  });
});

const agent: Advance["by"] = { id: "agent:a", kind: "agent", via: "mcp" };
const person: Advance["by"] = { id: "anna", kind: "person", via: "page" };
test.each<[string, string, Made[], Advance, string | null]>([
  ["a late report at the review behind its step", "review", [PASSED], { seen: 0, output: "late" }, "stale_version"],
  ["the same result, late", "review", [PASSED], { seen: 0 }, "stale_version"],
  ["a late report after a way back", "build", [PASSED, REJECTED], { seen: 0 }, "stale_version"],
  ["a late report that names its step", "review", [PASSED], { seen: 0, expectedStep: "build" }, "step_changed"],
  ["a report of the version that the session saw last", "build", [PASSED, REJECTED], { seen: 2 }, null],
  ["what the session saw last, at a person's gate", "review", [PASSED], { seen: 1 }, "version_required"],
  ["a named version, although the session saw an earlier one", "review", [PASSED], { seen: 0, version: 1 }, null],
  ["an agent's move at a person's gate", "review", [PASSED], { by: agent }, "version_required"],
  ["a person's move at a person's gate", "review", [PASSED], { by: person }, "version_required"],
  ["a person's move at an ordinary step", "build", [], { by: person }, null],
  ["a move of the project's own code", "review", [PASSED], {}, null],
])("%s", (_, currentStep, made, call, reason) => {
  expect(refusalOf(currentStep, made, { result: "passed", ...call })?.reason ?? null).toBe(reason);
});
