import { defined } from "../base/defined";
import { type Failure, failed, type Result } from "../base/failure";
import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { canonicalJson } from "../effects/canonical-json";
import { toolVersion } from "../effects/effect-id";
import { TOOL_EFFECTS } from "../effects/effect-settings";
import { outdatedTerms, stricterApproval } from "../review/stricter-approval";
import type { CallToolInput } from "./activities";
import type { ToolSpec } from "./tool";

/**
 * The tool as its worker declares it now (engine reference, section 5). A mission keeps the declaration that it began with, and a
 * deploy may have changed it: of both the stricter one counts.
 */

/** What has changed. */
type ChangedPart = "approval" | "terms" | "effect" | "version";

/** The part of a call that shows which declaration its mission knows. */
type KnownCall = Pick<CallToolInput, "effect" | "approval" | "reads">;

/**
 * Why a call is not made: its mission does not know that the tool has become stricter, or people approved another version of it. null:
 * it may be made. Reason `tool_changed`, with the present declaration for the run, which then asks.
 */
export function changedTool(spec: ToolSpec, { effect, approval, reads }: KnownCall): Failure | null {
  const { name } = spec;
  const changed = (kind: ChangedPart, what: string) =>
    failed("tool_changed", `The tool ${name} has changed since this call was prepared: ${what}.`, {
      path: name,
      kind,
      spec: JSON.parse(JSON.stringify(spec)) as Json,
    }).fail;
  if (reads && spec.effect !== "read") return changed("effect", `it does not only read now, it is ${spec.effect}`);
  if (effect?.kind === "write" && spec.effect === "irreversible")
    return changed("effect", "its calls cannot be taken back now");
  if (approval === undefined) return spec.approval ? changed("approval", "people must approve each call now") : null;
  const version = toolVersion(spec);
  if (approval.sealed.tool_version !== version)
    return changed("version", `people approved version ${approval.sealed.tool_version}, and it is ${version} now`);
  const { terms } = approval.sealed;
  const outdated = terms === undefined ? null : outdatedTerms(spec.approval, terms);
  return outdated === null ? null : changed("terms", `people were asked by other terms: ${outdated}`);
}

/** The present declaration, of an answer that reports a changed tool; undefined: the answer is another one. */
export function presentSpec(answer: Result<Json>): ToolSpec | undefined {
  if (answer.ok || answer.fail.details?.code !== "tool_changed") return undefined;
  const { spec } = answer.fail.details;
  return isObject(spec) && typeof spec.name === "string" ? (spec as unknown as ToolSpec) : undefined;
}

/** The answer for the program, without the declaration. */
export function withoutSpec(answer: Result<Json>): Result<Json> {
  if (answer.ok || presentSpec(answer) === undefined) return answer;
  const { spec: _, ...details } = answer.fail.details ?? {};
  return { ok: false, fail: { ...answer.fail, details } as Failure };
}

/**
 * The declaration that a mission has, made as strict as the present one. It keeps its version, identity and defaults, so that its
 * calls stay the same effects.
 */
export function strictestTool(own: ToolSpec, now: ToolSpec): ToolSpec {
  const { signature = own.signature } = now;
  const effect =
    TOOL_EFFECTS[Math.max(TOOL_EFFECTS.indexOf(own.effect), TOOL_EFFECTS.indexOf(now.effect))] ?? own.effect;
  const approval = stricterApproval(now.approval, own.approval);
  const changed = defined({ effect, signature, approval });
  const before = defined({ effect: own.effect, signature: own.signature, approval: own.approval });
  const isSame = canonicalJson(changed as JsonObject) === canonicalJson(before as JsonObject);
  return isSame ? own : { ...own, ...changed, version: toolVersion(own) };
}
