import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as ids from "../../../src/core/base/ids";

const root = path.join(__dirname, "../../..");

test.each([
  ["day", "2026-11-21"],
  ["hour", "2026-11-21T02"],
  ["minute", "2026-11-21T02:30"],
] as const)("every time of one %s gives the name %s", (period, name) => {
  expect(ids.periodOf("2026-11-21T02:30:00.000Z", period)).toBe(name);
  expect(ids.periodOf("2026-11-21T02:30:59.999Z", period)).toBe(name);
});

// Recorded histories, idempotency keys and links hold these texts.
test.each([
  [ids.agentWorkflowId("x"), "agent/x"],
  [ids.agentWorkflowId("task/x/build/1"), "task/x/build/1"],
  [ids.taskWorkflowId("x/y"), "task/x/y"],
  [ids.taskWorkflowId("task/x"), "task/x"],
  [ids.workflowIdFor("task", "task/x"), "task/task/x"],
  [ids.planWorkflowId("x"), "plan/x"],
  [ids.planWorkflowId("plan/x"), "plan/x"],
  [ids.definitionWorkflowId("bug-fix"), "definition/bug-fix"],
  [ids.scheduleWorkflowId("night"), "schedule/night"],
  [ids.scheduledRunIdAt("night", "2026-11-21T02:30:00.000Z", "hour"), "night-2026-11-21T02"],
  [ids.taskTreeWorkflowId(null), "task-tree"],
  [ids.taskTreeWorkflowId("shop"), "shop:task-tree"],
  [ids.agentWorkflowId("x", "shop"), "shop:agent/x"],
  [ids.agentWorkflowId("task/x/build/1", "shop"), "shop:task/x/build/1"],
  [ids.agentWorkflowId("other:agent/x", "shop"), "other:agent/x"],
  [ids.taskWorkflowId("x", "shop"), "shop:task/x"],
  [ids.taskWorkflowId("shop:task/x", "shop"), "shop:task/x"],
  [ids.planWorkflowId("plan/x", "shop"), "shop:plan/x"],
  [ids.definitionWorkflowId("bug-fix", "shop"), "shop:definition/bug-fix"],
  [ids.scheduleWorkflowId("night", "shop"), "shop:schedule/night"],
  [ids.scheduleIdIn("shop", "night"), "shop:night"],
  [ids.ownerWorkflowId("x", "shop"), "shop:task/x"],
  [ids.bareId("task", "shop:task/x"), "x"],
  [ids.kindOf("shop:plan/x"), "plan"],
  [ids.projectOf("shop:task-tree"), "shop"],
  [ids.projectOf("task/a:task/b"), null],
  [ids.childTaskId("x", "build", 1), "x/build"],
  [ids.childTaskId("x", "build", 2), "x/build~2"],
  [ids.stepRunId("task/x", "build", 3), "task/x/build/3"],
  [ids.toolRunId("agent/x", { name: "find", turn: 2, call: 1 }, 1), "agent/x/find/2.1"],
  [ids.toolRunId("agent/x", { name: "find", turn: 2, call: 1 }, 3), "agent/x/find/r3.2.1"],
  [ids.budgetHolder("agent/x", 4), "agent/x/call/4"],
  [ids.planTaskRunId(1, "a/b", 2), "1/a/b/2"],
  [ids.qualityGateRunId(1, "a"), "1/a/1/gate"],
  [ids.plannerRunId(2), "plan/2"],
  [ids.repairRunId(1, 2), "repair/1/2"],
  [ids.planRunWorkflowId("plan/x", "1/a/2"), "plan/x/1/a/2"],
  [ids.reviewId("x", "build", 1), "x/build/1"],
  [ids.escalationKey("task/x", "task_alert", 5), "task/x/task_alert/5"],
  [ids.conversationKey("agent/x", "run-1"), "agent/x/run-1"],
])("the id %s has only this form", (built, text) => expect(built).toBe(text));

test.each([
  { id: "task/x", kind: "task", top: true, task: true },
  { id: "task/x/build", kind: "task", top: false, task: true },
  { id: "task/x/build/1", kind: "task", top: false, task: false },
  { id: "agent/x", kind: "agent", top: false, task: false },
  { id: "plan/x", kind: "plan", top: false, task: false },
  { id: "definition/x", kind: undefined, top: false, task: false },
  { id: "x", kind: undefined, top: false, task: false },
])("$id is of the kind $kind", ({ id, kind, top, task }) => {
  expect(ids.kindOf(id)).toBe(kind);
  expect([ids.isTopTask(id), ids.isTask(id)]).toEqual([top, task]);
});

test("a bare id loses only the prefix of its own kind", () => {
  expect(ids.bareId("task", "task/x/y")).toBe("x/y");
  expect(ids.bareId("task", "agent/x")).toBe("agent/x");
  expect(ids.bareId("task", "x")).toBe("x");
});

