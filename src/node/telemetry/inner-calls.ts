import { AsyncLocalStorage } from "node:async_hooks";
import type { CallToolInput } from "../../core/calls/activities";

/** A call that an activity makes as one of several. */
export interface InnerCall {
  input: CallToolInput;
  /** Its place among the calls of the activity: 1 for the first. */
  n: number;
  attempt: number;
}

/** Reports each of them as a separate call; "model": the call of the model with which the activity begins. */
type InnerCallObserver = <T>(call: InnerCall | "model", work: () => Promise<T>) => Promise<T>;

const observers = new AsyncLocalStorage<InnerCallObserver>();

/** Runs an activity whose calls are reported, in addition to their other listeners. */
export function withInnerCalls<T>(observer: InnerCallObserver, activity: () => T): T {
  const outer = observers.getStore();
  const both: InnerCallObserver = (call, work) =>
    outer === undefined ? observer(call, work) : outer(call, () => observer(call, work));
  return observers.run(both, activity);
}

/** Makes a call, which is reported where the worker reports calls. */
export function innerCall<T>(call: InnerCall | "model", work: () => Promise<T>): Promise<T> {
  const observer = observers.getStore();
  return observer === undefined ? work() : observer(call, work);
}
