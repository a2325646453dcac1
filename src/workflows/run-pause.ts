import { ApplicationFailure } from "@temporalio/common";
import {
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import { type ContinuedPause, PAUSED_MEMO, type Paused } from "../core/base/input/pause";
import { readPauseRequest } from "../core/base/input/read-pause-request";
import { valueOrReject } from "./failures";
import * as messages from "./messages";
import { statusAttributes } from "./search-attributes";

const NEVER = () => false;

/**
 * A run below that does not exist yet, or no longer, is notified again after this time (ms), and after twice the time
 * each further try.
 */
const NOTIFY_AGAIN_MS = 100;
/** Within a few seconds a child has begun, or it never will. */
const TRIES = 7;

/**
 * The pause of a mission or a plan (engine reference, section 15). The code that begins something reads `isOn` first,
 * without waiting, so the history of a run that nobody pauses stays the same. A run can be paused by its own pause, and
 * by the pause of the run above it.
 */
export class RunPause {
  private own: Paused | undefined;
  private above: Paused | undefined;
  private began = 0;
  private ended_ms = 0;
  /** Runs below this one that have not ended, and whether this run is notifying them. */
  private readonly below = new Map<string, { isReporting: boolean }>();
  private status: () => string = () => "RUNNING";
  private changed: () => void = () => {};
  /** Something was paused once, so NavigatorStatus is set. */
  shown: boolean;

  /** @param below agents that an earlier run of this workflow has started */
  constructor({ own, above }: ContinuedPause = {}, below: readonly string[] = []) {
    this.own = own;
    this.above = above;
    this.shown = this.isOn;
    if (this.isOn) this.began = Date.now();
    for (const id of below) this.below.set(id, { isReporting: false });
  }

  get on(): Paused | undefined {
    return this.own ?? this.above;
  }

  get isOn(): boolean {
    return this.on !== undefined;
  }

  /** How long the run was paused so far, in milliseconds: its time limits do not run during a pause. */
  total_ms(): number {
    return this.ended_ms + (this.isOn ? Date.now() - this.began : 0);
  }

  /** Waits until the run continues, or until `unless` is true. Call it only for a paused run: see `isOn`. */
  over(unless: () => boolean = NEVER): Promise<void> {
    return condition(() => !this.isOn || unless());
  }

  /** Returns the status that people see: `status`, unless the run is paused. */
  shownAs(status: string): string {
    return this.isOn ? "PAUSED" : status;
  }

  /** For the run that continues as new. */
  continueState(): { pause?: ContinuedPause } {
    if (!this.isOn) return {};
    const { own, above } = this;
    return { pause: { ...(own && { own }), ...(above && { above }) } };
  }

  /** The memo that the next run begins with. */
  memo(): { [field: string]: unknown } {
    return this.on === undefined ? {} : { [PAUSED_MEMO]: this.on };
  }

  /** @param status of the run, as it would be without a pause @param changed the pause begins or ends */
  follow(status: () => string, changed: () => void): void {
    this.status = status;
    this.changed = changed;
  }

  listen(): void {
    setHandler(
      messages.pauseRun,
      (given) => {
        this.change(() => {
          this.own ??= { ...valueOrReject(readPauseRequest(given)), at: Date.now() };
        });
        return { paused: this.on ?? null };
      },
      { validator: (raw) => void valueOrReject(readPauseRequest(raw)) },
    );
    setHandler(
      messages.resumeRun,
      () => {
        this.change(() => {
          this.own = undefined;
          this.above = undefined;
        });
        return { paused: null };
      },
      {
        validator: (raw) => {
          valueOrReject(readPauseRequest(raw));
          if (!this.isOn)
            throw ApplicationFailure.nonRetryable(`"${workflowInfo().workflowId}" is not paused.`, "not_paused");
        },
      },
    );
  }

  /** Applies the pause of the run above, or its end (undefined). */
  followAbove(paused: Paused | undefined): void {
    this.change(() => {
      this.above = paused;
    });
  }

  /** Registers a run below: from now on it receives each pause. */
  begins(workflowId: string): void {
    if (!this.below.has(workflowId)) this.below.set(workflowId, { isReporting: false });
  }

  ended(workflowId: string): void {
    this.below.delete(workflowId);
  }

  /** Whether this run is notifying a run below: it must not continue as new before that is done. */
  get isReporting(): boolean {
    return [...this.below.values()].some(({ isReporting }) => isReporting);
  }

  private change(change: () => void): void {
    const before = this.on;
    change();
    const now = this.on;
    if (now === before) return;
    if (before === undefined) this.began = Date.now();
    if (now === undefined) this.ended_ms += Date.now() - this.began;
    this.shown = true;
    upsertSearchAttributes(statusAttributes(this.shownAs(this.status())));
    upsertMemo({ [PAUSED_MEMO]: now ?? null });
    this.changed();
    for (const id of this.below.keys()) void this.notify(id);
  }

  /**
   * Sends the current pause to a run below until it has received it. A run that has ended, or never begins, is given
   * up.
   */
  private async notify(workflowId: string): Promise<void> {
    const one = this.below.get(workflowId);
    if (one === undefined || one.isReporting) return;
    one.isReporting = true;
    try {
      for (let tries = 1; tries <= TRIES && this.below.has(workflowId); ) {
        const given = this.on;
        if (await sent(workflowId, given)) {
          if (given === this.on) return;
          continue;
        }
        await sleep(NOTIFY_AGAIN_MS * 2 ** (tries - 1));
        tries += 1;
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    } finally {
      one.isReporting = false;
    }
  }
}

/** Whether the run existed and received the signal. */
async function sent(workflowId: string, paused: Paused | undefined): Promise<boolean> {
  const run = getExternalWorkflowHandle(workflowId);
  try {
    await (paused === undefined ? run.signal(messages.resumeSignal) : run.signal(messages.pauseSignal, paused));
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
