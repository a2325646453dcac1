import type { TimelineEntry } from "./timeline";

const LASTING: readonly TimelineEntry["kind"][] = ["model", "tool", "child", "wait"];

/** Started, and neither answered nor given up yet. */
export const isOpen = ({ kind, duration_ms, outcome }: TimelineEntry): boolean =>
  LASTING.includes(kind) && duration_ms === undefined && outcome === undefined;

/** How a workflow ended for good; undefined for one that runs, or that continued as new last. */
export function endIn(timeline: readonly TimelineEntry[]): TimelineEntry | undefined {
  const last = timeline.findLast(({ kind }) => kind === "end");
  return last?.text === "continued as new" ? undefined : last;
}
