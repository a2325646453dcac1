import { isStep } from "../../core/agent/run/chain";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { endedIn } from "../../core/history/read/history";

/**
 * What an agent's run returned, or the results of a plan by the ids of its steps. undefined: it runs, it failed, or it is a task,
 * which returns nothing.
 *
 * @param runs the histories of a workflow, the oldest first
 */
export function returnedBy(runs: readonly unknown[]): Json | undefined {
  const end = endedIn(runs.at(-1));
  const result = end?.state === "completed" ? end.result : undefined;
  if (isStep(result)) return result.fail === null ? result.return : undefined;
  return isObject(result) ? result.results : undefined;
}
