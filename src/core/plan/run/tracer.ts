import type { PlanHappening } from "./events";

/** The events of a plan as lines for people (plan reference, section 6). */

/** One event as a line; null for one without information for a reader. */
export function traceLine(event: PlanHappening): string | null {
  switch (event.type) {
    case "planning_started":
      return `Planning: ${event.mission}`;
    case "planning_retry":
      return `Planning again: the plan has ${counted(event.validation_errors, "mistake")}`;
    case "planning_finished":
      return `Plan: ${counted(event.task_count, "task")}`;
    case "planning_failed":
      return `Planning failed: ${event.reason.message}`;
    case "execution_started":
      return `Mission: ${event.mission} (${counted(event.task_count, "task")})`;
    case "execution_finished":
      return `Execution finished: ${event.status} (${event.duration_ms} ms)`;
    case "task_skipped":
      return `[-] ${event.task_id} (Skipped: ${event.reason})`;
    case "task_started":
      return `[START] ${event.task_id}${event.attempt === 1 ? "" : ` (attempt ${event.attempt})`}`;
    case "task_step":
      return null;
    case "task_succeeded":
      return `✓ ${event.task_id} (${event.duration_ms} ms)`;
    case "task_failed":
      return `✗ ${event.task_id} - ${event.reason.reason}: ${event.reason.message}`;
    case "quality_gate_started":
      return `[GATE] ${event.task_id}: is there enough data?`;
    case "quality_gate_passed":
      return `[GATE] ${event.task_id}: yes`;
    case "quality_gate_failed":
      return `[GATE] ${event.task_id}: no, missing ${event.missing.join(", ") || "something"}`;
    case "quality_gate_error":
      return `[GATE] ${event.task_id}: gave no answer (${event.reason.reason}), continuing`;
    case "verification_failed":
      return `[!] ${event.task_id} - Verification failed: "${event.diagnosis}"`;
    case "replan_started":
      return `REPLAN #${event.total_replans} (${event.task_id}: "${event.diagnosis}")`;
    case "replan_finished":
      return `Repair plan: ${counted(event.new_tasks, "task")}`;
  }
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** The lines of `traceLine`, one by one as events come, with what belongs to an execution or a repair indented. */
export class PlanTracer {
  private depth = 0;

  line(event: PlanHappening): string | null {
    if (CLOSING.includes(event.type)) this.depth = Math.max(0, this.depth - 1);
    const text = traceLine(event);
    const indented = text === null ? null : `${"  ".repeat(this.depth)}${text}`;
    if (OPENING.includes(event.type)) this.depth += 1;
    return indented;
  }
}

const OPENING: readonly string[] = ["planning_started", "execution_started", "replan_started"];
const CLOSING: readonly string[] = ["planning_finished", "planning_failed", "execution_finished", "replan_finished"];
