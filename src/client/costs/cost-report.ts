import { addedCounts, addedUsage, NO_USAGE, type UsageCounts } from "../../core/agent/budget/mission-usage";
import type { MissionKind } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { UsedMission } from "./cost-book";

/** How the rows of costs are grouped. */
export const COST_GROUPS = ["day", "agent", "model", "mission"] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** What belongs together: a day, an agent, a model or a mission, and what it used. */
export interface CostRow extends UsageCounts {
  /** `2026-11-25`, the name of an agent or a graph, a model, a workflow id; "" = not known. */
  key: string;
  /** By agent and by mission. */
  kind?: MissionKind;
  missions: number;
  /** By mission: ms since 1970. */
  started_at?: number;
  /** By mission: it runs, so this is what it used so far. */
  is_running?: true;
}

/** Costs of missions, the rows by day in their order, others the dearest first. */
export interface CostReport {
  rows: CostRow[];
  /** Rows that are left out. */
  more_rows: number;
  total: UsageCounts & { missions: number };
  /** Missions that do not report their usage: they count in no row. */
  unknown: number;
  /** Missions that still run: they reported their usage when they waited last. */
  running: number;
}

const MAX_ROWS = 200;
const NOTHING: UsageCounts = { turns: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: 0 };

/**
 * @param zone in which days begin: `Europe/Rome`
 * @throws NavigatorError `invalid_input` for a zone that does not exist
 */
export function costReport(missions: readonly UsedMission[], by: CostGroup, zone: string): CostReport {
  const rows = new Map<string, CostRow>();
  const add = (id: string, row: Omit<CostRow, keyof UsageCounts>, counts: UsageCounts) => {
    const before = rows.get(id);
    if (before === undefined) rows.set(id, { ...row, ...addedCounts(NOTHING, counts) });
    else rows.set(id, { ...before, ...addedCounts(before, counts), missions: before.missions + row.missions });
  };
  const dayOf = by === "day" ? daysIn(zone) : () => "";
  let total = NO_USAGE;
  let [reported, unknown] = [0, 0];
  for (const mission of missions) {
    const { usage, kind, name, workflow_id, started_at, is_running } = mission;
    if (usage === null) {
      unknown += 1;
      continue;
    }
    reported += 1;
    total = addedUsage(total, usage);
    const day = by === "day" ? dayOf(started_at) : "";
    if (by === "day") add(day, { key: day, missions: 1 }, usage);
    else if (by === "agent") add(`${kind} ${name ?? ""}`, { key: name ?? "", kind, missions: 1 }, usage);
    else if (by === "mission")
      add(
        mission.run_id,
        { key: workflow_id, kind, missions: 1, started_at, ...(is_running ? { is_running: true } : {}) },
        usage,
      );
    else for (const [model, counts] of byModel(mission)) add(model, { key: model, missions: 1 }, counts);
  }
  const sorted = [...rows.values()].sort(by === "day" ? (a, b) => (a.key < b.key ? -1 : 1) : dearestFirst);
  // The last days count, not the first.
  const shown = by === "day" ? sorted.slice(-MAX_ROWS) : sorted.slice(0, MAX_ROWS);
  const { models: _, ...sum } = total;
  return {
    rows: shown,
    more_rows: sorted.length - shown.length,
    total: { ...sum, missions: reported },
    unknown,
    running: missions.filter(({ is_running }) => is_running).length,
  };
}

const tokensOf = ({ input_tokens, output_tokens }: UsageCounts): number => input_tokens + output_tokens;
const dearestFirst = (a: CostRow, b: CostRow): number =>
  b.cost - a.cost || tokensOf(b) - tokensOf(a) || (a.key < b.key ? -1 : 1);

/** Each model, and "" for the answers without a model name. */
function byModel({ usage }: UsedMission): [model: string, counts: UsageCounts][] {
  if (usage === null) return [];
  const named = Object.entries(usage.models);
  const known = named.map(([, counts]) => counts).reduce(addedCounts, NOTHING);
  const rest: UsageCounts = {
    turns: Math.max(0, usage.turns - known.turns),
    input_tokens: Math.max(0, usage.input_tokens - known.input_tokens),
    output_tokens: Math.max(0, usage.output_tokens - known.output_tokens),
    cached_tokens: Math.max(0, usage.cached_tokens - known.cached_tokens),
    cost: Math.max(0, usage.cost - known.cost),
  };
  return rest.turns + tokensOf(rest) > 0 ? [...named, ["", rest]] : named;
}

/** @throws NavigatorError `invalid_input` */
function daysIn(zone: string): (ms: number) => string {
  try {
    // The only common locale whose dates are those of ISO 8601.
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    return (ms) => format.format(ms);
  } catch {
    throw new NavigatorError("invalid_input", `There is no time zone ${JSON.stringify(zone)}.`, {
      hint: "Zones have names like Europe/Rome or UTC.",
      details: { path: "timezone" },
    });
  }
}
