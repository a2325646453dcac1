import { turnPlace } from "../base/ids";
import type { ToolCall } from "./host";

/**
 * The keys by which tools make their effects exactly-once (engine reference, section 3). The same call has the same key
 * on every attempt, on every worker, after every crash and continue-as-new.
 *
 *   inside a task    `<scope>/<journal id>`, a second call in the same task `<scope>/<journal id>/2`
 *                    with another intent than the one recorded `<scope>/<journal id>~<digest of the call>`
 *   elsewhere        `<scope>/<turn>/<call>`
 *
 * `scope` is the workflow id, or what the parent gave: attempts at one step of a task graph share it, so that an
 * attempt never charges again what an earlier one charged.
 */
export class IdempotencyKeys {
  private readonly callsInTask: Map<string, number>;

  constructor(
    private readonly scope: string,
    /** `(task-reset id)` asks for a new effect under the old name, so the key must change. */
    private readonly resets: Map<string, number> = new Map(),
    callsInTask: [string, number][] = [],
  ) {
    this.callsInTask = new Map(callsInTask);
  }

  of(call: ToolCall, invocation: number): string {
    const turn = turnPlace(call.turn, invocation);
    if (call.task === undefined) return `${this.scope}/${turn}/${call.call}`;
    const reset = this.resets.get(call.task) ?? 0;
    const intent = call.intent === undefined ? "" : `~${call.intent}`;
    const place = `${turn}:${reset}${intent}:${call.task}`;
    const nth = (this.callsInTask.get(place) ?? 0) + 1;
    this.callsInTask.set(place, nth);
    return `${this.scope}/${call.task}${reset ? `#${reset}` : ""}${intent}${nth > 1 ? `/${nth}` : ""}`;
  }

  noteReset(task: string): void {
    this.resets.set(task, (this.resets.get(task) ?? 0) + 1);
  }

  /** For continue-as-new in the middle of a turn: the number of calls in each task that is not recorded yet. */
  inTasks(isRecorded: (task: string) => boolean): [string, number][] {
    return [...this.callsInTask].filter(
      ([place]) => !isRecorded(place.slice(place.indexOf(":", place.indexOf(":") + 1) + 1)),
    );
  }

  /** For continue-as-new. */
  state(): [string, number][] {
    return [...this.resets];
  }
}
