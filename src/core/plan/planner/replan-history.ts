import type { Json } from "../../base/json";
import { shortened } from "../../base/whole-characters";
import { plainText } from "../definition/plain-text";
import type { ReplanContext, ReplanRecord } from "../run/result";

/** The record of a failed plan that a later repair receives (plan reference, section 5.1). */
export function historyRecord(
  context: ReplanContext,
  attempt: number,
  timestamp: number,
  new_task_count: number,
): ReplanRecord {
  const { name, tools } = context.agent_spec;
  const approach = tools.length === 0 ? `Agent: ${name}` : `Agent: ${name} / Tools: ${tools.join(", ")}`;
  return {
    attempt,
    task_id: context.task_id,
    timestamp,
    input: short(context.task_input, 300),
    approach: short(approach, 400),
    output: short(context.task_output, 500),
    diagnosis: short(context.diagnosis, 300),
    new_task_count,
  };
}

/** Shortens the text of a value to a number of characters. */
export const short = (value: Json, chars: number): string =>
  value === null ? "(nil)" : shortened(plainText(value), chars);
