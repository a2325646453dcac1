import { utf8Bytes } from "../base/bytes";
import { defined } from "../base/defined";
import type { Json } from "../base/json";
import { MEMO_FULL_TEXT_CHARS, MEMO_TOTAL_CHARS, MEMO_VALUE_CHARS } from "../base/limits";
import { shortened } from "../base/whole-characters";

/**
 * One record of the journal, as people and programs outside of the workflow see it. Rows travel in the workflow's memo,
 * so that a history alone gives them back.
 */
export interface RecordView {
  id: string;
  /** The whole value, unless it is too large; then it is absent and `bytes` gives its size. */
  value?: Json;
  bytes?: number;
  /** The value as the Mission Log writes it. */
  text: string;
  /** Ms since 1970, workflow time. */
  at: number;
  /** TASK, GIVEN, or who decided. */
  by: string;
  note?: string;
}

/** Who recorded what a task of a program gave. */
export const TASK = "task";
/** Who recorded what the run was started with. */
export const GIVEN = "given";

/** The note of a row about its record. */
export interface PlainRecord {
  id: string;
  value: Json;
  at: number;
  by: string;
  note?: string;
}

/**
 * The journal as rows, kept within the size of a workflow's memo: when it is full, further values are shown by a short
 * text.
 */
export class JournalView {
  private readonly byId = new Map<string, RecordView>();
  /** Ids in order of recording; ids of removed rows stay. */
  private readonly order: string[] = [];
  private chars = 0;

  constructor(rows: readonly RecordView[] = []) {
    for (const row of rows) this.store(row);
  }

  rows(): RecordView[] {
    return [...this.byId.values()];
  }

  get size(): number {
    return this.byId.size;
  }

  /** The newest rows in order, at most so many, without a look at the others. */
  last(count: number): RecordView[] {
    const found = new Map<string, RecordView>();
    for (let i = this.order.length - 1; i >= 0 && found.size < count; i--) {
      const row = this.byId.get(this.order[i] as string);
      if (row !== undefined && !found.has(row.id)) found.set(row.id, row);
    }
    return [...found.values()].reverse();
  }

  row(id: string): RecordView | undefined {
    return this.byId.get(id);
  }

  /**
   * Adds or replaces the row of a record. The memo of a workflow is limited as a whole, so values are no longer shown
   * whole, and texts are shortened, once it is nearly full.
   */
  add(record: PlainRecord, text: string): RecordView {
    const json = JSON.stringify(record.value);
    const full = this.chars + json.length > MEMO_TOTAL_CHARS;
    const whole = !full && json.length <= MEMO_VALUE_CHARS;
    const note = defined({ note: record.note });
    const row: RecordView = {
      id: record.id,
      ...(whole ? { value: record.value } : { bytes: utf8Bytes(json) }),
      text: full ? shortened(text, MEMO_FULL_TEXT_CHARS) : text,
      at: record.at,
      by: record.by,
      ...note,
    };
    this.store(row);
    return row;
  }

  store(row: RecordView): void {
    const before = this.byId.get(row.id);
    if (before === undefined) this.order.push(row.id);
    this.chars += charsOf(row) - charsOf(before);
    this.byId.set(row.id, row);
  }

  remove(id: string): void {
    this.chars -= charsOf(this.byId.get(id));
    this.byId.delete(id);
  }
}

function charsOf(row: RecordView | undefined): number {
  if (row === undefined) return 0;
  return row.text.length + (row.value === undefined ? 0 : JSON.stringify(row.value).length);
}
