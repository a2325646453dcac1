import { canonical } from "../../base/canonical";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { isKeyOf } from "../../review/approval";
import { editedArgs } from "../../review/edit";
import type { RecordedDecision } from "../../review/review";
import { type KnownReview, sealOfAsked } from "./known-review";

/** Whether a call is the one that a review asked about (approvals reference, section 3). */

/** A call as the link of its effect has it. */
export interface LinkedCall {
  tool: string;
  key: string;
  args: JsonObject;
}

/** Whether the call has the arguments that the yes is for; `unknown`: what was asked about was too long to be kept. */
export function hasApprovedArgs(known: KnownReview, yes: RecordedDecision, { args }: LinkedCall): boolean | "unknown" {
  const { asked, body } = known;
  const before = askedArgs(known);
  if (before !== undefined) return canonical(editedArgs(before, yes.value)) === canonical(args);
  if (asked === undefined || isObject(yes.value)) return "unknown";
  const data = isObject(asked.data) ? asked.data : {};
  return sealOfAsked(body, { ...asked, data: { ...data, args } }) === body.seal;
}

const askedArgs = ({ asked }: KnownReview): JsonObject | undefined =>
  isObject(asked?.data) && isObject(asked.data.args) ? asked.data.args : undefined;

/** Why a call is another one than the one that was asked about, whatever its arguments; null: it is that one. */
export function otherCallProblem(known: KnownReview, yes: RecordedDecision, call: LinkedCall): string | null {
  const { asked, body } = known;
  if (asked === undefined) return null;
  const id = String(body.id);
  const tool = isObject(asked.data) ? asked.data.tool : undefined;
  if (tool !== call.tool) return `review "${id}" asked about tool/${String(tool)}`;
  return hasKey(known, yes, call) ? null : `review "${id}" asked about another effect`;
}

function hasKey(known: KnownReview, yes: RecordedDecision, { key, args }: LinkedCall): boolean {
  const { sealed } = known.asked ?? {};
  if (!isObject(sealed) || typeof sealed.mission !== "string") return false;
  const { generation, mission, shared } = sealed;
  const before = askedArgs(known);
  const isEdited = before === undefined ? isObject(yes.value) : canonical(before) !== canonical(args);
  return isKeyOf({ generation: String(generation), mission, ...(shared === true ? { shared } : {}) }, key, isEdited);
}
