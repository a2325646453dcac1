import type { Result } from "../../src/core/base/failure";
import type { Json, JsonObject } from "../../src/core/base/json";
import type { LispLimits } from "../../src/core/base/limits";
import { LISP_LIMITS } from "../../src/core/base/limits";
import {
  continueProgram,
  decodeMemory,
  encodeMemory,
  LispError,
  printValue,
  startProgram,
  toPlainJson,
} from "../../src/core/lisp";
import type { JournalPort, ProgramEnd, ProgramOptions } from "../../src/core/lisp/program";
import { describeValue } from "../../src/core/lisp/values/encode";
import type { Value } from "../../src/core/lisp/values/values";
import { foreignParts } from "./foreign-parts";

/** What a program is given, as data: it is sent into other realms. */
export interface Setting {
  data?: JsonObject;
  /** Names of tools; `echo` is always there. */
  tools?: Record<string, { cache?: boolean }>;
  /** What tools answer, in turn; by default their arguments. */
  answers?: Json[];
  /** Which of the open calls is answered next, in turn; by default the oldest. */
  picks?: number[];
  limits?: Partial<LispLimits>;
  /** Written down as JSON and read again at each wait, as when a run continues as new. */
  continued?: boolean;
}

/** Little enough for a hundred thousand programs, and enough for each of them to do something. */
const LIMITS: Partial<LispLimits> = { max_steps: 100_000, max_steps_between_effects: 60_000, max_bytes: 4_000_000 };

/**
 * Everything that a caller can see of a run: two runs are the same if these are. This file imports only what is pure, so
 * that it can be loaded in a realm without Node.
 */
export interface Fingerprint {
  kind: "value" | "return" | "fail" | "error";
  /** Reason and code of an error. */
  reason?: string;
  code?: string;
  message?: string;
  place?: [line: unknown, column: unknown];
  steps: number;
  /** Tool calls that were answered. */
  calls: number;
  /** All of the rest. */
  text: string;
  /** What must never be. */
  faults: string[];
}

/** Runs a program, and gives everything that can be seen of it. */
export function fingerprint(source: string, setting: Setting = {}): Fingerprint {
  const journal = new Map<string, Json>();
  const faults: string[] = [];
  const { end, calls } = run(optionsOf(source, setting, journal), setting, faults);
  const { outcome } = end;
  const error = outcome.kind === "error" ? outcome.fail : undefined;
  const { line, column, code } = error?.details ?? {};
  const { outcome: _, memory, ...seen } = end;
  const parts = {
    shown: outcome.kind === "error" ? outcome.fail : shownValue(outcome.value, faults),
    kept: keptMemory(memory, faults),
    journal: [...journal],
    ...seen,
    summaries: [...end.summaries],
    tool_cache: [...end.tool_cache],
  };
  return {
    kind: outcome.kind,
    ...(error === undefined
      ? {}
      : { reason: error.reason, code: String(code), message: error.message, place: [line, column] }),
    steps: end.steps,
    calls,
    text: JSON.stringify(parts),
    faults,
  };
}

function optionsOf(source: string, setting: Setting, journal: Map<string, Json>): ProgramOptions {
  const port: JournalPort = {
    has: (id) => journal.has(id),
    get: (id) => journal.get(id) ?? null,
    commit: (id, value) => void journal.set(id, value),
    reset: (id) => void journal.delete(id),
  };
  return {
    source,
    data: setting.data ?? {},
    memory: new Map(),
    tools: new Map(Object.entries({ echo: {}, ...setting.tools })),
    journal: port,
    history: [1, null, "before"],
    budget: { turns: 3, "retry-turns": 1 },
    tool_cache: new Map(),
    limits: { ...LISP_LIMITS, ...LIMITS, ...setting.limits },
    now: () => 1_700_000_000_000,
  };
}

/** Runs a program, whose open calls are answered in the order of the setting. */
function run(
  options: ProgramOptions,
  { answers, picks, continued }: Setting,
  faults: string[],
): { end: ProgramEnd; calls: number } {
  let program = startProgram(options);
  const open: { id: number; args: JsonObject }[] = [];
  for (let calls = 0; ; calls++) {
    const state = program.run();
    if (state.state === "done") return { end: state.end, calls };
    for (const request of state.requests) {
      if (!options.tools.has(request.name)) faults.push(`it calls ${request.name}, which is not one of its tools`);
      open.push(request);
    }
    if (continued) program = continueProgram(JSON.parse(JSON.stringify(program.state())), options).program;
    const at = (picks?.[calls % picks.length] ?? 0) % open.length;
    const [call] = open.splice(at, 1) as [{ id: number; args: JsonObject }];
    const value = answers === undefined ? call.args : (answers[calls % answers.length] as Json);
    program.resume(call.id, answerOf(value));
  }
}

/** `{"$fail": text}` stands for a call that fails. */
function answerOf(value: Json): Result<Json> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || typeof value.$fail !== "string")
    return { ok: true, value };
  return { ok: false, fail: { reason: "tool_error", message: value.$fail } };
}

/** A value in every form in which it leaves the program; a refusal is an answer too. */
function shownValue(value: Value, faults: string[]): Json {
  faults.push(...foreignParts(value));
  return [() => printValue(value), () => describeValue(value), () => toPlainJson(value)].map(refusable);
}

/** The definitions as they are kept. Read back and written again they must be the same. */
function keptMemory(memory: ReadonlyMap<string, Value>, faults: string[]): Json {
  for (const value of memory.values()) faults.push(...foreignParts(value));
  return refusable(() => {
    const kept = JSON.stringify(encodeMemory(memory));
    const again = JSON.stringify(encodeMemory(decodeMemory(JSON.parse(kept))));
    if (again !== kept) faults.push(`kept ${kept.slice(0, 500)}, then ${again.slice(0, 500)}`);
    return kept;
  });
}

function refusable(form: () => Json): Json {
  try {
    return form();
  } catch (error) {
    if (error instanceof LispError) return { refused: error.message };
    throw error;
  }
}
