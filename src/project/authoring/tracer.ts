import { randomUUID } from "node:crypto";
import { type MergedTrace, mergeParallel, TraceRecorder, type TracerOptions } from "../../core/history/trace/recorder";

export type { EntryType, MergedTrace, TracerEntry, TracerUsage } from "../../core/history/trace/recorder";

/**
 * A recorder for application code that calls models and tools itself: `new Tracer()`, `addEntry`, `finalize`. What runs
 * as an agent needs none, see `missionTrace`.
 */
export class Tracer extends TraceRecorder {
  /** @param options clock and ids may be handed in, for tests */
  constructor(options: Partial<TracerOptions> = {}) {
    super({ now: Date.now, newId: () => randomUUID().replaceAll("-", ""), ...options });
  }

  /** Merges tracers that worked in parallel into one, in order of time. */
  static mergeParallel(parent: Tracer, children: readonly Tracer[]): MergedTrace {
    return mergeParallel(parent, children);
  }
}
