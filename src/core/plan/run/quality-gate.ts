import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { plainText } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";
import { qualityGateRun, type TaskWorld, toolsOfTask } from "./plan-agents";
import type { TaskPort } from "./task-port";

/** Whether a quality gate looks at the data before a task is tried (plan reference, section 4.6). */
export function wantsQualityGate(world: TaskWorld, task: PlanTask): boolean {
  if (task.type === "human_review" || task.depends_on.length === 0) return false;
  if (task.quality_gate !== null) return task.quality_gate;
  return toolsOfTask(world, task).length === 0 && world.options.quality_gate;
}

/**
 * Why the data is insufficient; null if the task may start. A gate that fails does not block the task.
 *
 * @param resumed it started before a pause
 */
export async function runQualityGate(
  port: TaskPort,
  world: TaskWorld,
  task: PlanTask,
  resumed: boolean,
): Promise<string | null> {
  const task_id = task.id;
  if (!resumed) port.emit({ type: "quality_gate_started", task_id });
  const wanted = qualityGateRun(world, task);
  const step = wanted.ok ? await port.run(wanted.value, 1) : null;
  const fail = wanted.ok ? step?.fail : wanted.fail;
  const verdict = step?.return ?? null;
  if (fail || !isObject(verdict) || typeof verdict.sufficient !== "boolean") {
    port.emit({ type: "quality_gate_error", task_id, reason: unusable(fail ?? null) });
    return null;
  }
  const evidence = listOf(verdict.evidence).filter(isObject);
  if (verdict.sufficient) {
    port.emit({ type: "quality_gate_passed", task_id, evidence });
    return null;
  }
  const missing = listOf(verdict.missing).map(plainText);
  port.emit({ type: "quality_gate_failed", task_id, missing, evidence });
  return `The data for task "${task_id}" is not sufficient; missing: ${missing.join(", ") || "not named"}.`;
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const ODD_ANSWERS = ["json_parse_error", "validation_error"];

function unusable(fail: Failure | null): Failure {
  if (fail !== null && !ODD_ANSWERS.includes(fail.reason)) return fail;
  const problem = fail === null ? "" : `: ${fail.message}`;
  return { reason: "unexpected_format", message: `The quality gate gave no answer that can be used${problem}` };
}
