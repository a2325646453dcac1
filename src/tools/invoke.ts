import { failed, ok, type Result } from "../core/base/failure";
import type { Json, JsonObject } from "../core/base/json";
import { thrownText } from "../core/base/navigator-error";
import { cutText } from "../core/base/whole-characters";
import type { EffectLookup } from "../core/calls/host";
import { isToolRetry, isUnknownOutcome, ToolFailure, unknownOutcomeText } from "./errors";
import { mayHaveReached } from "./network";
import { ResultTooLarge } from "./result";
import type { Tool, ToolContext, UndoContext } from "./tool";

const MAX_MESSAGE_CHARS = 2_000;

/**
 * Calls a tool; what it answers or throws comes back as data (`tool_error`, details `{tool, code}`). Where the tool
 * cannot know whether it has acted, the code is `unknown_outcome`. Thrown on are only a ToolRetry, an error that `passes`
 * claims, and whatever ends a call whose signal was aborted.
 */
export async function invokeTool(
  tool: Tool,
  args: JsonObject,
  call: ToolContext,
  passes: Passes = () => false,
): Promise<Result<Json>> {
  try {
    return ok(await answerOrDocument(call, () => tool.run(args, call)));
  } catch (error) {
    if (isForTemporal(error, call, passes)) throw error;
    return toolError(tool, error);
  }
}

/** What a tool answers. What is too large for a history is kept as a document, and the answer is its reference. */
export async function answerOrDocument(
  { documents }: Pick<ToolContext, "documents">,
  run: () => Promise<Json>,
): Promise<Json> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ResultTooLarge) || documents === undefined) throw error;
    const { result } = error;
    const content = typeof result === "string" ? result : JSON.stringify(result);
    const media_type = typeof result === "string" ? "text/plain" : "application/json";
    return { ...(await documents.write(content, { media_type })) };
  }
}

/**
 * Asks a tool whether the call with the key of `call` has had its effect. A tool that cannot be asked, and an error of
 * it, is `unknown` with the reason. Thrown on is the same as by `invokeTool`.
 */
export async function lookUpEffect(
  tool: Tool,
  args: JsonObject,
  call: ToolContext,
  passes: Passes = () => false,
): Promise<EffectLookup> {
  if (tool.lookup === undefined)
    return { state: "unknown", message: `the tool ${tool.spec.name} of this worker has no lookup` };
  try {
    return await tool.lookup(call.idempotencyKey, args, call);
  } catch (error) {
    if (isForTemporal(error, call, passes)) throw error;
    return { state: "unknown", message: messageOf(error) };
  }
}

/** Lets a tool take the effect of a call back; answers and throws as `invokeTool` does. */
export async function undoEffect(
  tool: Tool,
  args: JsonObject,
  result: Json,
  call: UndoContext,
  passes: Passes = () => false,
): Promise<Result<Json>> {
  const { name } = tool.spec;
  if (tool.undo === undefined)
    return failed("tool_error", `the tool ${name} of this worker has no undo`, { tool: name, code: "no_undo" });
  try {
    return ok(await tool.undo(args, result, call));
  } catch (error) {
    if (isForTemporal(error, call, passes)) throw error;
    return toolError(tool, error);
  }
}

/** Claims errors of a tool that are no answer of it. */
type Passes = (error: unknown) => boolean;

const isForTemporal = (error: unknown, { signal }: ToolContext, passes: Passes): boolean =>
  isToolRetry(error) || passes(error) || signal.aborted;

function toolError({ spec }: Tool, error: unknown): Result<never> {
  if (spec.effect !== "read" && isLost(error))
    return failed("tool_error", unknownOutcomeText(messageOf(error)), { tool: spec.name, code: "unknown_outcome" });
  const details = error instanceof ToolFailure ? error.details : { code: "tool_error" };
  return failed("tool_error", messageOf(error), { tool: spec.name, ...details });
}

/** Whether a tool may have acted without knowing it. A ToolFailure of the tool decides this itself. */
const isLost = (error: unknown): boolean =>
  isUnknownOutcome(error) || (!(error instanceof ToolFailure) && mayHaveReached(error));

const messageOf = (error: unknown): string => cutText(errorText(error), MAX_MESSAGE_CHARS);

/** An error in one line, with its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:4242`. */
export function errorText(error: unknown): string {
  const texts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 4; depth++) {
    // Not by class: errors of Node's own code may come from another realm.
    const { message, code, name, cause } = at as Partial<NodeJS.ErrnoException>;
    const text = typeof message === "string" ? message || code || name || "error" : thrownText(at);
    if (!texts.includes(text)) texts.push(text);
    at = cause;
  }
  return texts.join(": ");
}
