import { z } from "zod";
import type { Failure, Result } from "../core/base/failure";
import { Json, type JsonObject } from "../core/base/json";
import { TOO_DEEP, tooDeepAt } from "../core/base/json/json-problem";
import { LISP_LIMITS } from "../core/base/limits";
import { decodeMemory, encodeMemory, LispError, printValue, startProgram, type Value } from "../core/lisp";
import type { JournalPort, ProgramEnd, ProgramOptions } from "../core/lisp/program";
import { PMap } from "../core/lisp/values/collections";
import { describeValue } from "../core/lisp/values/encode";
import { lookup } from "../core/lisp/values/lookup";
import { checkValue, renderMismatches } from "../core/signature/check";
import { parseSignature, SignatureError } from "../core/signature/parse";
import { makeStub, TOOL_STUB } from "./tool-stubs";

const JsonMap = z.record(z.string(), Json);

/**
 * One case of `lisp batch` (engine reference, section 11.1). Files of cases contain more fields, such as expected
 * results, which are ignored.
 */
export const LISP_CASE = z.object({
  id: z.union([z.string(), z.number()]),
  program: z.string(),
  context: JsonMap.default({}),
  /** Definitions of earlier turns; values in the tagged form. */
  memory: JsonMap.default({}),
  tools: z.record(z.string(), TOOL_STUB).default({}),
  /** Type that the result must fit. */
  signature: z.string().optional(),
  journal: JsonMap.optional(),
});
export type LispCase = z.infer<typeof LISP_CASE>;

/** The result of a case: exactly one of `ok` and `fail`. */
export interface LispAnswer {
  id: string | number | null;
  ok?: Json;
  fail?: Failure & { line?: number; column?: number; value?: Json };
  prints: string[];
  /** The journal after the program, when one was given. */
  journal?: JsonObject;
  /** Definitions after the program; those before it when it failed. */
  memory: JsonObject;
}

/** Answers one line of a batch. Every error is the answer's `fail`; nothing is thrown. */
export function runBatchLine(line: string, now: () => number): LispAnswer {
  const read = readCase(line);
  return read.ok ? runLispCase(read.value, now) : { id: idOf(line), fail: read.fail, prints: [], memory: {} };
}

/** An answer as one line of JSON; integers beyond 2^53 are written with all their digits. */
export function answerText(answer: LispAnswer): string {
  // Inside a JSON string the quotes would be escaped, so the tag is found nowhere else.
  return JSON.stringify(answer).replace(/\{"\$int":"(-?\d+)"\}/g, "$1");
}

function readCase(line: string): Result<LispCase> {
  try {
    const json: unknown = JSON.parse(line);
    const deep = tooDeepAt(json);
    if (deep !== undefined)
      return {
        ok: false,
        fail: { reason: "invalid_input", message: `${TOO_DEEP}, at ${deep}`, details: { path: deep } },
      };
    const parsed = LISP_CASE.safeParse(json);
    if (parsed.success) return { ok: true, value: parsed.data };
    return {
      ok: false,
      fail: {
        reason: "invalid_input",
        message: z.prettifyError(parsed.error),
        details: { path: parsed.error.issues[0]?.path.join(".") ?? "" },
      },
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {
      ok: false,
      fail: { reason: "invalid_input", message: `not JSON: ${error.message}`, details: { path: "line" } },
    };
  }
}

function idOf(line: string): string | number | null {
  const match = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(line);
  return match ? (JSON.parse(match[1]!) as string | number) : null;
}

/** Runs one case against its stubs. */
export function runLispCase(input: LispCase, now: () => number): LispAnswer {
  const journal = input.journal && new Map(Object.entries(input.journal as JsonObject));
  const run = (): Omit<LispAnswer, "id"> => {
    const stubs = new Map(Object.entries(input.tools).map(([name, spec]) => [name, makeStub(name, spec)]));
    const end = runToEnd(
      {
        source: input.program,
        data: input.context as JsonObject,
        memory: decodeMemory(input.memory as JsonObject),
        tools: new Map([...stubs.keys()].map((name) => [name, {}])),
        journal: journal ? journalOver(journal) : null,
        history: [],
        budget: {},
        tool_cache: new Map(),
        limits: LISP_LIMITS,
        now,
      },
      (name, args) => stubs.get(name)!(args),
    );
    const outcome = outcomeJson(end, input.signature);
    // All or nothing: a program that ends with an error leaves the definitions unchanged.
    const kept = outcome.fail === undefined || end.outcome.kind === "fail";
    return { ...outcome, prints: end.prints, memory: kept ? memoryJson(end.memory) : (input.memory as JsonObject) };
  };
  const { memory, ...answer } = refusable(run, input.memory as JsonObject);
  return { id: input.id, ...answer, ...(journal ? { journal: Object.fromEntries(journal) } : {}), memory };
}

/** What cannot be decoded or encoded is a failure of the case like any other. */
function refusable(run: () => Omit<LispAnswer, "id">, memory: JsonObject): Omit<LispAnswer, "id"> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof LispError)) throw error;
    return { fail: failureJson(error.toFailure()), prints: [], memory };
  }
}

