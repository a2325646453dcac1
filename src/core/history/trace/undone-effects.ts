import { defined } from "../../base/defined";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import type { HistoryFact } from "../read/facts";
import { readHistory } from "../read/history";
import type { MissionHistories } from "./read-mission";

/** When an effect was undone and who asked for it, as far as the histories show. */
export interface EffectUndone {
  /** Ms since 1970. */
  at: number;
  /** The workflow id of the undo; absent: the mission itself undid it. */
  undo?: string;
  /** The person who asked for the undo. */
  by?: string;
  /** What of the mission asked for it: a program, or the `on_failure` of a task, node or edge. */
  because?: string;
}

/** The effects of a mission that were undone, by their keys: from the histories of its undos, of its runs and of those below. */
export function undoneEffects(mission: MissionHistories): Map<string, EffectUndone> {
  const found = new Map<string, EffectUndone>();
  const histories = [...(mission.undos ?? []), ...runsOf(mission)];
  for (const [key, undone] of histories.flatMap(undoneIn)) if (!found.has(key)) found.set(key, undone);
  return found;
}

const runsOf = ({ runs, children }: MissionHistories): unknown[] => [...runs, ...children.flatMap(runsOf)];

function undoneIn(history: unknown): [key: string, undone: EffectUndone][] {
  const facts = readHistory(history);
  const asked = askedBy(facts[0]);
  const calls = new Map<number, JsonObject>();
  const undone: [string, EffectUndone][] = [];
  for (const fact of facts) {
    if (fact.kind === "activity_scheduled" && fact.activity === "undoEffect") {
      if (typeof fact.input?.call_key === "string") calls.set(fact.id, fact.input);
    } else if (fact.kind === "activity_ended") {
      const call = calls.get(fact.call);
      if (call === undefined || !isObject(fact.result) || fact.result.ok !== true) continue;
      const because = typeof call.because === "string" ? { because: call.because } : {};
      undone.push([String(call.call_key), { at: fact.at, ...asked, ...because }]);
    }
  }
  return undone;
}

/**
 * The person who asks for the undo of a history: the undo names its sender. A run of a mission names it with each call.
 */
function askedBy(first: HistoryFact | undefined): Pick<EffectUndone, "undo" | "by"> {
  if (first?.kind !== "started" || first.workflow_type !== "undoRun") return {};
  const by = first.input?.by;
  return defined({ undo: first.workflow_id || undefined, by: typeof by === "string" ? by : undefined });
}
