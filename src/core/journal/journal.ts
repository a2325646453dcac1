import type { Failure } from "../failure";
import { failed, ok, type Result } from "../failure";
import type { Json, JsonObject } from "../json";
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

export type JournalChange = { kind: "recorded"; entry: JournalEntry } | { kind: "reset"; id: string };

/**
 * The journal of a mission (agent reference, section 10.1): task id -> value, in order of recording. It changes at
 * once, whatever happens to the program afterwards; one listener hears of every change.
 */
export class Journal implements JournalPort {
  private readonly entries = new Map<string, JournalEntry>();
  private listener: (change: JournalChange) => void = () => {};

  constructor(private readonly now: () => number) {}

  /** A journal as callers keep it: an object of id -> JSON value. */
  static parse(raw: unknown, now: () => number): Result<Journal> {
    if (typeof raw !== "object" || raw === null || Array.isArray(raw))
      return failed(
        "invalid_journal",
        `A journal is an object of task id -> value, got ${Array.isArray(raw) ? "an array" : JSON.stringify(raw)}.`,
      );
    const journal = new Journal(now);
    for (const [id, value] of Object.entries(raw as JsonObject))
      journal.entries.set(id, { id, value, at: now(), by: "given" });
    return ok(journal);
  }

  /** From `list()`: exact, order included, for continue-as-new. */
  static restore(entries: readonly JournalEntry[], now: () => number): Journal {
    const journal = new Journal(now);
    for (const entry of entries) journal.entries.set(entry.id, entry);
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
  commit(id: string, value: Json): void {
    this.put({ id, value, at: this.now(), by: "task" });
  }
  reset(id: string): void {
    if (this.entries.delete(id)) this.listener({ kind: "reset", id });
  }

  /** Records a decision from outside, unless a record of that id exists. */
  record(decision: { id: string; value: Json; by: string; note?: string; overwrite?: boolean }): Result<JournalEntry> {
    const fail = this.refusal(decision);
    if (fail) return { ok: false, fail };
    const note = decision.note === undefined ? {} : { note: decision.note };
    const entry: JournalEntry = { id: decision.id, value: decision.value, at: this.now(), by: decision.by, ...note };
    this.put(entry);
    return ok(entry);
  }

  /** Why a decision may not be recorded; null when it may. */
  refusal(decision: { id: string; overwrite?: boolean }): Failure | null {
    const existing = this.entries.get(decision.id);
    if (!existing || decision.overwrite) return null;
    return {
      reason: "already_recorded",
      message: `"${decision.id}" is recorded already (by ${existing.by}): ${JSON.stringify(existing.value).slice(0, 200)}. Set overwrite to replace it.`,
      details: { id: decision.id, by: existing.by, at: existing.at },
    };
  }

  list(): JournalEntry[] {
    return [...this.entries.values()];
  }
  /** As callers keep it. */
  toJson(): JsonObject {
    return Object.fromEntries(this.list().map(({ id, value }) => [id, value]));
  }

  private put(entry: JournalEntry): void {
    this.entries.set(entry.id, entry);
    this.listener({ kind: "recorded", entry });
  }
}
