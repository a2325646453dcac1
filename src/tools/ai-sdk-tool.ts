import { defined } from "../core/base/defined";
import { isObject } from "../core/base/is-object";
import type { Json } from "../core/base/json";
import { NavigatorError } from "../core/base/navigator-error";
import type { EffectLookup } from "../core/calls/host";
import type { ToolContext, UndoContext } from "./tool-context";
import type { ToolOptions } from "./tool-options";
import type { ToolSchema } from "./tool-schema";

/** What `tool()` and `dynamicTool()` of the AI SDK give. `execute` runs on the worker. */
export interface AiSdkTool<I = never, O = unknown> {
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly description?: unknown;
  readonly title?: unknown;
  readonly needsApproval?: unknown;
  /** `providerOptions.navigator` has settings of the tool, such as `{ effect: "read", timeout: "10s" }`. */
  readonly providerOptions?: unknown;
  readonly execute?: ((input: I, options: never) => AsyncIterable<O> | PromiseLike<O> | O) | undefined;
}

/** The settings of a tool of the AI SDK, in addition to its own declaration. */
export interface AiSdkToolSettings<I, O> extends Omit<ToolOptions, "name" | "identity" | "completesLater"> {
  identity?: readonly Extract<keyof I, string>[] | false | undefined;
  /** As for `defineTool`. */
  lookup?(key: string, args: I, call: ToolContext): EffectLookup<Json> | Promise<EffectLookup<Json>>;
  /** As for `defineTool`. */
  undo?(args: I, result: O, call: UndoContext): unknown;
  /** As for `defineTool`. */
  undoCost?: number;
}

/** Agents have entries of other kinds in a map of tools; none of them has an `inputSchema`. */
export const isAiSdkTool = (value: unknown): value is AiSdkTool =>
  isObject(value) && "inputSchema" in value && !("spec" in value);

/** @throws NavigatorError `invalid_tool` for a tool that no worker can run */
export function declarationOf(name: string, given: unknown, settings: object): object {
  const wrong = (problem: string) => new NavigatorError("invalid_tool", `Tool ${name}: ${problem}`);
  if (!isAiSdkTool(given)) throw wrong("it must be what tool() of the AI SDK gives, with an inputSchema.");
  const { inputSchema, outputSchema, description, title, needsApproval, providerOptions } = given;
  if (typeof given.execute !== "function")
    throw wrong("it has no `execute`. Only the worker runs tools: not the provider of a model, and not a client.");
  const execute = given.execute as (input: unknown, options: object) => unknown;
  const own = isObject(providerOptions) ? providerOptions.navigator : undefined;
  if (own !== undefined && !isObject(own)) throw wrong("`providerOptions.navigator` must be a map of settings.");
  if (needsApproval && own?.approval === false)
    throw wrong(
      "it sets `needsApproval`, and `approval: false` in `providerOptions.navigator`. Leave out one of them.",
    );
  const text = [description, title].find((one) => typeof one === "string" && one !== "");
  return {
    // It was written for calls that nothing repeats.
    effect: "irreversible",
    ...(text === undefined ? {} : { description: text }),
    // A function would be asked on the worker, and people are asked before that: all its calls are approved.
    ...(needsApproval ? { approval: true } : {}),
    // An undefined setting declares nothing, and loosens nothing.
    ...defined(own ?? {}),
    ...defined(settings),
    name,
    input: inputSchema as ToolSchema,
    ...(outputSchema === undefined ? {} : { output: outputSchema as ToolSchema }),
    run: async (args: unknown, call: ToolContext) =>
      last(await execute(args, { toolCallId: call.idempotencyKey, messages: [], abortSignal: call.signal }), () =>
        call.heartbeat(),
      ),
  };
}

/** Of the answers of a tool that gives several, the last one counts. */
async function last(result: unknown, onAnswer: () => void): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let newest: unknown;
  for await (const one of result as AsyncIterable<unknown>) {
    newest = one;
    onAnswer();
  }
  return newest;
}
