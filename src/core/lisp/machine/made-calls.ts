import { callDigest } from "../../base/call-digest";
import type { Failure } from "../../base/failure";
import { HostMap } from "../../base/intrinsics";
import type { Json, JsonObject } from "../../base/json";
import type { RecordedCall, RecordedCalls, TaskEffects, ToolRecord } from "../program";

/** Of more calls of a task only their number is known. */
const MAX_CALLS = 100;
/** Longer arguments are kept as a digest (characters of JSON). */
const MAX_ARGS_CHARS = 1_000;
/** Longer answers and failures are not kept (characters of JSON). */
const MAX_ANSWER_CHARS = 500;
/** Arguments and answers of one record, besides those of its first call (characters of JSON). */
const MAX_KEPT_CHARS = 4_000;
/** Longer answers are not compared with the value. A state of the program keeps so much of each of them. */
const MAX_COMPARED_CHARS = 20_000;

/** A call whose record the program lists, or what is kept of another one. */
type Made = { record: ToolRecord } | { kept: RecordedCall };

export type MadeCallsState = [
  task: string,
  /** Of a listed call its place among the records, and how it failed. */
  calls: (number | [place: number, fail: Failure] | RecordedCall)[],
  more?: true,
][];

/** The calls that running tasks have made themselves: a record lists them as the effects of its task. */
export class MadeCalls {
  private readonly byTask = new HostMap<string, { calls: Made[]; more?: true }>();
  private readonly failures = new HostMap<ToolRecord, Failure>();

  constructor(private readonly effects: TaskEffects | undefined) {}

  /** @param tasks the tasks whose bodies run: only their calls are needed */
  state(tasks: ReadonlySet<string>, places: ReadonlyMap<ToolRecord, number>): MadeCallsState {
    return [...this.byTask]
      .filter(([task]) => tasks.has(task))
      .map(([task, { calls, more }]) => {
        const written = calls.map((call) => ("kept" in call ? call.kept : this.written(call.record, places)));
        return more ? [task, written, more] : [task, written];
      });
  }

  restore(state: MadeCallsState, records: readonly ToolRecord[]): void {
    for (const [task, written, more] of state) {
      const calls = written.map((call): Made => {
        if (typeof call === "object" && "tool" in call) return { kept: call };
        const [place, fail] = typeof call === "number" ? [call] : call;
        const record = records[place] as ToolRecord;
        if (fail) this.failures.set(record, fail);
        return { record };
      });
      this.byTask.set(task, { calls, ...(more ? { more } : {}) });
    }
  }

  /** The body of a task begins. */
  begin(task: string): void {
    this.byTask.delete(task);
  }

  /** @param listed the program's list of calls has the record */
  add(task: string, record: ToolRecord, listed: boolean): void {
    let made = this.byTask.get(task);
    if (made === undefined) {
      made = { calls: [] };
      this.byTask.set(task, made);
    }
    if (made.calls.length >= MAX_CALLS) made.more = true;
    else made.calls.push(listed ? { record } : { kept: this.known(record.name, record.args, MAX_ARGS_CHARS) });
  }

  failed(record: ToolRecord, fail: Failure): void {
    if (record.task !== undefined && JSON.stringify(fail).length <= MAX_ANSWER_CHARS) this.failures.set(record, fail);
  }

  /** What the record of a task keeps of its calls. */
  of(task: string, value: Json): RecordedCalls {
    const { calls, more } = this.byTask.get(task) ?? { calls: [] };
    const text = JSON.stringify(value);
    let left = MAX_KEPT_CHARS;
    const fits = (part: Json): boolean => {
      const { length } = JSON.stringify(part);
      if (length > MAX_ANSWER_CHARS || length > left) return false;
      left -= length;
      return true;
    };
    const kept = calls.map((call, i): RecordedCall => {
      if ("kept" in call) return call.kept;
      const { record } = call;
      const known = this.known(record.name, askedArgs(record), i === 0 ? MAX_ARGS_CHARS : left);
      if (i > 0 && known.args !== undefined) left -= JSON.stringify(known.args).length;
      const fail = this.failures.get(record);
      if (record.error !== null) return fail && fits(fail as unknown as Json) ? { ...known, fail } : known;
      const answer = JSON.stringify(record.result);
      if (answer === text && answer.length <= MAX_COMPARED_CHARS) return { ...known, same: true };
      return fits(record.result) ? { ...known, answer: record.result } : known;
    });
    return { calls: kept, ...(more ? { more } : {}) };
  }

  private known(tool: string, args: JsonObject, most: number): RecordedCall {
    if (JSON.stringify(args).length <= most) return { tool, args };
    return { tool, digest: this.effects?.idOf(tool, args) ?? callDigest({ tool, args }) };
  }

  private written(record: ToolRecord, places: ReadonlyMap<ToolRecord, number>): number | [number, Failure] {
    const place = places.get(record) as number;
    const fail = this.failures.get(record);
    return fail ? [place, fail] : place;
  }
}

/** What the program asked for: a person may have changed it. */
const askedArgs = ({ args, approval }: ToolRecord): JsonObject => approval?.requested_args ?? args;
