import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { EffectEntry } from "../../effects/entry";
import { mergeLedgers } from "../../effects/ledger";
import { type UndoPlan, undoPlan } from "../../effects/undo/undo-plan";
import { readHistory } from "../read/history";
import { projectJournal } from "../read/project";
import { projectEffects, projectUndone } from "../read/project-effects";
import { historyEnd } from "../read/workflow-end";
import type { MissionHistories } from "./read-mission";
import { type EffectUndone, undoneEffects } from "./undone-effects";

/**
 * What would be undone of a mission now.
 *
 * @param to only what was done after this record: a task of a journal or of a plan, or a step of a graph
 */
export function missionUndoPlan(mission: MissionHistories, to?: string): Result<UndoPlan> {
  const recorded_at = to === undefined ? undefined : recordedAt(mission, to);
  const times = callTimes(mission);
  // An entry shows when its program began; the histories show when each call was made.
  const entries = missionLedger(mission).map((entry) => ({ ...entry, at: times.get(entry.key) ?? entry.at }));
  return undoPlan(mission.workflow_id, entries, { to, recorded_at });
}

/** When the call of each effect was made last, by its key. Ms since 1970. */
function callTimes({ runs, children }: MissionHistories, times = new Map<string, number>()): Map<string, number> {
  for (const fact of runs.flatMap(readHistory)) {
    if (fact.kind !== "activity_scheduled") continue;
    const { effect, idempotency_key: key } = fact.input ?? {};
    if (isObject(effect) && typeof key === "string") times.set(key, Math.max(fact.at, times.get(key) ?? 0));
  }
  for (const child of children) callTimes(child, times);
  return times;
}

/** An effect of a mission, from its histories. */
export interface MissionEntry extends EffectEntry {
  /** Of an effect that is undone: when, and who asked for it. */
  undone?: EffectUndone;
}

/**
 * The effects of a mission and of all runs below it. What was under way when its run ended is `unknown`, and what an undo
 * has taken back is `undone`.
 */
export function missionLedger(mission: MissionHistories): MissionEntry[] {
  const undone = new Set((mission.undos ?? []).flatMap(projectUndone));
  const undoneBy = undoneEffects(mission);
  return mergeLedgers(ledgersOf(mission)).map((entry) => {
    const { key } = entry;
    if (!undone.has(key) && entry.state !== "undone") return entry;
    return { ...entry, state: "undone" as const, ...defined({ undone: undoneBy.get(key) }) };
  });
}

function ledgersOf({ runs, children }: MissionHistories): EffectEntry[][] {
  const entries = projectEffects(runs.at(-1) ?? []);
  const own = isRunning(runs)
    ? entries
    : entries.map((entry) => (entry.state === "intended" ? { ...entry, state: "unknown" as const } : entry));
  return [own, ...children.flatMap(ledgersOf)];
}

/** The workflow ids of the runs of a mission that continue. */
export function runningRuns({ workflow_id, runs, children }: MissionHistories): string[] {
  return [...(isRunning(runs) ? [workflow_id] : []), ...children.flatMap(runningRuns)];
}

function isRunning(runs: readonly unknown[]): boolean {
  const facts = readHistory(runs.at(-1) ?? []);
  return facts.length > 0 && historyEnd(facts) === null;
}

/** When a record of a journal was made, ms since 1970; undefined = no journal of the mission has it. */
function recordedAt({ runs, children }: MissionHistories, record: string): number | undefined {
  const row = projectJournal(runs.at(-1) ?? []).rows.find(({ id }) => id === record);
  if (row !== undefined) return row.at;
  for (const child of children) {
    const at = recordedAt(child, record);
    if (at !== undefined) return at;
  }
  return undefined;
}
