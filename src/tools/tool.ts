import type { z } from "zod";
import type { Json, JsonObject } from "../core/base/json";
import { NavigatorError } from "../core/base/navigator-error";
import type { EffectLookup } from "../core/calls/host";
import { ownActivityReason } from "../core/calls/own-activity";
import type { ToolSpec } from "../core/calls/tool";
import { TOOL_EFFECT_WORDS, TOOL_EFFECTS } from "../core/effects/effect-settings";
import type { ToolSchemas } from "../core/signature/json-schema/read-signature";
import { parseSignature, SignatureError } from "../core/signature/parse";
import { untilFirstWait } from "../node/heartbeats/blocking-tools";
import { type AiSdkTool, type AiSdkToolSettings, declarationOf } from "./ai-sdk-tool";
import { effectOptions, effectSettingsOf, found, isLookup } from "./effect-options";
import { CompletesLater, ToolFailure } from "./errors";
import { toolResultJson } from "./result";
import type { ToolContext, UndoContext } from "./tool-context";
import { CALL_OPTIONS, callOptions, type ToolOptions, unknownOptions } from "./tool-options";
import {
  type ArgumentsOf,
  type GivenTo,
  type ReadBy,
  type SchemaReaders,
  schemaReaders,
  type ToolSchema,
} from "./tool-schema";

export type { ToolContext, UndoContext } from "./tool-context";

/**
 * What `run` of a tool with `completesLater` returns after it handed the token over. `completeTool` or `failTool` of
 * NavigatorClient gives the answer later.
 */
export const LATER: unique symbol = Symbol.for("navigator.later") as never;

/** A tool as a worker has it. `run` checks arguments and results, and throws an error if something is wrong. */
export interface Tool {
  spec: ToolSpec;
  /** What its signature was read from, if it is a tool of an MCP server or an OpenAPI document with JSON Schemas. */
  schemas?: Omit<ToolSchemas, "rename">;
  run(args: JsonObject, call: ToolContext): Promise<Json>;
  /** Whether the call with this key has had its effect. It must not act. */
  lookup?(key: string, args: JsonObject, call: ToolContext): Promise<EffectLookup>;
  /** Takes the effect of a call back, given what the call answered. */
  undo?(args: JsonObject, result: Json, call: UndoContext): Promise<Json>;
}

/**
 * A tool in code. The arguments of `run` have the type that `input` reads, its answer is checked against `output`;
 * without schemas they are JSON. A schema is one of zod 4, a JSON Schema, or `jsonSchema()` of the AI SDK.
 */
export interface DefineTool<I extends ToolSchema = AnyInput, O extends ToolSchema = z.ZodType> extends ToolOptions {
  /** The schema of an object. Arguments are read with it before `run`. */
  input?: I;
  /** The result is read with it. A result that does not fit is a `tool_error` with code `invalid_result`. */
  output?: O;
  identity?: readonly ArgumentName<NoInfer<I>>[] | false | undefined;
  /**
   * An error that it throws is a `tool_error` in the program; ToolRetry asks for another attempt. UnknownOutcome, or a
   * broken connection, means that nobody knows whether it has acted.
   */
  run(args: ArgumentsOf<I>, call: ToolContext): Answer<O> | Promise<Answer<O>>;
  /**
   * Whether the call with this idempotency key has had its effect: `found(value)` with what the call would have
   * answered, `absent` or `unknown`. It is asked when the outcome of a call is lost, and it must not act. `absent` must
   * be certain: the call is then made again. An error that it throws means `unknown`.
   */
  lookup?(key: string, args: ArgumentsOf<I>, call: ToolContext): Lookup<O> | Promise<Lookup<O>>;
  /**
   * Takes the effect of a call back, given its arguments and its recorded answer. `call.idempotencyKey` is a separate
   * key, `call.callKey` that of the call. Like a `write`, it may be made again after a crash with the same key.
   */
  undo?(args: ArgumentsOf<I>, result: ReadBy<O>, call: UndoContext): unknown;
  /** What taking one effect back costs, in US dollars: people see it before they agree to an undo. */
  undoCost?: number;
}

/** Any text where the schema does not define the arguments. */
type ArgumentName<I extends ToolSchema> = unknown extends GivenTo<I> ? string : Extract<keyof GivenTo<I>, string>;
type Lookup<O extends ToolSchema> = EffectLookup<GivenTo<O>>;

type AnyInput = z.ZodType<JsonObject>;
type Answer<O extends ToolSchema> = GivenTo<O> | typeof LATER;

/** What shows which calls of a tool are one effect. Only an irreversible tool has to declare it. */
type Identified =
  | { effect?: Exclude<ToolSpec["effect"], "irreversible"> | undefined }
  | { identity: readonly string[] | false }
  | { repeatable: true };

/** The part of a declaration that does not depend on the types of its schemas. */
type Declared = ToolOptions & {
  input?: unknown;
  output?: unknown;
  run: unknown;
  lookup?: unknown;
  undo?: unknown;
  undoCost?: unknown;
};

