import { jsonBytes } from "../../base/bytes";
import { toolCacheKey } from "../../base/call-digest";
import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
import { HostMap } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import type { CallNotes, ProgramOptions, ToolRecord, ToolRequest } from "../program";
import { fromJson } from "../values/encode";
import { LispError, programError } from "../values/errors";
import { toolArguments, unknownTools } from "../values/tool-values";
import type { Value } from "../values/values";
import { isCaught, toolError, triedInVain, triedWell } from "./checks";
import type { Fiber } from "./fiber";
import type { Fuel } from "./fuel";
import { MadeCalls, type MadeCallsState } from "./made-calls";
import type { ProgramOutputs } from "./outputs";
import type { Schedule } from "./schedule";

interface OpenCall {
  fiber: Fiber;
  record: ToolRecord;
  cacheKey: string | null;
  /** Made by `tool-try`: a failure of the tool becomes a value. */
  caught?: true;
}

export interface CallsState {
  records: ToolRecord[];
  /** The request's number, the fiber's, the record's place among the records (itself when it is not kept), the cache's key, whether `tool-try` made it. */
  open: [id: number, fiber: number, record: number | ToolRecord, cacheKey: string | null, caught?: true][];
  /** Bytes of the records, and the number of those that were left out. */
  recorded: number;
  unrecorded: number;
  next: number;
  /** How many of the requests are questions instead of calls. */
  questions?: number;
  made: MadeCallsState;
  owed: number;
}

/** Bytes of the value of a `tool-try`, besides the answer or the message. */
const TRIED_BYTES = 512;

/** Bytes of the record of a call, besides its arguments and its answer. */
const RECORD_BYTES = 256;

/**
 * Bytes of all records of a program: they end in the run's Step, and travel when a run continues as new in the middle of
 * its program. Later calls are only counted.
 */
const MAX_RECORDED = 400_000;

/** A record with a larger answer is written with a note of its size: a run keeps it in this way, too. */
const MAX_WRITTEN = 64 * 1024;

function written(record: ToolRecord): ToolRecord {
  const bytes = jsonBytes(record.result);
  return bytes <= MAX_WRITTEN ? record : { ...record, result: { $omitted: `${bytes} bytes` } };
}

const bytesWritten = (bytes: number): number => (bytes <= MAX_WRITTEN ? bytes : 0);

/** Tool calls: a fiber waits for the host's answer, unless the cache has one. */
export class ToolCalls {
  private readonly open = new HostMap<number, OpenCall>();
  private fresh: ToolRequest[] = [];
  private nextRequest = 1;
  private questions = 0;
  readonly made: MadeCalls;
  /**
   * Bytes of answers that are not charged yet. The next call pays for them, so that no call fails after it succeeded.
   */
  private owed = 0;
  private recorded = 0;
  private unrecorded = 0;

  constructor(
    private readonly options: ProgramOptions,
    private readonly fuel: Fuel,
    private readonly outputs: ProgramOutputs,
    private readonly schedule: Schedule,
  ) {
    this.made = new MadeCalls(options.effects);
  }

  /** Whether the host owes an answer. */
  get waiting(): boolean {
    return this.open.size > 0;
  }

  /** The requests that the host has not seen yet. */
  takeRequests(): ToolRequest[] {
    const requests = this.fresh;
    this.fresh = [];
    return requests;
  }

  /** The fibers that wait for an answer. */
  get callers(): Fiber[] {
    return [...this.open.values()].map(({ fiber }) => fiber);
  }

  /** Records that are left out because there are too many. */
  warnings(): { code: string; message: string }[] {
    if (this.unrecorded === 0) return [];
    const all = this.outputs.toolCalls.length + this.unrecorded;
    const message = `The record of the program lists its first ${this.outputs.toolCalls.length} of ${all} tool calls: all of them take more than ${MAX_RECORDED} bytes.`;
    return [{ code: "tool_calls_shortened", message }];
  }

  /** @param tasks the tasks whose bodies run */
  state(tasks: ReadonlySet<string>): CallsState {
    const records = this.outputs.toolCalls;
    const places = new HostMap(records.map((record, i) => [record, i]));
    return {
      records: records.map(written),
      recorded: this.recorded,
      unrecorded: this.unrecorded,
      open: [...this.open].map(([id, { fiber, record, cacheKey, caught }]) => [
        id,
        fiber.number,
        places.get(record) ?? record,
        cacheKey,
        ...(caught ? [caught] : []),
      ]) as CallsState["open"],
      next: this.nextRequest,
      ...(this.questions === 0 ? {} : { questions: this.questions }),
      made: this.made.state(tasks, places),
      owed: this.owed,
    };
  }

  restore(state: CallsState, fiber: (number: number) => Fiber): void {
    const { records, open, next, questions = 0, made, owed } = state;
    this.outputs.toolCalls.push(...records);
    this.recorded = state.recorded;
    this.unrecorded = state.unrecorded;
    for (const [id, number, place, cacheKey, caught] of open) {
      const record = typeof place === "number" ? (this.outputs.toolCalls[place] as ToolRecord) : place;
      this.open.set(id, { fiber: fiber(number), record, cacheKey, ...defined({ caught }) });
    }
    this.nextRequest = next;
    this.questions = questions;
    this.made.restore(made, this.outputs.toolCalls);
    this.owed = owed;
  }

