import type { TimelineEntry } from "../../../../src/core/history/read/timeline";
import { endIn, isOpen } from "../../../../src/core/history/read/timeline-entry";

/** What a period was used for. */
export type TimeUse = "model" | "tools" | "agents" | "waiting" | "engine";

export const TIME_USES: readonly TimeUse[] = ["model", "tools", "agents", "waiting", "engine"];

/** One line of the waterfall. Times in ms since 1970. */
export interface Bar {
  use: TimeUse;
  text: string;
  from: number;
  /** Absent: it is not over. */
  until?: number;
  outcome?: TimelineEntry["outcome"];
  attempts?: number;
}

/** The timeline of a run as periods. */
export interface Waterfall {
  from: number;
  until: number;
  /** In the order in which they began. */
  bars: Bar[];
  /** How long each use took, in ms: time that two share counts for the one that stands first in `TIME_USES`. */
  totals: { readonly [use in TimeUse]: number };
}

const USE_OF: { readonly [kind in TimelineEntry["kind"]]?: TimeUse } = {
  model: "model",
  tool: "tools",
  child: "agents",
  wait: "waiting",
};

/** A gap that is shorter belongs to the engine, in ms. */
const SHORTEST_WAIT_MS = 1_000;

/**
 * @param now the end of what is not over, ms since 1970
 * @param isWaiting the run waits for a person now
 */
export function waterfallOf(timeline: readonly TimelineEntry[], now: number, isWaiting: boolean): Waterfall {
  const from = timeline[0]?.at ?? now;
  const end = endIn(timeline);
  const until = Math.max(end?.at ?? now, from + 1);
  const bars = timeline.flatMap((entry): Bar[] => {
    const use = USE_OF[entry.kind];
    if (use === undefined) return [];
    const { at, text, duration_ms, outcome, attempts } = entry;
    return [
      {
        use,
        text,
        from: at,
        ...(isOpen(entry) && end === undefined ? {} : { until: at + (duration_ms ?? 0) }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(attempts === undefined ? {} : { attempts }),
      },
    ];
  });
  const waits = gaps(bars, from, until).filter((gap) => isWait(gap, timeline, until, end === undefined && isWaiting));
  const all = [...bars, ...waits].sort((a, b) => a.from - b.from);
  return { from, until, bars: all, totals: totalsOf(all, from, until) };
}

/** Nothing was under way, and a message or the present ends it: it waited for somebody. */
function isWait(gap: Bar, timeline: readonly TimelineEntry[], until: number, isWaiting: boolean): boolean {
  const ends = gap.until ?? until;
  if (ends - gap.from < SHORTEST_WAIT_MS) return false;
  if (ends === until) return isWaiting;
  return timeline.some(({ kind, at }) => (kind === "update" || kind === "signal") && at > gap.from && at <= ends);
}

/** The periods in which nothing was under way. */
function gaps(bars: readonly Bar[], from: number, until: number): Bar[] {
  const found: Bar[] = [];
  let at = from;
  for (const bar of [...bars].sort((a, b) => a.from - b.from)) {
    if (bar.from > at) found.push({ use: "waiting", text: "waiting for people", from: at, until: bar.from });
    at = Math.max(at, bar.until ?? until);
  }
  if (until > at) found.push({ use: "waiting", text: "waiting for people", from: at, until });
  return found;
}

function totalsOf(bars: readonly Bar[], from: number, until: number): Waterfall["totals"] {
  const within = (at: number) => Math.min(Math.max(at, from), until);
  const edges = bars.flatMap(({ use, ...bar }) => [
    { at: within(bar.from), use, by: 1 },
    { at: within(Math.max(bar.from, bar.until ?? until)), use, by: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at);
  const totals = { model: 0, tools: 0, agents: 0, waiting: 0, engine: 0 };
  const open = { ...totals };
  let at = from;
  const passTo = (next: number) => {
    totals[TIME_USES.find((use) => open[use] > 0) ?? "engine"] += next - at;
    at = next;
  };
  for (const edge of edges) {
    passTo(edge.at);
    open[edge.use] += edge.by;
  }
  passTo(until);
  return totals;
}
