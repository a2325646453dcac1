import { CancellationScope, isCancellation } from "@temporalio/workflow";
import type { Standstill } from "../../core/agent/sequence/call-sequence";
import type { Result } from "../../core/base/failure";
import { dueOf, GIVEN_UP, type ToolCall } from "../../core/calls/host";
import type { BlockedCalls, ServedCall } from "../blocked-calls";
import type { RunPause } from "../run-pause";

/** A call that waits for a worker that has what it needs. */
interface GatedCall<T> {
  /**
   * @param again a worker without the tool or model was asked before
   * @param due when this attempt is late, ms since 1970
   */
  call(again: boolean, due: number | undefined): Promise<Result<T>>;
  untilServed: ServedCall<Result<T>>["untilServed"];
}

/**
 * Decides for each call of a run whether it may begin, and when it is late. During a pause, and while a worker is
 * missing, no call begins and no time limit runs.
 */
export class Gate {
  constructor(
    private readonly pause: RunPause,
    private readonly blocked: BlockedCalls,
  ) {}

  /** No call may begin. */
  get isClosed(): boolean {
    return this.pause.isOn;
  }

  /** Resolves when a call may begin; undefined: now. The promise rejects with the run's cancellation, so it must be awaited. */
  closed(): Promise<void> | undefined {
    return this.isClosed ? this.pause.over() : undefined;
  }

  /** The time during which no time limit of the run ran, so far. */
  standstill(): Standstill {
    const paused_ms = this.pause.total_ms();
    return { blocked_ms: this.blocked.total_ms() + paused_ms, paused_ms };
  }

  /** Waits until a call may begin. @returns its time limit, moved by the wait */
  async opened(due: number | undefined): Promise<number | undefined> {
    const before = this.pause.total_ms();
    const closed = this.closed();
    if (closed !== undefined) await closed;
    return due === undefined ? undefined : due + this.pause.total_ms() - before;
  }

  /** Makes a call before it is late, as soon as a worker has what it needs. */
  served<T>(deadline_ms: number | undefined, { call, untilServed }: GatedCall<T>): Promise<Result<T>> {
    const before = this.standstill().blocked_ms;
    const made = (again: boolean) => {
      const due = deadline_ms === undefined ? undefined : deadline_ms + this.standstill().blocked_ms - before;
      return beforeDue(due, () => call(again, due));
    };
    return this.blocked.served({
      call: async (again) => {
        const closed = again ? this.closed() : undefined;
        if (closed !== undefined) await closed;
        return made(again);
      },
      untilServed,
    });
  }

  /** When a call of a tool is late, ms since 1970; undefined: never. */
  due(call: Pick<ToolCall, "deadline_ms" | "paused_ms">): number | undefined {
    return dueOf({ pausedMs: () => this.pause.total_ms() }, call);
  }
}

/**
 * Does work before a time, ms since 1970 (agent reference, section 18.4). Work that is late is cancelled: a running tool may have had
 * its effect.
 */
export async function beforeDue<T>(due: number | undefined, work: () => Promise<Result<T>>): Promise<Result<T>> {
  if (due === undefined) return work();
  const left = due - Date.now();
  if (left <= 0) return GIVEN_UP;
  const scope = new CancellationScope({ cancellable: true, timeout: left });
  try {
    return await scope.run(work);
  } catch (error) {
    // A cancellation from elsewhere is passed on.
    if (isCancellation(error) && Date.now() >= due) return GIVEN_UP;
    throw error;
  }
}
