import { type Failure, failed } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { ToolSpec } from "../../calls/tool";
import { droppedFields } from "../../effects/declared-input";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { checkValue, type Mismatch, renderMismatches } from "../../signature/check";
import { parseSignature, SignatureError } from "../../signature/parse";

/**
 * Why a call cannot be made: its arguments do not fit the signature of the tool (agent reference, section 4.2); null if
 * they do. The check is strict, nothing is converted; arguments that are not declared are allowed, if the tool is given them.
 * An argument that a tool with effects would never see is refused: nobody approves it, and it makes no other effect.
 *
 * @returns reason `tool_error`, details `{tool, code: "invalid_tool_args", issues: [{path, message}]}`
 */
export function wrongArguments({ name, signature, effect, takes }: ToolSpec, args: JsonObject): Failure | null {
  const unfit = signature === undefined ? [] : mismatches(signature, args);
  const dropped = effect === "read" ? [] : droppedFields(takes, args);
  const issues = [...unfit, ...dropped];
  if (issues.length === 0) return null;
  const message = `invalid arguments: ${renderMismatches(issues, "")}`;
  const details = { tool: name, code: "invalid_tool_args", issues: issues as unknown as Json };
  return failed("tool_error", message, details).fail;
}

function mismatches(signature: string, args: JsonObject): Mismatch[] {
  try {
    const { parameters } = parseSignature(signature);
    if (parameters.length === 0) return [];
    return checkValue({ kind: "record", fields: parameters }, fromJson(args), { keywordsAsText: true });
  } catch (error) {
    if (error instanceof LispError) return [{ path: "", message: error.message }];
    // A worker of another version may describe its tools in a notation that is not known here.
    if (error instanceof SignatureError) return [];
    throw error;
  }
}
