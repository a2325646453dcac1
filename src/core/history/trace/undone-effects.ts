import { defined } from "../../base/defined";
import { decodePayloads, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { readHistory } from "../read/history";
import type { MissionHistories } from "./read-mission";

/** When an effect was undone and who asked for it, as far as the histories tell. */
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
  const events = readHistory(history);
  const asked = askedBy(events[0]);
  const calls = new Map<string, JsonObject>();
  const undone: [string, EffectUndone][] = [];
  for (const { id, type, attributes, at } of events) {
    if (type === "ActivityTaskScheduled") {
      if (nameOf(attributes.activityType) !== "undoEffect") continue;
      const input = decodePayloads(attributes.input);
      if (isObject(input) && typeof input.call_key === "string") calls.set(String(id), input);
    } else if (type === "ActivityTaskCompleted") {
      const call = calls.get(String(attributes.scheduledEventId));
      const result = decodePayloads(attributes.result);
      if (call === undefined || !isObject(result) || result.ok !== true) continue;
      const because = typeof call.because === "string" ? { because: call.because } : {};
      undone.push([String(call.call_key), { at, ...asked, ...because }]);
    }
  }
  return undone;
}

/** Who asks for what a history undoes: the undo and its sender. A run of a mission says it with each call. */
function askedBy(started: HistoryEvent | undefined): Pick<EffectUndone, "undo" | "by"> {
  const { workflowType, workflowId, input } = started?.attributes ?? {};
  if (nameOf(workflowType) !== "undoRun") return {};
  const given = decodePayloads(input);
  return defined({
    undo: typeof workflowId === "string" ? workflowId : undefined,
    by: isObject(given) && typeof given.by === "string" ? given.by : undefined,
  });
}

const nameOf = (named: unknown): unknown => (isObject(named) ? named.name : undefined);
