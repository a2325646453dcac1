import { defined } from "../base/defined";
import { type Failure, failed } from "../base/failure";
import { isObject } from "../base/is-object";
import { type Decision, HAND_OVER } from "./decision-input";
import { reviewKind } from "./kinds";
import { isGroupWord } from "./people/authority";
import { isReservedName } from "./people/principal";
import { isSameName } from "./people/spelling";
import { decidersAt, type HandOver, type PeopleOfReview, seatOf } from "./policy/deciders";
import type { RecordedDecision, Review } from "./review";

/** Hand-overs: somebody who may decide gives the decision to somebody else (approvals reference, section 5). */

/** The hand-overs of a review, the oldest first. */
export const handOversOf = ({ handedOver = [] }: Pick<Review, "handedOver">): HandOver[] =>
  handedOver.map((one) => ({
    by: one.by,
    from: seatOf(one),
    to: targetOf(one) ?? "",
    at: one.at,
    ...defined({ groups: one.groups }),
  }));

/** The person who asked, if they cannot decide. */
export function separatedFrom({ requestedBy, separation, kind }: Review): string | undefined {
  return (separation ?? reviewKind({ kind }).separates) ? requestedBy : undefined;
}

/** The part of a review that defines who may decide it. */
export function askedBy(review: Review): Review & PeopleOfReview {
  const separated = separatedFrom(review);
  return {
    ...review,
    ...(review.handedOver === undefined ? {} : { handOvers: handOversOf(review) }),
    ...(separated === undefined ? {} : { separatedFrom: separated }),
  };
}

/** Who gets the decision; null if the decision names nobody. */
export function targetOf({ value }: Pick<RecordedDecision, "value">): string | null {
  const to = isObject(value) && typeof value.to === "string" ? value.to.trim() : "";
  return to === "" || (isGroupWord(to) && to.endsWith(":")) ? null : to;
}

/** Why the decision cannot be given to somebody else; null if it can. Whether the giver may decide is checked elsewhere. */
export function handOverProblem(review: Review, decision: Decision, nowMs: number): Failure | null {
  const { id, noHandOver } = review;
  const details = { review: id, choice: HAND_OVER };
  const refused = (path: "choice" | "value", message: string): Failure =>
    failed("invalid_decision", message, { path, ...details }).fail;
  if (noHandOver) return refused("choice", `Review "${id}" cannot be handed over.`);
  const words = decidersAt(askedBy(review), nowMs);
  if (words.length === 0) return refused("choice", `Review "${id}" is for anyone, so there is nothing to hand over.`);
  const to = targetOf(decision);
  if (to === null)
    return refused(
      "value",
      "A hand-over needs a value that names the receiver: {to}, a name, group:NAME or lead:NAME.",
    );
  if (isReservedName(to)) return refused("value", `"${to}" is a name of the system.`);
  if (isSameName(to, decision.by)) return refused("value", `"${to}" cannot hand the decision over to "${to}".`);
  if (words.includes(to)) return refused("value", `"${to}" may decide review "${id}" already.`);
  const asked = separatedFrom(review);
  if (asked !== undefined && isSameName(to, asked))
    return failed("self_approval", `"${to}" asked for review "${id}", and cannot decide it.`, details).fail;
  return null;
}