  call(fiber: Fiber, name: string, given: Value[], caught = false): void {
    // Functions of earlier turns, and programs without any tools, are not checked beforehand.
    if (!this.options.tools.has(name)) throw unknownTools([name], this.options.tools, undefined, this.options.search);
    const args = toolArguments(name, given);
    this.pay(RECORD_BYTES + jsonBytes(args));
    const cacheKey = this.options.tools.get(name)?.cache ? toolCacheKey(name, args) : null;
    const task = fiber.task();
    const record: ToolRecord = {
      name,
      args,
      result: null,
      error: null,
      timestamp: this.options.now(),
      duration_ms: 0,
      ...defined({ task }),
    };
    const { toolCache } = this.outputs;
    if (cacheKey !== null && toolCache.has(cacheKey)) {
      const cached = toolCache.get(cacheKey) as Json;
      // The record has the answer again.
      const bytes = jsonBytes(cached);
      this.fuel.charge(bytes >> 5);
      this.fuel.allocate(bytes);
      this.record({ ...record, result: cached, cached: true }, jsonBytes(args) + bytes);
      const value = fromJson(cached, (more) => this.fuel.allocate(more));
      return fiber.push(caught ? triedWell(value) : value);
    }
    this.checkLimit();
    this.record(record, jsonBytes(args));
    const id = this.nextRequest++;
    this.open.set(id, { fiber, record, cacheKey, ...(caught ? { caught } : {}) });
    const parallel = fiber.nesting > 0 ? { parallel: true as const } : {};
    this.fresh.push({
      id,
      name,
      args,
      ...defined({ task }),
      ...parallel,
    });
    fiber.state = "blocked";
  }

  /** Asks the host something that is no call, and gives the answer to the asking instruction. */
  ask(request: Omit<ToolRequest, "id">): number {
    const id = this.nextRequest++;
    this.questions += 1;
    this.fresh.push({ id, ...request });
    return id;
  }

  answer(id: number, answer: Result<Json>, notes: CallNotes): void {
    const call = this.open.get(id);
    if (!call) return;
    this.open.delete(id);
    const { fiber, record } = call;
    record.duration_ms = this.options.now() - record.timestamp;
    Object.assign(record, notes);
    // Other arguments ran than the program asked for, so the answer must not be cached for these.
    if (notes.approval?.requested_args !== undefined) call.cacheKey = null;
    const trace = notes.child_trace_id;
    if (trace !== undefined)
      for (let at: Fiber | null = fiber.parent; at !== null; at = at.parent) at.section?.traces.set(id, trace);
    this.schedule.wake(fiber);
    if (answer.ok) {
      this.take(call, answer.value);
    } else {
      record.error = answer.fail.message;
      if (call.caught && isCaught(answer.fail)) {
        this.owed += TRIED_BYTES + 2 * answer.fail.message.length;
        this.made.failed(record, answer.fail);
        fiber.push(triedInVain(record.name, answer.fail));
      } else fiber.failure = toolError(record.name, answer.fail, fiber.place());
    }
  }

  /** The answer becomes the value of the call. An answer that is too large or too deep fails the call. */
  private take({ fiber, record, cacheKey, caught }: OpenCall, answer: Json): void {
    try {
      const value = fromJson(answer, (bytes) => {
        this.owed += bytes;
      });
      fiber.push(caught ? triedWell(value) : value);
      const bytes = jsonBytes(answer);
      this.owed += bytes;
      this.recorded += bytesWritten(bytes);
    } catch (thrown) {
      const error = programError(thrown);
      error.message = `Tool '${record.name}' gave an answer that cannot be taken: ${error.message}`;
      record.error = error.message;
      fiber.failure = error;
      return;
    }
    record.result = answer;
    if (cacheKey !== null) this.outputs.toolCache.set(cacheKey, answer);
  }

  private record(record: ToolRecord, bytes: number): void {
    const listed = this.recorded <= MAX_RECORDED;
    if (listed) this.outputs.toolCalls.push(record);
    else this.unrecorded += 1;
    if (record.task !== undefined) this.made.add(record.task, record, listed);
    this.recorded += RECORD_BYTES / 2 + bytesWritten(bytes);
  }

  private pay(bytes: number): void {
    const { owed } = this;
    this.owed = 0;
    this.fuel.allocate(bytes + owed);
  }

  private checkLimit(): void {
    const limit = this.options.limits.max_tool_calls;
    // Answers from the cache do not count as calls.
    if (limit !== null && this.nextRequest - this.questions > limit)
      throw new LispError(
        "tool_call_limit_exceeded",
        "tool_call_limit_exceeded",
        `more than ${limit} tool call(s) in one program`,
      );
  }
}