/** Runs a program, answering each of its tool calls at once. */
export function runToEnd(
  options: ProgramOptions,
  callTool: (name: string, args: JsonObject) => Result<Json>,
): ProgramEnd {
  const program = startProgram(options);
  for (;;) {
    const state = program.run();
    if (state.state === "done") return state.end;
    for (const request of state.requests) program.resume(request.id, callTool(request.name, request.args));
  }
}

/** A journal kept in a map. */
export function journalOver(journal: Map<string, Json>): JournalPort {
  return {
    has: (id) => journal.has(id),
    get: (id) => journal.get(id) ?? null,
    commit: (id, value) => void journal.set(id, value),
    reset: (id) => void journal.delete(id),
  };
}

/** How a program ended, as JSON; with a signature, a result that does not fit it is a failure. */
export function outcomeJson({ outcome }: ProgramEnd, signature: string | undefined): Pick<LispAnswer, "ok" | "fail"> {
  switch (outcome.kind) {
    case "value":
    case "return": {
      const misfit = signature === undefined ? undefined : misfitOf(outcome.value, signature);
      return misfit ? { fail: misfit } : { ok: describeValue(outcome.value) };
    }
    case "fail":
      return { fail: { reason: "failed", message: failMessage(outcome.value), value: describeValue(outcome.value) } };
    case "error":
      return { fail: failureJson(outcome.fail) };
  }
}

/** How a result fails its signature, if it does. */
function misfitOf(value: Value, signature: string): Failure | undefined {
  try {
    const mismatches = checkValue(parseSignature(signature).output, value);
    if (mismatches.length === 0) return undefined;
    return { reason: "validation_error", message: renderMismatches(mismatches) };
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return { reason: "parse_error", message: `Invalid signature: ${error.message}` };
  }
}

function failMessage(value: Value): string {
  const message = value instanceof PMap ? lookup(value, "message") : value;
  return typeof message === "string" ? message : printValue(value, { items: 50 });
}

/** The place of a failure next to its message, as readers of a batch expect it. */
function failureJson(fail: Failure): NonNullable<LispAnswer["fail"]> {
  const { line, column } = fail.details ?? {};
  return {
    ...fail,
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof column === "number" ? { column } : {}),
  };
}

/** Definitions as JSON: data in the readable form; values with functions in the form that keeps them. */
export function memoryJson(memory: ReadonlyMap<string, Value>): JsonObject {
  const exact = encodeMemory(memory);
  return Object.fromEntries(
    [...memory].map(([name, value]) => {
      const shown = describeValue(value);
      return [name, JSON.stringify(shown).includes('{"$text":') ? exact[name]! : shown];
    }),
  );
}
