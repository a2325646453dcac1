import { defined } from "../../base/defined";
import { type Failure, reasonOf, receivedFailure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { taskFailure } from "../../graph/task/task-failure";
import type { Task } from "../../graph/task/task-schema";
import type { EndState, FactOf, HistoryFact } from "./facts";
import { type FailedCall, failedCallOf, failedCallText } from "./failed-call";

/** How a workflow ended, as its last fact shows it. Why it failed is in `fail`. */
export interface WorkflowEnd {
  state: EndState;
  fail?: Failure;
  /** What `fail` does not name, although it probably came of it. */
  failed_call?: FailedCall;
}

/** How a workflow ended, with its failure. */
export function workflowEnd(fact: FactOf<"ended">): WorkflowEnd {
  const { state, result } = fact;
  // The workflow of a task that was cancelled completes, with a failed result.
  const fail = failOf(result) ?? failureOf(fact);
  if (fail === null) return { state };
  return {
    state: state === "completed" ? "failed" : state,
    fail,
    ...defined({ failed_call: failedCallOf(result) }),
  };
}

/** How the workflow of these facts ended; null: it runs, it continued as new, or there are none. */
export function historyEnd(facts: readonly HistoryFact[]): WorkflowEnd | null {
  const last = facts.at(-1);
  return last?.kind === "ended" ? workflowEnd(last) : null;
}

/** The failure in a result: a run's is a Step, a plan's a result with a reason, a task's the task as it ended. */
export function failOf(result: Json | undefined): Failure | null {
  if (!isObject(result)) return null;
  if (typeof result.workflowType === "string" && Array.isArray(result.history))
    return taskFailure(result as unknown as Task);
  const fail = result.status === "error" ? result.reason : result.fail;
  return isObject(fail) && typeof fail.reason === "string" && typeof fail.message === "string"
    ? (fail as unknown as Failure)
    : null;
}

/** The failure of a workflow that gave nothing else. A terminated one has the reason that its ender gave. */
function failureOf({ reason, failure }: FactOf<"ended">): Failure | null {
  if (reason !== "") return receivedFailure(reasonOf("terminated"), reason);
  return failure === undefined ? null : receivedFailure(reasonOf(failure.type || "failed"), failure.message ?? "");
}

/** Why something failed, as people read it: `no_stock: None is left.` */
export const failureText = ({ reason, message }: Pick<Failure, "reason" | "message">): string =>
  joinLines(`${reason}: ${message}`);

/** The end as one line: `failed: max_turns_exceeded: No turn is left.` */
export function workflowEndText({ state, fail, failed_call }: WorkflowEnd): string {
  const ended = state.replace("_", " ");
  if (fail === undefined) return ended;
  if (state === "terminated") return `${ended}: ${joinLines(fail.message)}`;
  return `${ended}: ${failureText(fail)}${failedCallText(failed_call)}`;
}
