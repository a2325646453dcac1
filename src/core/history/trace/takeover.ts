import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { placeOfScope, scopePart } from "../../effects/effect-key";
import type { EffectEntry, LedgerEntry } from "../../effects/entry";
import type { GivenLedger } from "../../effects/given-ledger";
import { packLedger } from "../../effects/packed-ledger";
import { withoutTasks } from "../../effects/undo/undo-scopes";
import { isPacked, type JournalRecord, type PackedRecord, packed, unpacked } from "../../journal/record";
import { GIVEN, TASK } from "../../journal/view";
import type { Plan } from "../../plan/definition/plan";
import { placeOfRun } from "../../plan/run/host";
import type { TakenPlan } from "../../plan/run/taken-plan";
import { endedIn, startedIn } from "../read/history";
import { projectJournal } from "../read/project";
import { activitiesUnderWay } from "./mission-effects";
import type { MissionHistories } from "./read-mission";
import { missionLedger } from "./undo-of-mission";

/**
 * What a retry takes over from a mission that ended (effects reference, section 11), read from its histories. Nothing
 * is done twice: a record stands for its task, a result for its task of a plan, and an effect for its call.
 */

/** The effects of the mission that ended, as the ledger of the one that tries it again. */
export interface TakenEffects {
  effects: LedgerEntry[];
  given: GivenLedger;
}

/**
 * The ledger of a retry: what was done, or may have been done, is met again by the same calls, with the same keys.
 *
 * @param retry the workflow id of the retry
 * @param kept the tasks of a plan whose results are taken over: an equal call of another task is a new effect
 */
export function takenEffects(mission: MissionHistories, retry: string, kept: readonly string[] = []): TakenEffects {
  const places = new Set(kept.map(placeOfTask));
  const isKept = ({ lane: scope }: EffectEntry) => places.has(placeOfScope(scope));
  const effects = missionLedger(mission).map(({ undone: _, ...entry }): LedgerEntry => {
    const taken_from = entry.taken_from ?? mission.workflow_id;
    // Compared: an agent that works for the retry sees it, however much was done since.
    return { ...entry, taken_from, compared: true, settled: entry.state === "undone" || isKept(entry) };
  });
  const first = firstMission(mission);
  return {
    effects,
    given: {
      ...{ mission: first, lane: "", owned: true, reads: retry, effects: packLedger(first, effects) },
      ...(activitiesUnderWay(mission).length === 0 ? {} : { doubted: true }),
    },
  };
}

/** The place of a plan's task, as scopes spell it. */
const placeOfTask = (task_id: string): string => scopePart(placeOfRun({ kind: "task", task_id }));

/** The mission that the keys of the effects name: that of the first try. */
export function firstMission({ workflow_id, runs }: MissionHistories): string {
  const { effects } = inputOf(runs[0]);
  return isObject(effects) && effects.owned === true && typeof effects.mission === "string"
    ? effects.mission
    : workflow_id;
}

/** The workflow id of the mission that this one has taken over; undefined: it began anew. */
export function takenOverMission({ runs }: MissionHistories): string | undefined {
  const { effects, retry } = inputOf(runs[0]);
  const hasTaken = isObject(effects) && effects.owned === true;
  return hasTaken && isObject(retry) && typeof retry.of === "string" ? retry.of : undefined;
}

/** The journal of a run that ended. */
export interface TakenRecords {
  records: JournalRecord[];
  /** Records whose values are nowhere any more: their tasks run again, and meet their effects. */
  left_out: string[];
}

/**
 * The journal that a retry begins with. Without an answer of a worker it comes from the history: then nobody compares
 * the calls of a recorded task, and a long value is known only if the run gave it at its end, or continued as new with
 * it.
 *
 * @param reported the answer of the run itself; undefined = no worker could be asked
 */
export function takenRecords(mission: MissionHistories, reported: readonly PackedRecord[] | undefined): TakenRecords {
  const { records, left_out } =
    reported === undefined ? recordsInHistory(mission) : { records: reported.map(unpacked), left_out: [] };
  const undone = missionLedger(mission).filter(({ state }) => state === "undone");
  // From here it is not known which task had called an agent whose effect was taken back.
  const isOpen = ({ id, by }: JournalRecord) =>
    undone.some(({ lane: scope, task }) => (scope === "" ? task === id : by === TASK || by === GIVEN));
  return {
    records: records.filter((record) => !isOpen(record) && !isOfTimer(record)),
    left_out,
  };
}

/** A missed deadline counts only for the mission that ended. */
const isOfTimer = ({ id, by }: JournalRecord): boolean => by === "timer" && id.startsWith("wait_timeout_");

function recordsInHistory({ runs }: MissionHistories): TakenRecords {
  const last = runs.at(-1) ?? [];
  const { carried: continued, retry } = inputOf(last);
  const before = recordsIn(continued) ?? recordsIn(retry) ?? [];
  const known = new Map(before.map((record) => [record.id, record]));
  const step = endedIn(last)?.result;
  const whole = isObject(step) && isObject(step.journal) ? step.journal : {};
  const records: JournalRecord[] = [];
  const left_out: string[] = [];
  for (const { id, value, at, by, note } of projectJournal(last).rows) {
    const same = known.get(id);
    const found = value ?? whole[id];
    if (same?.at === at) records.push(same);
    else if (found === undefined) left_out.push(id);
    else records.push({ id, value: found, at, by: by === TASK ? GIVEN : by, ...(note === undefined ? {} : { note }) });
  }
  return { records, left_out };
}

const recordsIn = (holder: Json | undefined): JournalRecord[] | undefined =>
  isObject(holder) && Array.isArray(holder.records)
    ? (holder.records as unknown[]).filter(isPacked).map(unpacked)
    : undefined;

/** Records in the form in which a retry is given them. */
export const packedRecords = (records: readonly JournalRecord[]): PackedRecord[] => records.map(packed);

/**
 * The results of a plan, as its end or its last run shows them.
 *
 * @param reported the results that the plan itself reports; undefined = no worker could be asked
 */
export function takenPlan(mission: MissionHistories, reported: JsonObject | undefined): TakenPlan {
  const last = mission.runs.at(-1) ?? [];
  const end = endedIn(last);
  const result = end?.result ?? end?.details[0];
  const { carried: continued } = inputOf(last);
  const execution = isObject(continued) && isObject(continued.execution) ? continued.execution : {};
  const metadata = isObject(result) && isObject(result.metadata) ? result.metadata : undefined;
  const plan = metadata?.plan ?? execution.plan;
  const found = metadata?.results ?? (isObject(result) ? result.results : undefined) ?? reported ?? execution.completed;
  const journal = metadata?.journal ?? (isObject(result) ? result.journal : undefined);
  const results = isObject(found) ? found : {};
  const undone = new Set(
    missionLedger(mission).flatMap(({ state, lane: scope }) => (state === "undone" ? [placeOfScope(scope)] : [])),
  );
  const isOpen = (task_id: string) => undone.has(placeOfTask(task_id));
  const open = Object.keys(results).filter(isOpen);
  return {
    ...(isObject(plan) ? { plan: plan as unknown as Plan } : {}),
    results: withoutTasks(results, open) as JsonObject,
    ...(isObject(journal) ? { journal: withoutTasks(journal, open) as { [task_id: string]: JsonObject } } : {}),
  };
}

/** The input of the run of a history. */
const inputOf = (history: unknown): JsonObject => startedIn(history)?.input ?? {};
