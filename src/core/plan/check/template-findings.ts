import { parseSignature, SignatureError, type Type, wireName } from "../../signature/parse";
import { tasksById } from "../definition/parse";
import type { Plan, PlanTask } from "../definition/plan";
import { referencesIn } from "../definition/templates";
import { ancestorsOf } from "./ancestry";
import type { Finder } from "./finding";

/** Templates that would stay unexpanded: they name no task, no finished task, or no field of it. */
export function templateFindings(plan: Plan, given: readonly string[], finder: Finder): void {
  const byId = tasksById(plan);
  const ancestors = ancestorsOf(plan);
  for (const task of plan.tasks) {
    if (typeof task.input !== "string" || task.type === "direct" || task.type === "synthesis_gate") continue;
    for (const { text, task_id, fields } of referencesIn(task.input)) {
      const other = byId.get(task_id);
      if (given.includes(task_id)) continue;
      if (other === undefined) {
        const dotted = plan.tasks.some(({ id }) => id.startsWith(`${task_id}.`));
        const hint = dotted ? " An id with dots in it cannot be named in a template." : "";
        const message = `${text} in task "${task.id}" names no task of the plan.${hint}`;
        finder.error("unknown_template_task", task.id, message, "input");
      } else if (!ancestors.get(task.id)?.has(task_id)) {
        const message = `${text} in task "${task.id}" may be read before "${task_id}" has ended: add it to depends_on.`;
        finder.error("template_not_upstream", task.id, message, "input");
      } else fieldFindings(task, other, text, fields, finder);
    }
  }
}

function fieldFindings(task: PlanTask, other: PlanTask, text: string, fields: readonly string[], finder: Finder): void {
  const missing = missingField(outputType(other), fields);
  if (missing !== null) {
    const message = `${text} in task "${task.id}" names no field of "${other.id}", whose signature is ${other.signature}: there is no ${missing}.`;
    finder.error("unknown_template_field", task.id, message, "input");
  }
  if (mayBeSkipped(other)) {
    const message = `"${other.id}" may be left out of the results; then ${text} stays in task "${task.id}" as it is written.`;
    finder.add("warning", "template_may_be_missing", task.id, message, "input");
  }
}

const mayBeSkipped = ({ on_failure, on_verification_failure, critical, verification }: PlanTask): boolean =>
  on_failure === "skip" ||
  (!critical && on_failure !== "replan") ||
  (verification !== null && on_verification_failure === "skip");

/** The result type of a task, if its signature has one. */
export function outputType({ signature }: PlanTask): Type | null {
  if (signature === null) return null;
  try {
    return parseSignature(signature).output;
  } catch (error) {
    if (error instanceof SignatureError) return null; // named elsewhere
    throw error;
  }
}

/** The first field on the path that a value of the type cannot have; null if all may exist. */
export function missingField(type: Type | null, fields: readonly string[]): string | null {
  let at = type;
  for (const [i, field] of fields.entries()) {
    if (at === null || (at.kind === "primitive" && (at.name === "map" || at.name === "any"))) return null;
    const path = fields.slice(0, i + 1).join(".");
    if (at.kind !== "record") return path;
    const found: Type | undefined = at.fields.find(({ name }) => wireName(name) === field || name === field)?.type;
    if (found === undefined) return path;
    at = found;
  }
  return null;
}
