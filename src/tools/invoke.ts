import { failed, ok, type Result } from "../core/base/failure";
import type { Json, JsonObject } from "../core/base/json";
import { isToolRetry, ToolFailure } from "./errors";
import type { Tool, ToolContext } from "./tool";

const MAX_MESSAGE_CHARS = 2_000;

/**
 * Calls a tool; what it answers or throws comes back as data (`tool_error`, details `{tool, code}`). Thrown on are
 * only a ToolRetry, an error that `passes` claims, and whatever ends a call whose signal was aborted.
 */
export async function invokeTool(
  tool: Tool,
  args: JsonObject,
  call: ToolContext,
  passes: (error: unknown) => boolean = () => false,
): Promise<Result<Json>> {
  try {
    return ok(await tool.run(args, call));
  } catch (error) {
    if (isToolRetry(error) || passes(error) || call.signal.aborted) throw error;
    const details = error instanceof ToolFailure ? error.details : { code: "tool_error" };
    return failed("tool_error", errorText(error).slice(0, MAX_MESSAGE_CHARS), { tool: tool.spec.name, ...details });
  }
}

/** An error in one line, with its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:4242`. */
export function errorText(error: unknown): string {
  const texts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 4; depth++) {
    // Not by class: errors of Node's own code may come from another realm.
    const { message, code, name, cause } = at as Partial<NodeJS.ErrnoException>;
    const text = typeof message === "string" ? message || code || name || "error" : String(at);
    if (!texts.includes(text)) texts.push(text);
    at = cause;
  }
  return texts.join(": ");
}