test("ids are split into the parts that built them", () => {
  expect(ids.stepOfRun(ids.stepRunId("task/x", "build", 3))).toEqual({ step: "build", attempt: "3" });
  expect(ids.toolOfRun("agent/x", "agent/x/find/2.1")).toBe("find");
  expect(ids.rootIdOf("plan/x/1/a/2")).toBe("x");
  expect(ids.conversationOwner("task/x/1/run-1")).toEqual({ workflowId: "task/x/1", runId: "run-1" });
  expect(ids.ownerOfReview("task/x/build/1")).toBe("task/x");
  expect(ids.ownerOfReview("x")).toBeUndefined();
  expect(ids.ownerWorkflowId("x")).toBe("task/x");
  expect(ids.ownerWorkflowId("plan/x")).toBe("plan/x");
  expect(ids.isBelow("agent/x/call/1", "agent/x")).toBe(true);
  expect(ids.isBelow("agent/xy/call/1", "agent/x")).toBe(false);
});

test.each([
  ["plan/x/1/a/b/2", { run: "1/a/b/2", below: "", task_id: "a/b" }],
  ["plan/x/1/a/2/find/1.1", { run: "1/a/2", below: "/find/1.1", task_id: "a" }],
  ["plan/x/1/a/1/gate", { run: "1/a/1/gate", below: "", task_id: null }],
  ["plan/x/plan/1", { run: "plan/1", below: "", task_id: null }],
  ["plan/x/repair/1/1", { run: "repair/1/1", below: "", task_id: null }],
])("%s is a run with its place in the plan", (id, place) => expect(ids.planRunPlace(id)).toEqual(place));

const BUILDS =
  /`(?:agent|task|plan|definition|schedule)\/\$\{|"(?:agent|task|plan|definition|schedule)\/"|\/\^\(?(?:\?:)?(?:agent|task|plan|definition|schedule)[|\\)]|\$\{(?:own|workflowId|workflow_id|[\w.()]+\.workflowId)\}\/|"task-tree"/;

test("no other file builds or splits a workflow id", () => {
  const found = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== path.join("core", "base", "ids.ts"))
    .flatMap((file) =>
      readFileSync(path.join(root, "src", file), "utf8")
        .split("\n")
        .flatMap((line, index) => (BUILDS.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});

test.each([
  () => ids.agentWorkflowId("a\ud800"),
  () => ids.agentWorkflowId("plan/a\ud800/1"),
  () => ids.taskWorkflowId("\udc00a"),
  () => ids.planWorkflowId("a\ud800b"),
  () => ids.definitionWorkflowId("a\ud800"),
  () => ids.scheduleIdIn("shop", "a\ud800"),
])("an id with half of a character is none to ask about", (asked) =>
  expect(asked).toThrow("cannot be an id: it has half of a character"),
);

test("a whole character of two halves stays in an id", () =>
  expect(ids.agentWorkflowId("a\u{1f600}")).toBe("agent/a\u{1f600}"));

test.each([
  ["2027-03-28T00:30:00.000Z", "Europe/Berlin", "2027-03-28", "2027-03-27T23:00:00.000Z"],
  ["2027-03-28T23:30:00.000Z", "Europe/Berlin", "2027-03-29", "2027-03-28T22:00:00.000Z"],
  ["2026-11-01T12:00:00.000Z", "Asia/Kathmandu", "2026-11-01", "2026-10-31T18:15:00.000Z"],
  ["2026-12-31T12:00:00.000Z", "Pacific/Kiritimati", "2027-01-01", "2026-12-31T10:00:00.000Z"],
])("%s in %s belongs to %s", (iso, day_in, day, start) => {
  expect(ids.periodOf(iso, { day_in })).toBe(day);
  expect(new Date(ids.periodStart(iso, { day_in })).toISOString()).toBe(start);
});

test.each([
  ["day", "2026-11-21T00:00:00.000Z"],
  ["hour", "2026-11-21T02:00:00.000Z"],
  ["minute", "2026-11-21T02:30:00.000Z"],
] as const)("a period of a %s begins", (period, start) =>
  expect(new Date(ids.periodStart("2026-11-21T02:30:59.999Z", period)).toISOString()).toBe(start),
);

test.each([
  ["agent/a", true],
  ["agent/a/x/1.1", true],
  ["agent/a-again-2", true],
  ["agent/a-again-12/x/1.1", true],
  ["agent/ab", false],
  ["agent/a-again-2b", false],
  ["agent/a-again-", false],
  ["plan/a", false],
])("%s calls in the name of agent/a: %s", (workflowId, isOf) =>
  expect(ids.isOfMission(workflowId, "agent/a")).toBe(isOf),
);

test("an earlier try calls nothing in the name of a retry that began anew", () => {
  expect(ids.isOfMission("agent/a-again-3", "agent/a-again-2")).toBe(true);
  expect(ids.isOfMission("agent/a", "agent/a-again-2")).toBe(false);
});
