import { defined } from "../../base/defined";
import { type Failure, reasonOf, receivedFailure } from "../../base/failure";
import { type EndState, endResultOf, endStateOf, type HistoryEvent, rootFailure } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { taskFailure } from "../../graph/task/task-failure";
import type { Task } from "../../graph/task/task-schema";
import { type CallBehindFailure, callBehindFailure, callBehindText } from "./failed-call";

/** How a workflow ended, as its last event says it. Why it failed is in `fail`. */
export interface WorkflowEnd {
  state: EndState;
  fail?: Failure;
  /** What `fail` does not name, although it probably came of it. */
  failed_call?: CallBehindFailure;
}

/** The end that an event is; null for every other event. One that continued as new has not ended. */
export function workflowEnd(event: HistoryEvent): WorkflowEnd | null {
  const state = endStateOf(event.type);
  if (state === undefined) return null;
  // The workflow of a task that was cancelled completes, with a failed result.
  const result = endResultOf(event);
  const fail = failOf(result) ?? failureOf(event);
  if (fail === null) return { state };
  return {
    state: state === "completed" ? "failed" : state,
    fail,
    ...defined({ failed_call: callBehindFailure(result) }),
  };
}

/** How the workflow of these events ended; null: it goes on, or there are none. */
export function historyEnd(events: readonly HistoryEvent[]): WorkflowEnd | null {
  const last = events.at(-1);
  return last === undefined ? null : workflowEnd(last);
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
function failureOf(event: HistoryEvent): Failure | null {
  const { reason } = event.attributes;
  if (typeof reason === "string" && reason !== "") return receivedFailure(reasonOf("terminated"), reason);
  const failure = rootFailure(event);
  if (failure === undefined) return null;
  const info = isObject(failure.applicationFailureInfo) ? failure.applicationFailureInfo : {};
  const type = typeof info.type === "string" && info.type !== "" ? info.type : "failed";
  return receivedFailure(reasonOf(type), typeof failure.message === "string" ? failure.message : "");
}

/** Why something failed, as people read it: `no_stock: None is left.` */
export const failureText = ({ reason, message }: Pick<Failure, "reason" | "message">): string =>
  joinLines(`${reason}: ${message}`);

/** The end as one line: `failed: max_turns_exceeded: No turn is left.` */
export function workflowEndText({ state, fail, failed_call }: WorkflowEnd): string {
  const said = state.replace("_", " ");
  if (fail === undefined) return said;
  if (state === "terminated") return `${said}: ${joinLines(fail.message)}`;
  return `${said}: ${failureText(fail)}${callBehindText(failed_call)}`;
}
