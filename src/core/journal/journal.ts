import { defined } from "../base/defined";
import { type Failure, failed, ok, type Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import { jsonProblem } from "../base/json/json-problem";
import { cutText, shortened } from "../base/whole-characters";
import type { TaskCalls } from "../effects/packed-ledger";
import type { JournalPort, RecordedCalls, TaskCall } from "../lisp/program";
import { LispError } from "../lisp/values/errors";
import type { JournalDecision } from "./decision-input";
import { GrowingLog } from "./mission-log";
import { type JournalRecord, MAX_JOURNAL_BYTES, packedCalls, recordBytes, unpackedCalls } from "./record";
import { GIVEN, TASK } from "./view";

/** One change of the journal, as its listener receives it. */
export type JournalChange = { kind: "recorded"; record: JournalRecord } | { kind: "reset"; id: string };

/**
 * The journal of a mission (agent reference, section 10.1): task id -> value, in order of recording. It changes at
 * once, and what happens to the program afterwards takes nothing back. Listeners receive every change.
 */
export class Journal implements JournalPort {
  private readonly records = new Map<string, JournalRecord>();
  private bytes = 0;
  /** Who approved a call inside a task that is not recorded yet. */
  private readonly approvals = new Map<string, { by: string; note?: string }>();
  /** What calls have done in tasks that are not recorded yet, and that have asked for something else since. */
  private readonly unrecorded = new Map<string, string>();
  private readonly listeners: ((change: JournalChange) => void)[] = [];

  private readonly log = new GrowingLog();

  constructor(private readonly now: () => number) {}

  /**
   * Parses a caller's journal: an object of id -> JSON value. Anything else is refused with `invalid_input`.
   *
   * @param tasks the calls of its tasks, where an earlier attempt has made the records
   */
  static parse(raw: unknown, now: () => number, tasks: readonly TaskCalls[] = []): Result<Journal> {
    if (typeof raw !== "object" || raw === null || Array.isArray(raw))
      return failed("invalid_input", `A journal is an object of task id -> value, got ${kindOf(raw)}.`, {
        path: "journal",
      });
    const journal = new Journal(now);
    const calls = new Map(tasks);
    for (const [id, value] of Object.entries(raw)) {
      const badId = idProblem(id);
      if (badId)
        return failed("invalid_input", `The journal cannot be taken: ${badId}.`, {
          path: `journal.${shortId(id)}`,
          id: shortId(id),
        });
      const made = calls.get(id);
      const record = { id, value, at: now(), by: GIVEN, ...(made === undefined ? {} : unpackedCalls(made)) };
      const problem = jsonProblem(value) ?? journal.sizeProblem(record);
      if (problem)
        return failed("invalid_input", `The journal's value of "${id}" cannot be taken: ${problem}.`, {
          path: `journal.${shortId(id)}`,
          id,
        });
      journal.store(record);
    }
    return ok(journal);
  }

  /** From `list()`: exact, order included, for continue-as-new. */
  static restore(records: readonly JournalRecord[], now: () => number): Journal {
    const journal = new Journal(now);
    for (const record of records) journal.store(record);
    return journal;
  }

  onChange(listener: (change: JournalChange) => void): void {
    this.listeners.push(listener);
  }

  /** @throws LispError for an invalid id, before the task's body runs. */
  has(id: string): boolean {
    const problem = idProblem(id);
    if (problem) throw new LispError("eval_error", "invalid_task_id", `${problem}; the id names the effect`);
    return this.records.has(id);
  }
  get(id: string): Json {
    return (this.records.get(id) as JournalRecord).value;
  }
  /** @throws LispError if the journal is full: the program ends with `memory_exceeded`, and the feedback reports it. */
  commit(id: string, value: Json, made: RecordedCalls = { calls: [] }): void {
    const approval = this.approvals.get(id);
    const unrecorded = this.unrecorded.get(id);
    const record: JournalRecord = {
      id,
      value,
      at: this.now(),
      by: TASK,
      ...(approval ? { note: approvedBy(approval) } : {}),
      ...this.keptCalls(made),
      ...defined({ unrecorded }),
    };
    const problem = this.sizeProblem(record);
    if (problem)
      throw new LispError(
        "memory_exceeded",
        "journal_full",
        `(task "${id}" ...) ran, but its value cannot be recorded: ${problem}. Record a reference or a summary instead.`,
      );
    this.approvals.delete(id);
    this.unrecorded.delete(id);
    this.change(record);
  }
  /** The record of a task names the person who approved its effect. */
  noteApproval(id: string, approval: { by: string; note?: string }): void {
    this.approvals.set(id, approval);
  }
  /** The approvals of calls whose tasks are not recorded yet. */
  openApprovals(): [id: string, approval: { by: string; note?: string }][] {
    return [...this.approvals];
  }
  /** The record of a task names what was done under its id before, and is in no record. */
  noteUnrecorded(id: string, done: string): void {
    this.unrecorded.set(id, done);
  }
  /** What was done in tasks that are not recorded yet. */
  openUnrecorded(): [id: string, done: string][] {
    return [...this.unrecorded];
  }
  callsOf(id: string): RecordedCalls | undefined {
    const record = this.records.get(id);
    // A record of another source does not list the calls that made it.
    if (record === undefined || (record.by !== TASK && record.calls === undefined)) return undefined;
    return { calls: record.calls ?? [], ...(record.more_calls ? { more: true } : {}) };
  }
  /** The calls of all tasks whose calls are known, for another attempt with the same journal. */
  taskCalls(): TaskCalls[] {
    return [...this.records.keys()].flatMap((id): TaskCalls[] => {
      const calls = this.callsOf(id);
      return calls === undefined ? [] : [[id, packedCalls(calls)]];
    });
  }
  noteConflict(id: string, { tool, args }: TaskCall): void {
    const record = this.records.get(id);
    const conflict = `asked again for tool/${tool} ${shortId(JSON.stringify(args))}`;
    if (!record || record.conflict === conflict) return;
    this.change({ ...record, conflict });
  }
  reset(id: string): void {
    const record = this.records.get(id);
    if (!record) return;
    this.bytes -= recordBytes(record);
    this.log.change(id);
    this.records.delete(id);
    this.notify({ kind: "reset", id });
  }

  /** Records a decision from outside, unless `refusal` refuses it. */
  record(decision: JournalDecision): Result<JournalRecord> {
    const fail = this.refusal(decision);
    if (fail) return { ok: false, fail };
    const record = this.recordOf(decision);
    this.change(record);
    return ok(record);
  }

  /**
   * Why a decision cannot be recorded; null if it can. Reasons: `already_exists` (a record is never replaced by
   * accident), `invalid_decision` (no JSON, no id), `payload_too_large`. Without a value only the id is checked. A task that
   * looked for a decision too early recorded nil: that does not refuse it.
   */
  refusal(decision: Partial<JournalDecision> & Pick<JournalDecision, "id">): Failure | null {
    const { id, value, overwrite } = decision;
    const badId = idProblem(id);
    if (badId)
      return {
        reason: "invalid_decision",
        message: `Bad decision: ${badId}.`,
        details: { path: "id", id: shortId(id) },
      };
    const existing = this.records.get(id);
    if (existing && !overwrite && !isNothing(existing))
      return {
        reason: "already_exists",
        message: `"${id}" is already recorded (by ${existing.by}): ${cutText(JSON.stringify(existing.value), 200)}. Set overwrite to replace it.`,
        details: { path: id, kind: "record", id, by: existing.by, at: existing.at },
      };
    if (!("value" in decision)) return null;
    const problem = jsonProblem(value);
    if (problem)
      return {
        reason: "invalid_decision",
        message: `The value of "${id}" cannot be recorded: ${problem}.`,
        details: { path: "value", id },
      };
    const full = this.sizeProblem(this.recordOf(decision as JournalDecision));
    return full
      ? { reason: "payload_too_large", message: `"${id}" cannot be recorded: ${full}.`, details: { id } }
      : null;
  }

  list(): JournalRecord[] {
    return [...this.records.values()];
  }
  /** A record as the Mission Log writes it. */
  textOf(record: JournalRecord): string {
    return this.log.textOf(record);
  }
  /** The rows of the Mission Log: each record as it writes it. */
  logRows(): { id: string; text: string }[] {
    return this.list().map((record) => ({ id: record.id, text: this.textOf(record) }));
  }
  /** The row of one record; undefined = there is none. */
  logRow(id: string): { id: string; text: string } | undefined {
    const record = this.records.get(id);
    return record && { id, text: this.textOf(record) };
  }
  /** The Mission Log as Markdown; "" when nothing is recorded (agent reference, section 10.2). */
  missionLog(): string {
    return this.log.text(() => this.list());
  }
  /** In the form that callers keep. */
  toJson(): JsonObject {
    return Object.fromEntries(this.list().map(({ id, value }) => [id, value]));
  }

  /** Answers help to compare calls: they take no space that values need. */
  private keptCalls({ calls, more }: RecordedCalls): Pick<JournalRecord, "calls" | "more_calls"> {
    if (calls.length === 0) return {};
    const isRoomy = this.bytes < MAX_JOURNAL_BYTES / 2;
    const kept = isRoomy ? calls : calls.map(({ answer: _, fail: __, ...call }) => call);
    return { calls: kept, ...(more ? { more_calls: more } : {}) };
  }

  private change(record: JournalRecord): void {
    this.store(record);
    this.notify({ kind: "recorded", record });
  }

  private notify(change: JournalChange): void {
    for (const listener of this.listeners) listener(change);
  }

  private store(record: JournalRecord): void {
    const before = this.records.get(record.id);
    this.bytes += recordBytes(record) - (before ? recordBytes(before) : 0);
    if (before) this.log.change(record.id);
    else this.log.add(record);
    this.records.set(record.id, record);
  }

  private recordOf({ id, value, by, note }: JournalDecision): JournalRecord {
    return { id, value, at: this.now(), by, ...defined({ note }) };
  }

  private sizeProblem(record: JournalRecord): string | undefined {
    const before = this.records.get(record.id);
    const bytes = this.bytes - (before ? recordBytes(before) : 0) + recordBytes(record);
    if (bytes <= MAX_JOURNAL_BYTES) return undefined;
    return `the journal would take ${bytes} bytes; the limit is ${MAX_JOURNAL_BYTES}`;
  }
}

/**
 * A record of nil that no effect made: `(task "approval" nil)` asks for a decision that is not there yet. Nil that a
 * tool call gave stays, and so does nil that a person decided.
 */
const isNothing = ({ value, by, calls = [] }: JournalRecord): boolean =>
  value === null && calls.length === 0 && (by === TASK || by === GIVEN);

const approvedBy = ({ by, note }: { by: string; note?: string }): string =>
  `approved by ${by}${note === undefined ? "" : `: ${note}`}`;

const kindOf = (raw: unknown): string => (Array.isArray(raw) ? "an array" : raw === null ? "null" : `a ${typeof raw}`);

// The conditions of a record: a short id, a JSON value, and space for both.

/** An id appears in the memo, in every prompt and in idempotency keys: it is a name, not data. */
export const MAX_ID_CHARS = 500;

/** Why a text is not a valid id; undefined if it is. */
export function idProblem(id: string): string | undefined {
  if (id === "") return "an empty id";
  if (id.length <= MAX_ID_CHARS) return undefined;
  return `an id of ${id.length} characters ("${shortId(id)}"); the limit is ${MAX_ID_CHARS}`;
}

export const shortId = (id: string): string => shortened(id, 100);
