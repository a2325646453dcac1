import type { z } from "zod";
import type { Json, JsonObject } from "../core/json";
import { parseSignature, SignatureError } from "../core/signature/parse";
import type { ToolSpec } from "../core/tool";
import { ToolDefinitionError, ToolFailure } from "./errors";
import { resultJson } from "./result";
import { signatureOf } from "./zod-signature";

/** What a tool is told besides its arguments. */
export interface ToolContext {
  /** The same on every attempt of this call: hand it to the system behind the tool so that it acts once. */
  idempotencyKey: string;
  /** Aborted when the call is cancelled, its time is up or the worker shuts down. Pass it to `fetch`. */
  signal: AbortSignal;
  /** Says "still alive" now. It happens by itself while a tool waits; a tool that computes for long calls it. */
  heartbeat(): void;
  /** 1-based: above 1 when a worker was lost, or the tool asked to be called again. */
  attempt: number;
  /** Journal id of the innermost `(task id ...)` around the call, or null. */
  task: string | null;
  agent: string | null;
  turn: number;
}

/** A tool as workers hold it. `run` checks arguments and results; it throws what went wrong. */
export interface Tool {
  spec: ToolSpec;
  run(args: JsonObject, call: ToolContext): Promise<Json>;
}

export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`;

interface ToolOptions {
  /** As programs call it: `(tool/<name> {...})`. */
  name: string;
  description?: string;
  /** What the prompt shows, e.g. `(order_id :int) -> {tx :string}`; derived from `input` and `output` when not given. */
  signature?: string;
  /** Default `write`: called at least once, made exactly-once by its idempotency key. See ToolSpec. */
  effect?: ToolSpec["effect"];
  /** Results are kept for the run under (name, arguments). */
  cache?: boolean;
  /** Limit of one call: milliseconds, or a text such as "30s". */
  timeout?: Duration;
  /** Task queue of the workers that have this tool. */
  task_queue?: string;
}

export interface CheckedToolOptions<I extends z.ZodType, O extends z.ZodType> extends ToolOptions {
  /** An object schema; arguments are parsed with it before `run`. */
  input: I;
  output?: O;
  run(args: z.output<I>, call: ToolContext): z.input<O> | Promise<z.input<O>>;
}

export interface PlainToolOptions extends ToolOptions {
  input?: undefined;
  output?: z.ZodType;
  run(args: JsonObject, call: ToolContext): unknown;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const RESERVED = ["return", "fail"];

/**
 * Makes a tool.
 *
 * @throws ToolDefinitionError: `reserved_tool_name`, or `invalid_tool` with what is wrong.
 */
export function defineTool<I extends z.ZodType, O extends z.ZodType = z.ZodType>(
  options: CheckedToolOptions<I, O>,
): Tool;
export function defineTool(options: PlainToolOptions): Tool;
export function defineTool(options: PlainToolOptions | CheckedToolOptions<z.ZodType, z.ZodType>): Tool {
  const { input, output } = options;
  const run = options.run as (args: unknown, call: ToolContext) => unknown;
  return {
    spec: specOf(options),
    run: async (args, call) => {
      const given = input === undefined ? args : await parsed(input, args, "argument", "invalid_tool_args");
      const result = await run(given, call);
      return resultJson(output === undefined ? result : await parsed(output, result, "result", "invalid_result"));
    },
  };
}

function specOf(options: PlainToolOptions | CheckedToolOptions<z.ZodType, z.ZodType>): ToolSpec {
  const { name } = options;
  checkName(name);
  const wrong = (problem: string) => new ToolDefinitionError("invalid_tool", `Tool ${name}: ${problem}`);
  if (typeof options.run !== "function") throw wrong("`run` must be a function (args, call) => result.");
  const spec: ToolSpec = { name, effect: options.effect ?? "write" };
  if (!["read", "write", "irreversible"].includes(spec.effect))
    throw wrong(`effect must be read, write or irreversible, got ${JSON.stringify(options.effect)}.`);
  if (options.description !== undefined) spec.description = options.description;
  const signature = signatureText(options, wrong);
  if (signature !== undefined) spec.signature = signature;
  if (options.cache !== undefined) spec.cache = options.cache;
  if (options.timeout !== undefined) spec.timeout_ms = milliseconds(options.timeout, wrong);
  if (options.task_queue !== undefined) spec.task_queue = options.task_queue;
  return spec;
}

/** @throws ToolDefinitionError for a name that no program could call. */
export function checkName(name: unknown): void {
  if (typeof name !== "string" || !NAME.test(name))
    throw new ToolDefinitionError(
      "invalid_tool",
      `${JSON.stringify(name)} is no tool name: letters, digits, _ and -, not beginning with a digit, at most 64.`,
    );
  if (RESERVED.includes(name))
    throw new ToolDefinitionError("reserved_tool_name", `A tool cannot be called "${name}": it ends a program.`);
}

function signatureText(
  options: PlainToolOptions | CheckedToolOptions<z.ZodType, z.ZodType>,
  wrong: (problem: string) => Error,
): string | undefined {
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
  return input === undefined && output === undefined ? undefined : signatureOf(input, output);
}

const UNIT_MS: { [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function milliseconds(duration: Duration, wrong: (problem: string) => Error): number {
  const text = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(duration));
  const ms = text ? Math.round(Number(text[1]) * (UNIT_MS[text[2] as string] as number)) : duration;
  if (typeof ms !== "number" || !Number.isInteger(ms) || ms <= 0)
    throw wrong(`timeout must be milliseconds or a text such as "30s", got ${JSON.stringify(duration)}.`);
  return ms;
}

async function parsed(schema: z.ZodType, value: unknown, what: string, code: string): Promise<unknown> {
  const result = await schema.safeParseAsync(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw new ToolFailure(`invalid ${what}s: ${list}`, { code, issues });
}
