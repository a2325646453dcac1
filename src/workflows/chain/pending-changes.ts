import { CancellationScope, condition, upsertMemo } from "@temporalio/workflow";
import { jsonBytes } from "../../core/base/bytes";
import type { Json } from "../../core/base/json";
import type { LinkChange } from "../../core/effects/chain/link";
import type { EffectChange } from "../../core/effects/entry";
import { CHANGES, type JournalChanges, type RecordChange } from "../../core/journal/changes";
import { nextRound } from "../sdk/next-round";

/** Bytes of the changes in one argument, result or memo field. More of them are divided. */
const MAX_BYTES = 128 * 1024;

/**
 * How long a change may wait while local reads follow each other, ms of workflow time. The SDK reports a workflow task
 * with local activities to the server after 4 s: the history should contain the earlier changes by then.
 */
const MAX_WAIT_MS = 2_000;

/**
 * Writes the changes of a journal into the history (engine reference, section 3). If an activity follows, its event
 * contains the change; otherwise the change costs a separate event.
 */
export class PendingChanges {
  private waiting: JournalChanges["journal_changes"] = [];
  private bytes = 0;
  private since = 0;
  private localCalls = 0;

  constructor() {
    // A cancelled run must be able to write what it has recorded.
    void CancellationScope.nonCancellable(() => this.writeBeforeWaiting());
  }

  add(change: RecordChange | EffectChange | LinkChange): void {
    const bytes = jsonBytes(change as unknown as Json) + 1;
    if (this.bytes + bytes > MAX_BYTES) this.write();
    if (this.waiting.length === 0) this.since = Date.now();
    this.waiting.push(change);
    this.bytes += bytes;
  }

  /** The last argument of an activity that is scheduled now: the changes that wait; nothing if none does. */
  forCall(): [] | [JournalChanges] {
    // Nothing is scheduled in a cancelled scope.
    if (this.waiting.length === 0 || CancellationScope.current().consideredCancelled) return [];
    return [this.take()];
  }

  /** The pending changes for the result of the run, if there are any. */
  forResult(): Partial<JournalChanges> {
    return this.waiting.length === 0 ? {} : this.take();
  }

  /** Whether a local activity is under way. */
  get isInLocalCall(): boolean {
    return this.localCalls > 0;
  }

  /** Runs a local activity, whose event cannot contain changes: pending changes wait until it is over. */
  async duringLocalCall<T>(call: () => Promise<T>): Promise<T> {
    this.localCalls += 1;
    try {
      return await call();
    } finally {
      this.localCalls -= 1;
    }
  }

  /** Writes the changes that wait to the memo, together with these memo fields. */
  write(fields: { [key: string]: unknown } = {}): void {
    const changes = this.waiting.length === 0 ? {} : this.take();
    if (Object.keys(changes).length + Object.keys(fields).length > 0) upsertMemo({ ...changes, ...fields });
  }

  private take(): JournalChanges {
    const changes = this.waiting;
    this.waiting = [];
    this.bytes = 0;
    return { [CHANGES]: changes };
  }

  /** The run is about to wait for something, and no activity has taken the changes: the history must have them now. */
  private async writeBeforeWaiting(): Promise<void> {
    for (;;) {
      await condition(() => this.mustWrite());
      // What else the same messages set going may schedule an activity first.
      await nextRound();
      await nextRound();
      if (this.mustWrite()) this.write();
    }
  }

  private mustWrite(): boolean {
    if (this.waiting.length === 0) return false;
    return this.localCalls === 0 || Date.now() - this.since > MAX_WAIT_MS;
  }
}
