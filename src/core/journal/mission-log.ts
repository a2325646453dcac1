import { isoTime } from "../base/iso-time";
import type { Json } from "../base/json";
import { escapeLineBreaks } from "../base/one-line";
import { cutText } from "../base/whole-characters";
import { decodeValue } from "../lisp/values/encode";
import { LispError } from "../lisp/values/errors";
import { printValue } from "../lisp/values/print";
import type { JournalRecord } from "./record";
import { GIVEN, type RecordView, TASK } from "./view";

/**
 * The Mission Log: one line for each record, in order of recording (agent reference, section 10.2). Values are in
 * PTC-Lisp notation, at most 10 items of a collection and 200 characters; keys that begin with `_` are left out.
 */

/** The first line of the Mission Log. */
export const MISSION_LOG_HEADING = "## Mission Log (Completed Tasks)";
const MAX_ITEMS = 10;
const MAX_CHARS = 200;

/** A record's value as the Mission Log writes it. */
export function missionLogText(value: Json): string {
  try {
    const text = printValue(decodeValue(value), { items: MAX_ITEMS, chars: MAX_CHARS });
    return text.length > MAX_CHARS ? `${cutText(text, MAX_CHARS)}...` : text;
  } catch (error) {
    // A value from outside may be too deep to print. The log must be rendered all the same.
    if (error instanceof LispError) return `(${error.message})`;
    throw error;
  }
}

/** A record as the Mission Log writes it: its value, and which other effects were asked for or done under its id. */
export function recordText({ value, conflict, unrecorded }: Pick<LoggedRecord, "value" | "conflict" | "unrecorded">) {
  const stands = conflict === undefined ? "" : ` (${conflict}: this record stands)`;
  const before = unrecorded === undefined ? "" : ` (${unrecorded})`;
  return `${missionLogText(value)}${before}${stands}`;
}

/** The Mission Log of a journal as Markdown; "" when nothing is recorded. */
export function renderMissionLog(records: Iterable<LoggedRecord>): string {
  return renderMissionLogRows([...records].map((record) => ({ id: record.id, text: recordText(record) })));
}

/** The Mission Log as Markdown, one line for each row; "" without rows (agent reference, section 10.2). */
export function renderMissionLogRows(rows: readonly { id: string; text: string }[]): string {
  if (rows.length === 0) return "";
  return [MISSION_LOG_HEADING, ...rows.map(missionLogLine)].join("\n");
}

/** The line of one record. */
export const missionLogLine = ({ id, text }: { id: string; text: string }): string =>
  `- [done] ${escapeLineBreaks(id)}: ${escapeLineBreaks(text)}`;

/** The Mission Log of a journal that grows: it is drawn for every turn, and each record is printed once. */
export class GrowingLog {
  private readonly texts = new Map<string, string>();
  private log: string | null = null;
  /** Records at the end that are not in `log` yet. */
  private added: LoggedRecord[] = [];

  add(record: LoggedRecord): void {
    this.added.push(record);
  }

  /** A record was replaced or removed. */
  change(id: string): void {
    this.texts.delete(id);
    this.log = null;
    this.added = [];
  }

  textOf(record: LoggedRecord): string {
    const known = this.texts.get(record.id);
    if (known !== undefined) return known;
    const text = recordText(record);
    this.texts.set(record.id, text);
    return text;
  }

  /** @param records all records, in order */
  text(records: () => readonly LoggedRecord[]): string {
    const row = (record: LoggedRecord) => ({ id: record.id, text: this.textOf(record) });
    if (this.log === null || this.log === "") this.log = renderMissionLogRows(records().map(row));
    else for (const record of this.added) this.log += `\n${missionLogLine(row(record))}`;
    this.added = [];
    return this.log;
  }
}

type LoggedRecord = Pick<JournalRecord, "id" | "value" | "conflict" | "unrecorded">;

/**
 * The Mission Log for people: it also shows who decided or approved, and when. A model sees the finished work, not
 * the people who did it.
 */
export function renderPeoplesLog(rows: readonly RecordView[]): string {
  return renderMissionLogRows(rows.map((row) => ({ id: row.id, text: `${row.text}${whoAndWhen(row)}` })));
}

/** The end of the Mission Log for people, after a line that counts the records before. */
export function renderEndOfPeoplesLog(last: readonly RecordView[], all: number): string {
  const log = renderPeoplesLog(last);
  if (last.length === all) return log;
  return log.replace(
    MISSION_LOG_HEADING,
    `${MISSION_LOG_HEADING}\n- ${all - last.length} earlier records are not shown here`,
  );
}

function whoAndWhen({ by, at, note }: RecordView): string {
  if (by === GIVEN || (by === TASK && note === undefined)) return "";
  const words = by === TASK ? note : `${by}${note === undefined ? "" : `: ${note}`}`;
  return ` (${words}, ${isoTime(at)})`;
}
