import type { Failure } from "../../../../src/core/base/failure";
import type { PlanHappening } from "../../../../src/core/plan/run/events";
import { PlanTracer, traceLine } from "../../../../src/core/plan/run/tracer";

const fail: Failure = { reason: "timeout", message: "too late" };

test.each<[PlanHappening, string | null]>([
  [{ type: "planning_started", mission: "m" }, "Planning: m"],
  [{ type: "planning_retry", validation_errors: 2 }, "Planning again: the plan has 2 mistakes"],
  [{ type: "planning_finished", task_count: 1, plan: { agents: {}, tasks: [] } }, "Plan: 1 task"],
  [{ type: "planning_failed", reason: fail }, "Planning failed: too late"],
  [{ type: "execution_started", mission: "m", task_count: 3 }, "Mission: m (3 tasks)"],
  [{ type: "execution_finished", status: "ok", duration_ms: 7 }, "Execution finished: ok (7 ms)"],
  [{ type: "task_skipped", task_id: "a", reason: "already_completed" }, "[-] a (Skipped: already_completed)"],
  [{ type: "task_started", task_id: "a", attempt: 1 }, "[START] a"],
  [{ type: "task_started", task_id: "a", attempt: 2 }, "[START] a (attempt 2)"],
  [{ type: "task_step", task_id: "a", step: {} as never }, null],
  [{ type: "task_succeeded", task_id: "a", duration_ms: 5 }, "✓ a (5 ms)"],
  [{ type: "task_failed", task_id: "a", reason: fail }, "✗ a - timeout: too late"],
  [{ type: "quality_gate_started", task_id: "a" }, "[GATE] a: is there enough data?"],
  [{ type: "quality_gate_passed", task_id: "a", evidence: [] }, "[GATE] a: yes"],
  [{ type: "quality_gate_failed", task_id: "a", missing: ["x"], evidence: [] }, "[GATE] a: no, missing x"],
  [{ type: "quality_gate_error", task_id: "a", reason: fail }, "[GATE] a: gave no answer (timeout), continuing"],
  [{ type: "verification_failed", task_id: "a", diagnosis: "no" }, '[!] a - Verification failed: "no"'],
  [{ type: "replan_started", task_id: "a", diagnosis: "no", total_replans: 1 }, 'REPLAN #1 (a: "no")'],
  [{ type: "replan_finished", new_tasks: 2 }, "Repair plan: 2 tasks"],
])("%j", (event, line) => expect(traceLine(event)).toBe(line));

test("a tracer with memory indents nested events", () => {
  const tracer = new PlanTracer();
  const lines = (
    [
      { type: "execution_started", mission: "m", task_count: 1 },
      { type: "task_started", task_id: "a", attempt: 1 },
      { type: "replan_started", task_id: "a", diagnosis: "no", total_replans: 1 },
      { type: "replan_finished", new_tasks: 1 },
      { type: "execution_finished", status: "ok", duration_ms: 1 },
    ] satisfies PlanHappening[]
  ).map((event) => tracer.line(event));
  expect(lines).toEqual([
    "Mission: m (1 task)",
    "  [START] a",
    '  REPLAN #1 (a: "no")',
    "  Repair plan: 1 task",
    "Execution finished: ok (1 ms)",
  ]);
});