/** The fields of a declaration. */
const OPTIONS = (): string[] => [
  ...["name", "description", "signature", "input", "output", "run", "effect"],
  ...Object.keys(effectOptions()),
  ...["lookup", "undo", "undoCost"],
  ...CALL_OPTIONS,
];

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
 * A tool of the AI SDK is taken as it is, under a name. It is `irreversible` unless you set another effect, since it
 * knows nothing of repeated calls:
 *
 *     defineTool("weather", weather, { effect: "read" });
 *
 * @throws NavigatorError: `reserved_tool_name`, or `invalid_tool` with what is wrong.
 */
export function defineTool<I, O>(name: string, tool: AiSdkTool<I, O>, settings?: AiSdkToolSettings<I, O>): Tool;
export function defineTool<const I extends ToolSchema = AnyInput, const O extends ToolSchema = z.ZodType>(
  options: DefineTool<I, O> & Identified,
): Tool;
/**
 * @deprecated An irreversible tool names its `identity`: the arguments that make the effect, or `false` for all of them. Without it a
 *   payment in other words is another payment.
 */
export function defineTool<const I extends ToolSchema = AnyInput, const O extends ToolSchema = z.ZodType>(
  options: DefineTool<I, O>,
): Tool;
export function defineTool(given: Declared | string, aiSdkTool?: AiSdkTool, settings: Partial<Declared> = {}): Tool {
  const options = typeof given === "string" ? (declarationOf(given, aiSdkTool, settings) as Declared) : given;
  const { name } = options;
  checkName(name);
  const readers = schemaReaders(options, (problem) => new NavigatorError("invalid_tool", `Tool ${name}: ${problem}`));
  const { run, lookup, undo } = options as unknown as Functions;
  const { readArguments, readResult } = readers;
  return {
    spec: specOf(options, readers),
    run: async (args, call) => {
      const given = await readArguments(args);
      const result = await untilFirstWait(name, () => run(given, call));
      if (result === LATER) throw new CompletesLater();
      return readResult(result);
    },
    ...(lookup && {
      lookup: async (key, args, call) => {
        const outcome = await lookup(key, await readArguments(args), call);
        if (!isLookup(outcome))
          throw new ToolFailure("its lookup must answer found(value), absent or unknown", { code: "invalid_result" });
        return outcome.state === "found" ? found(await readResult(outcome.value)) : outcome;
      },
    }),
    ...(undo && {
      undo: async (args, result, call) => toolResultJson(await undo(await readArguments(args), result, call)),
    }),
  };
}

/** The functions of a tool, without the types of its schemas. */
interface Functions {
  run(args: unknown, call: ToolContext): unknown;
  lookup?(key: string, args: unknown, call: ToolContext): unknown;
  undo?(args: unknown, result: unknown, call: UndoContext): unknown;
}

/** @param derived what its schemas define */
function specOf(options: Declared, derived: Pick<SchemaReaders, "signature" | "takes">): ToolSpec {
  const { name } = options;
  const wrong = (problem: string) => new NavigatorError("invalid_tool", `Tool ${name}: ${problem}`);
  const unknown = unknownOptions(options, OPTIONS());
  if (unknown !== undefined) throw wrong(unknown);
  if (typeof options.run !== "function") throw wrong("`run` must be a function (args, call) => result.");
  const spec: ToolSpec = { name, effect: options.effect ?? "write" };
  if (!TOOL_EFFECTS.includes(spec.effect))
    throw wrong(`effect must be ${TOOL_EFFECT_WORDS}, got ${JSON.stringify(options.effect)}.`);
  if (options.description !== undefined) spec.description = options.description;
  const signature = signatureText(options, wrong) ?? derived.signature;
  if (signature !== undefined) spec.signature = signature;
  if (spec.effect !== "read" && derived.takes !== undefined) spec.takes = derived.takes;
  Object.assign(spec, callOptions(options, wrong), effectSettingsOf(options, spec, wrong));
  const alone = spec.batch === undefined ? undefined : ownActivityReason(spec);
  if (alone !== undefined) throw wrong(`\`batch\` has no use: ${alone}.`);
  for (const name of ["lookup", "undo"] as const) {
    const given = options[name];
    if (given === undefined) continue;
    if (typeof given !== "function") throw wrong(`\`${name}\` must be a function.`);
    if (spec.effect === "read") throw wrong(`a read has no effect, so \`${name}\` has no use.`);
    spec[name] = true;
  }
  const { undoCost } = options;
  if (undoCost !== undefined) {
    if (!spec.undo) throw wrong("`undoCost` has no use without `undo`.");
    if (typeof undoCost !== "number" || !(undoCost >= 0)) throw wrong("`undoCost` must be a number of at least 0.");
    spec.undo_cost = undoCost;
  }
  return spec;
}

/** Checks whether a program can call a tool by this name. */
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

/** The signature that the author wrote. */
function signatureText({ signature }: Declared, wrong: (problem: string) => Error): string | undefined {
  try {
    if (signature !== undefined) parseSignature(signature);
    return signature;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw wrong(`its signature has a ${error.message}`);
  }
}
