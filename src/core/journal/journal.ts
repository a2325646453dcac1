import { jsonBytes } from "../bytes";
import { type Failure, failed, ok, type Result } from "../failure";
import type { Json, JsonObject } from "../json";
import { LispError } from "../lisp/errors";
import type { JournalPort } from "../lisp/program";

/** One record: what a task gave, or what somebody decided. */
export interface JournalEntry {
  id: string;
  value: Json;
  /** Ms since 1970, host time. */
  at: number;
  /** "task", or who decided. */
  by: string;
  note?: string;
}

/** What somebody outside the mission decided. */
export interface ExternalDecision {
  id: string;
  value: Json;
  by: string;
  note?: string;
  /** Without it a recorded entry is never changed. */
  overwrite?: boolean;
}

export type JournalChange = { kind: "recorded"; entry: JournalEntry } | { kind: "reset"; id: string };

/** Bytes of all values together: a run carries its journal whole when it continues as new, in one payload. */
export const MAX_JOURNAL_BYTES = 1_000_000;

/** What a record takes beside its id and value, wherever it is carried and shown: it bounds their number. */
const RECORD_BYTES = 150;

/** Deeper values cannot be walked by programs, prompts and payload converters alike. */
const MAX_DEPTH = 200;

/**
 * The journal of a mission (agent reference, section 10.1): task id -> value, in order of recording. It changes at
 * once, whatever happens to the program afterwards; one listener hears of every change.
 */
export class Journal implements JournalPort {
  private readonly entries = new Map<string, JournalEntry>();
  private bytes = 0;
  private listener: (change: JournalChange) => void = () => {};

  constructor(private readonly now: () => number) {}

  /** A journal as callers keep it: an object of id -> JSON value. Anything else is refused with `invalid_journal`. */
  static parse(raw: unknown, now: () => number): Result<Journal> {
    if (typeof raw !== "object" || raw === null || Array.isArray(raw))
      return failed("invalid_journal", `A journal is an object of task id -> value, got ${kindOf(raw)}.`);
    const journal = new Journal(now);
    for (const [id, value] of Object.entries(raw)) {
      const problem = valueProblem(value) ?? journal.noRoomFor(id, value);
      if (problem)
        return failed("invalid_journal", `The journal's value of "${id}" cannot be taken: ${problem}.`, { id });
      journal.put({ id, value, at: now(), by: "given" });
    }
    return ok(journal);
  }

  /** From `list()`: exact, order included, for continue-as-new. */
  static restore(entries: readonly JournalEntry[], now: () => number): Journal {
    const journal = new Journal(now);
    for (const entry of entries) journal.put(entry);
    return journal;
  }

  onChange(listener: (change: JournalChange) => void): void {
    this.listener = listener;
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }
  get(id: string): Json {
    return (this.entries.get(id) as JournalEntry).value;
  }
  /** @throws LispError when there is no room left: the program ends with `memory_exceeded`, the model is told. */
  commit(id: string, value: Json): void {
    const problem = this.noRoomFor(id, value);
    if (problem)
      throw new LispError(
        "memory_exceeded",
        "journal_full",
        `(task "${id}" ...) ran, but its value cannot be recorded: ${problem}. Record a reference or a summary instead.`,
      );
    this.change({ id, value, at: this.now(), by: "task" });
  }
  reset(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.bytes -= sizeOf(entry);
    this.entries.delete(id);
    this.listener({ kind: "reset", id });
  }

  /** Records a decision from outside, unless `refusal` has something against it. */
  record(decision: ExternalDecision): Result<JournalEntry> {
    const fail = this.refusal(decision);
    if (fail) return { ok: false, fail };
    const { id, value, by, note } = decision;
    const entry: JournalEntry = { id, value, at: this.now(), by, ...(note === undefined ? {} : { note }) };
    this.change(entry);
    return ok(entry);
  }

  /**
   * Why a decision may not be recorded; null when it may. Reasons: `already_recorded` (a record is never replaced by
   * accident), `invalid_decision` (no JSON), `journal_full`.
   */
  refusal(decision: Pick<ExternalDecision, "id" | "overwrite"> & { value?: Json }): Failure | null {
    const { id, value, overwrite } = decision;
    const existing = this.entries.get(id);
    if (existing && !overwrite)
      return {
        reason: "already_recorded",
        message: `"${id}" is recorded already (by ${existing.by}): ${JSON.stringify(existing.value).slice(0, 200)}. Set overwrite to replace it.`,
        details: { id, by: existing.by, at: existing.at },
      };
    if (value === undefined) return null;
    const problem = valueProblem(value);
    if (problem)
      return {
        reason: "invalid_decision",
        message: `The value of "${id}" cannot be recorded: ${problem}.`,
        details: { id },
      };
    const full = this.noRoomFor(id, value);
    return full ? { reason: "journal_full", message: `"${id}" cannot be recorded: ${full}.`, details: { id } } : null;
  }

  list(): JournalEntry[] {
    return [...this.entries.values()];
  }
  /** As callers keep it. */
  toJson(): JsonObject {
    return Object.fromEntries(this.list().map(({ id, value }) => [id, value]));
  }

  private change(entry: JournalEntry): void {
    this.put(entry);
    this.listener({ kind: "recorded", entry });
  }

  private put(entry: JournalEntry): void {
    const before = this.entries.get(entry.id);
    this.bytes += sizeOf(entry) - (before ? sizeOf(before) : 0);
    this.entries.set(entry.id, entry);
  }

  private noRoomFor(id: string, value: Json): string | undefined {
    const before = this.entries.get(id);
    const bytes = this.bytes - (before ? sizeOf(before) : 0) + sizeOf({ id, value });
    if (bytes <= MAX_JOURNAL_BYTES) return undefined;
    return `the journal would take ${bytes} bytes; the limit is ${MAX_JOURNAL_BYTES}`;
  }
}

const sizeOf = ({ id, value }: { id: string; value: Json }): number => RECORD_BYTES + jsonBytes(id) + jsonBytes(value);

const kindOf = (raw: unknown): string => (Array.isArray(raw) ? "an array" : raw === null ? "null" : `a ${typeof raw}`);

/** What keeps a value from being a record; undefined when nothing does. */
function valueProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "it is not JSON: a number must be finite";
  if (typeof value !== "object") return `it is not JSON: ${typeof value}`;
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    const problem = valueProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}
