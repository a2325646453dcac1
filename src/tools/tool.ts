import type { z } from "zod";
import { milliseconds } from "../core/base/duration";
import type { Json, JsonObject } from "../core/base/json";
import { NavigatorError } from "../core/base/navigator-error";
import type { ToolSpec } from "../core/calls/tool";
import { parseSignature, SignatureError } from "../core/signature/parse";
import { CompletesLater, ToolFailure } from "./errors";
import { toolResultJson } from "./result";
import { callOptions, type ToolOptions } from "./tool-options";
import { zodSignature } from "./zod-signature";

/** The second argument of a tool: facts about the call. */
export interface ToolContext {
  /** The same on every attempt of this call. Pass it to the service behind the tool, so that the service acts once. */
  idempotencyKey: string;
  /** Aborted when the call is cancelled, its time is over or the worker shuts down. Pass it to `fetch`. */
  signal: AbortSignal;
  /** Sends a heartbeat now. Heartbeats are automatic while a tool waits; a tool that computes for long must call this. */
  heartbeat(): void;
  /** 1-based; above 1 after a lost worker, or when the tool asked for another attempt. */
  attempt: number;
  /** Journal id of the innermost `(task id ...)` around the call, or null. */
  task: string | null;
  agent: string | null;
  turn: number;
  /** Identifies this call for `completeTool` and `failTool`: for tools with `completesLater`. */
  token: string;
}

/**
 * What `run` of a tool with `completesLater` returns after it handed the token over. `completeTool` or `failTool` of
 * NavigatorClient gives the answer later.
 */
export const LATER: unique symbol = Symbol.for("navigator.later") as never;

/** A tool as a worker has it. `run` checks arguments and results, and throws an error if something is wrong. */
export interface Tool {
  spec: ToolSpec;
  run(args: JsonObject, call: ToolContext): Promise<Json>;
}

/**
 * A tool in code. The arguments of `run` have the type that `input` parses to, its answer is checked against `output`;
 * without schemas they are JSON.
 */
export interface DefineTool<I extends z.ZodType = AnyInput, O extends z.ZodType = z.ZodType> extends ToolOptions {
  /** An object schema. Arguments are parsed with it before `run`. */
  input?: I;
  /** The result is parsed with it. A result that does not fit is a `tool_error` with code `invalid_result`. */
  output?: O;
  /** An error that it throws is a `tool_error` in the program; ToolRetry asks for another attempt. */
  run(args: z.output<I>, call: ToolContext): Answer<O> | Promise<Answer<O>>;
}

type AnyInput = z.ZodType<JsonObject>;
type Answer<O extends z.ZodType> = z.input<O> | typeof LATER;

/** The part of a declaration that does not depend on the types of its schemas. */
type Declared = ToolOptions & { input?: z.ZodType; output?: z.ZodType; run: unknown };

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const RESERVED = ["return", "fail"];

/**
 * Makes a tool.
 *
 *     defineTool({
 *       name: "charge_card",
 *       input: z.object({ order_id: z.int(), amount: z.int() }),
 *       output: z.object({ tx: z.string() }),
 *       timeout: "30s",
 *       run: async ({ order_id, amount }, call) => ({ tx: await pay(order_id, amount, call.idempotencyKey) }),
 *     });
 *
 * @throws NavigatorError: `reserved_tool_name`, or `invalid_tool` with what is wrong.
 */
export function defineTool<I extends z.ZodType = AnyInput, O extends z.ZodType = z.ZodType>(
  options: DefineTool<I, O>,
): Tool {
  const { input, output } = options;
  const run = options.run as (args: unknown, call: ToolContext) => unknown;
  return {
    spec: specOf(options),
    run: async (args, call) => {
      const given = input === undefined ? args : await parsed(input, args, "argument", "invalid_tool_args");
      const result = await run(given, call);
      if (result === LATER) throw new CompletesLater();
      return toolResultJson(output === undefined ? result : await parsed(output, result, "result", "invalid_result"));
    },
  };
}

function specOf(options: Declared): ToolSpec {
  const { name } = options;
  checkName(name);
  const wrong = (problem: string) => new NavigatorError("invalid_tool", `Tool ${name}: ${problem}`);
  if (typeof options.run !== "function") throw wrong("`run` must be a function (args, call) => result.");
  const spec: ToolSpec = { name, effect: options.effect ?? "write" };
  if (!["read", "write", "irreversible"].includes(spec.effect))
    throw wrong(`effect must be read, write or irreversible, got ${JSON.stringify(options.effect)}.`);
  if (options.description !== undefined) spec.description = options.description;
  const signature = signatureText(options, wrong);
  if (signature !== undefined) spec.signature = signature;
  if (options.cache !== undefined) spec.cache = options.cache;
  if (options.timeout !== undefined) spec.timeout_ms = milliseconds(options.timeout, "timeout", wrong);
  if (options.task_queue !== undefined) spec.task_queue = options.task_queue;
  Object.assign(spec, callOptions(options, wrong));
  return spec;
}

export const isToolName = (name: string): boolean => NAME.test(name) && !RESERVED.includes(name);

/** @throws NavigatorError for a name that no program could call. */
export function checkName(name: unknown): void {
  if (typeof name !== "string" || !NAME.test(name))
    throw new NavigatorError(
      "invalid_tool",
      `${JSON.stringify(name)} is not a tool name: letters, digits, _ and -, not beginning with a digit, at most 64.`,
    );
  if (RESERVED.includes(name))
    throw new NavigatorError("reserved_tool_name", `A tool cannot be called "${name}": it ends a program.`);
}

function signatureText(options: Declared, wrong: (problem: string) => Error): string | undefined {
  const { input, output, signature } = options;
  if (signature !== undefined) {
    try {
      parseSignature(signature);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      throw wrong(`its signature has a ${error.message}`);
    }
    return signature;
  }
  return input === undefined && output === undefined ? undefined : zodSignature(input, output);
}

async function parsed(schema: z.ZodType, value: unknown, what: string, code: string): Promise<unknown> {
  const result = await schema.safeParseAsync(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw new ToolFailure(`invalid ${what}s: ${list}`, { code, issues });
}
