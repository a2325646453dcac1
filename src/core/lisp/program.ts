import type { Failure, Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { LispLimits } from "../base/limits";
import type { OnOtherEffect } from "../effects/effect-settings";
import type { ServedTask } from "../effects/program-claims";
import type { ToolFinder } from "./values/context";
import type { Value } from "./values/values";

/**
 * A program and everything it runs with. A program is started, runs until it is over or waits for tools, and is resumed
 * with their answers; all of it is synchronous and deterministic (lisp reference, section 16).
 */
export interface ProgramOptions {
  source: string;
  /** `data/...`; JSON as the caller gave it. */
  data: JsonObject;
  /** Definitions of earlier turns, by name. Never changed: the end of the program carries the new ones. */
  memory: ReadonlyMap<string, Value>;
  /** Names of the tools the program may call; `cache` = results are kept in `tool_cache`. */
  tools: ReadonlyMap<string, { cache?: boolean }>;
  /** null = no journal was given: tasks run unrecorded, one warning. */
  journal: JournalPort | null;
  /** `*1 *2 *3`, newest first. */
  history: readonly Value[];
  /** Answer of `(budget/remaining)`. */
  budget: JsonObject;
  /** Results of cached tools, keyed by `toolCacheKey(name, args)`. */
  tool_cache: ReadonlyMap<string, Json>;
  limits: LispLimits;
  /** What becomes of a task whose id is recorded, but that asks for another effect; default `serve`. */
  on_other_effect?: OnOtherEffect;
  /** What the run knows of effects. Without it calls are compared by all their arguments. */
  effects?: TaskEffects;
  /** What `(tool-search "words")` searches. Without it the search finds nothing. */
  search?: ToolFinder;
  now(): number;
}

/** What the evaluator asks about the effects of tasks (effects reference, section 8). */
export interface TaskEffects {
  /** The id of a call's effect; undefined: the tool has no effects, and the call is known by its arguments. */
  idOf(tool: string, args: JsonObject): string | undefined;
  /** Whether a call is perhaps the open effect with this id, in other words. Absent = no call is. */
  rewords?(call: TaskCall, id: string): boolean;
  /** What becomes of a recorded task that asks for another effect, where calls of these tools are concerned. */
  policy(tools: readonly string[]): OnOtherEffect;
  /**
   * A recorded task is given its record, with the effects of its calls and of those of the tasks inside it. false: other
   * calls of the program match them.
   */
  serve(task: ServedTask, inside: readonly ServedTask[]): boolean;
  /** A recorded task runs again. */
  rerun(task: string): void;
  /** The program resets a task, which may not be recorded. */
  reset(task: string, isRecorded: boolean): void;
}

/**
 * The journal as the evaluator uses it. `commit` is called in the same synchronous step in which the task's value
 * arrives.
 */
export interface JournalPort {
  has(id: string): boolean;
  get(id: string): Json;
  /** @param made the calls that the task made itself */
  commit(id: string, value: Json, made?: RecordedCalls): void;
  reset(id: string): void;
  /** The calls that a task had made when it was recorded, where they are known. */
  callsOf?(id: string): RecordedCalls | undefined;
  /** A later task of the same id asked for something else, and was given what is recorded. */
  noteConflict?(id: string, asked: TaskCall): void;
}

/** A tool call of a task. */
export interface TaskCall {
  tool: string;
  args: JsonObject;
}

/** The calls that a task made itself, in the order of their requests. Calls of tasks inside it are not among them. */
export interface RecordedCalls {
  calls: readonly RecordedCall[];
  /** There may be more that are not known. */
  more?: true;
}

/** A call as the record of its task keeps it. */
export interface RecordedCall {
  tool: string;
  /** Left out when they are long. */
  args?: JsonObject;
  /** Known instead of long arguments: the id of the effect, or a digest of the call. */
  digest?: string;
  /** Left out when it is long. */
  answer?: Json;
  /** It answered what is recorded as the value of the task. */
  same?: true;
  /** It failed, and `tool-try` caught that. Left out when it is long. */
  fail?: Failure;
}

/** A recorded task asks for another effect: the host answers with `{choice, by}`, or with a failure. The choice is `use_recorded` or `do_now`. */
export interface OtherEffectQuestion {
  /** Without it the recorded task had made no such call. */
  recorded?: RecordedCall;
  /** The recorded value of the task. */
  value: Json;
}

/** A tool call the program waits for. `id` is unique within the program and increases in order of request. */
export interface ToolRequest {
  id: number;
  name: string;
  args: JsonObject;
  /** Journal id of the innermost enclosing task. */
  task?: string;
  /** Made in a branch of pmap or pcalls. */
  parallel?: true;
  /** The call is not to be made: the host is asked whether it shall be. */
  other_effect?: OtherEffectQuestion;
}

/** Whether a program waits for tools or is over. */
export type ProgramState =
  /** `requests` are the new ones since the last `run`. Call `run` again after any `resume`. */
  { state: "waiting"; requests: ToolRequest[] } | { state: "done"; end: ProgramEnd };

/** How a program ended, and all that it left: definitions, prints, calls, warnings. */
export interface ProgramEnd {
  outcome:
    | { kind: "value"; value: Value }
    | { kind: "return"; value: Value }
    | { kind: "fail"; value: Value }
    | { kind: "error"; fail: Failure };
  /** Definitions after the program; the caller keeps them unless the outcome is an error. */
  memory: ReadonlyMap<string, Value>;
  /** Names defined by this program, in order. */
  defined: string[];
  /** From `step-done`; the caller merges them only when the turn succeeds. */
  summaries: ReadonlyMap<string, string>;
  prints: string[];
  tool_calls: ToolRecord[];
  /** The first 1,000. */
  pmap_calls: {
    type: "pmap" | "pcalls";
    count: number;
    timestamp: number;
    duration_ms: number;
    success_count: number;
    error_count: number;
    /** Trace ids of the agents that ran in its branches, in order of their calls. */
    child_trace_ids: string[];
  }[];
  tool_cache: ReadonlyMap<string, Json>;
  /** e.g. `missing_journal`. */
  warnings: { code: string; message: string }[];
  /** Evaluation steps used. */
  steps: number;
}

/** One tool call that a program made. `timestamp` is ms since 1970, `duration_ms` ms. */
export interface ToolRecord {
  name: string;
  args: JsonObject;
  result: Json;
  /** Why the call failed; null when it did not. */
  error: string | null;
  timestamp: number;
  duration_ms: number;
  cached?: true;
  task?: string;
  /** The tool was an agent: the trace id of its run. */
  child_trace_id?: string;
  /** A person was asked first. */
  approval?: CallApproval;
}

/** Who approved or rejected a call, and when (ms since 1970). */
export interface CallApproval {
  choice: string;
  by: string;
  at: number;
  note?: string;
  /** Whether a worker knew who decided; absent: no worker was asked. */
  verified?: boolean;
  /** What the program asked for, when something else was approved; the record's `args` are what ran. */
  requested_args?: JsonObject;
}

/** What the host adds to a call besides its answer. */
export interface CallNotes {
  child_trace_id?: string;
  approval?: CallApproval;
  /** The arguments that ran. */
  args?: JsonObject;
}

/** A waiting program as plain JSON (`machine/machine-state.ts`). It does not contain the options. */
export type MachineState = JsonObject & { readonly heap: Json };

/** Definitions and earlier values that are in the program's options. They share parts with the values of the program. */
export interface GivenValues {
  memory: ReadonlyMap<string, Value>;
  history: Value[];
}

/** A started program. `run` it, and `resume` it with the answer to each request. */
export interface Program {
  run(): ProgramState;
  resume(id: number, answer: Result<Json>, notes?: CallNotes): void;
  /** All of it as JSON, after a `run` that waits: `continueProgram` continues from there. */
  state(): MachineState;
}

/**
 * Reads, checks and prepares a program. A text that cannot run ends at once with its error, before it calls anything.
 */
export type StartProgram = (options: ProgramOptions) => Program;

/**
 * A program that continues from its state, perhaps in another process: the same requests, values, prints, errors and steps
 * as if it had never stopped. The options are those of its start; definitions and history come from the state, because
 * they share parts with the program's values, and are given back.
 */
export type ContinueProgram = (
  state: MachineState,
  options: Omit<ProgramOptions, "memory" | "history">,
) => { program: Program; given: GivenValues };
