import { defined } from "../../core/base/defined";
import { type Failure, failed } from "../../core/base/failure";
import type { MadeCall } from "../../core/calls/run-calls";

/**
 * An activity has returned something else than what its heartbeat kept and the run applied early (engine reference, section 16).
 * Somebody has written one of the two for it, and nobody knows which calls were made: the run stops, and so do its calls.
 */
export class Contradiction {
  /** The calls that differ, as they were reported and as they were returned. */
  readonly found: Promise<readonly MadeCall[]>;
  private resolve: (calls: readonly MadeCall[]) => void = () => {};

  constructor() {
    this.found = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Stops the run. Never resolves: the work that waits for it ends with the run. */
  stop(calls: readonly MadeCall[]): Promise<never> {
    this.resolve(calls);
    return new Promise(() => {});
  }
}

/** With which failure the run ends. */
export function contradictionFailure(calls: readonly MadeCall[]): Failure {
  const named = calls.map(({ input }) => defined({ key: input?.idempotency_key, tool: input?.name }));
  const tools = [...new Set(named.flatMap(({ tool }) => tool ?? []))].join(", ") || "none that is named";
  return failed(
    "activity_contradicted",
    `An activity of this run returned something else than it had reported. Nobody knows the outcome of its calls (tools: ${tools}).`,
    { calls: named },
  ).fail;
}
