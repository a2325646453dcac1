import type { Payload } from "@temporalio/common";

/** An activity that runs in the main thread. */
export interface RunningActivity {
  id: number;
  token: Uint8Array;
  /** Its heartbeat timeout. */
  timeout_ms: number;
  /** The details of its last heartbeat, encoded; empty: it has sent none. */
  details: Payload[];
}

/** A main thread that does not turn for this time is slow: its heartbeats may come late. */
const SLOW_MS = 250;
/** A main thread that has not turned for this time does not come back: an endless loop must end as a lost worker. */
const LONGEST_BLOCK_MS = 300_000;
/** The thread sends a heartbeat after this share of the heartbeat timeout. */
const SHARE = 1 / 3;

/** Decides which activities need a heartbeat because their main thread may be too late to send one. All times in ms of one clock. */
export class DueHeartbeats {
  private readonly running = new Map<number, RunningActivity & { sent: number }>();
  private beats = -1;
  private turned = 0;
  /** When the main thread was last seen to be slow. */
  private slow = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.running.size === 0;
  }

  begin(activity: RunningActivity, now: number): void {
    // It was sent by the main thread, which turned at that time.
    if (this.isEmpty) this.turned = now;
    this.running.set(activity.id, { ...activity, sent: now });
  }

  replace(id: number, details: Payload[]): void {
    const activity = this.running.get(id);
    if (activity !== undefined) activity.details = details;
  }

  end(id: number): void {
    this.running.delete(id);
  }

  /** The activities whose heartbeat is due. @param beats how often the main thread has turned */
  due(beats: number, now: number): RunningActivity[] {
    if (beats !== this.beats) {
      this.beats = beats;
      this.turned = now;
    }
    const silent = now - this.turned;
    if (silent >= SLOW_MS) this.slow = now;
    if (silent >= LONGEST_BLOCK_MS) return [];
    return [...this.running.values()].filter(
      ({ timeout_ms, sent }) => now - this.slow < timeout_ms && now - sent >= timeout_ms * SHARE,
    );
  }

  sent(activities: readonly Pick<RunningActivity, "id">[], now: number): void {
    for (const { id } of activities) {
      const activity = this.running.get(id);
      if (activity !== undefined) activity.sent = now;
    }
  }
}
