import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { isRecordChange, isReset } from "../../journal/changes";
import { givenJournal, type JournalInput } from "../../journal/given-journal";
import { missionLogText, recordText, renderMissionLogRows } from "../../journal/mission-log";
import { isPacked, type JournalRecord, unpacked } from "../../journal/record";
import { GIVEN, JournalView, type RecordView } from "../../journal/view";
import type { FactOf } from "./facts";
import { readHistory } from "./history";
import { type TimelineEntry, timelineOf } from "./timeline";

/**
 * Journal, Mission Log and timeline of a mission, computed from its exported history alone: no worker, no server. It
 * equals what the workflow's own queries answer at that event.
 */
export interface Projection {
  workflow_type: string;
  workflow_id?: string;
  rows: RecordView[];
  mission_log: string;
  timeline: TimelineEntry[];
}

/**
 * Reads journal, Mission Log and timeline from an exported history.
 *
 * @param history an exported history, whole or cut off after any event
 * @throws HistoryFormatError when it is not a history
 */
export function projectJournal(history: unknown): Projection {
  const facts = readHistory(history);
  const view = new JournalView();
  let workflow_type = "";
  for (const fact of facts) {
    if (fact.kind === "started") {
      workflow_type = fact.workflow_type;
      for (const row of initialRows(fact)) view.store(row);
    }
    for (const change of fact.changes.filter(isRecordChange)) {
      if (isReset(change)) view.remove(change.id);
      else view.store(change);
    }
  }
  const rows = view.rows();
  return { workflow_type, rows, mission_log: renderMissionLogRows(rows), timeline: timelineOf(facts) };
}

/**
 * As `projectJournal`, for a mission that continued as new: the histories of all its runs, oldest first. The last one
 * carries the journal.
 */
export function projectRuns(histories: readonly unknown[]): Projection {
  const last = projectJournal(histories.at(-1) ?? []);
  const earlier = histories.slice(0, -1).flatMap((history) => timelineOf(readHistory(history)));
  return { ...last, timeline: [...earlier, ...last.timeline] };
}

/** The rows that the run started with: from the previous run, or from the caller's journal. */
function initialRows({ input, at }: FactOf<"started">): RecordView[] {
  if (input === undefined) return [];
  if (isObject(input.carried)) {
    const { records } = input.carried;
    if (Array.isArray(records)) return rowsOf((records as unknown[]).filter(isPacked).map(unpacked));
  }
  const { retry } = input;
  if (isObject(retry) && Array.isArray(retry.records))
    return rowsOf((retry.records as unknown[]).filter(isPacked).map(unpacked));
  return givenRows(journalOf(input), at);
}

/** As the run itself finds it: the journal may be inside the context. */
function journalOf(input: JsonObject): Json {
  const { agent, context, journal = null } = input;
  if (!isObject(agent) || !isObject(context)) return journal;
  try {
    return givenJournal({ agent: agent as JournalInput["agent"], context, journal }).journal;
  } catch {
    // Not one of our agents: only an invalid signature throws.
    return journal;
  }
}

/** The rows of the records that a run was given by the one before. */
export function rowsOf(records: readonly JournalRecord[]): RecordView[] {
  const view = new JournalView();
  for (const record of records) view.add(record, recordText(record));
  return view.rows();
}

/** The rows of a journal that a run was started with; `at` is the start of the run. */
export function givenRows(journal: Json, at: number): RecordView[] {
  if (!isObject(journal)) return [];
  const view = new JournalView();
  for (const [id, value] of Object.entries(journal)) view.add({ id, value, at, by: GIVEN }, missionLogText(value));
  return view.rows();
}
