import { type Definition, nodeOf } from "../definition/schema";
import type { Task, TaskEntry } from "./task-schema";

/**
 * The steps whose work is to be done again after the last move of a task: it failed, or a gate or a person sent it back
 * to a step that it had left before (effects reference, section 4). Every step since then is among them. A loop that an
 * agent goes round on purpose sends nothing back: each round is new work.
 */
export function sentBackSteps(definition: Definition | undefined, { history, currentStep }: Task): string[] {
  const last = history.at(-1);
  if (last === undefined || last.to !== currentStep || !sendsBack(definition, last)) return [];
  const left = history.findLastIndex(({ step }) => step === currentStep);
  return left < 0 ? [] : [...new Set(history.slice(left).map(({ step }) => step))];
}

function sendsBack(definition: Definition | undefined, { step, result, action }: TaskEntry): boolean {
  if (result === "failed" || SENDS_BACK.includes(action)) return true;
  return result !== "passed" && definition !== undefined && nodeOf(definition, step)?.type === "gate";
}

const SENDS_BACK: readonly TaskEntry["action"][] = ["retry", "escalate", "send_to"];
