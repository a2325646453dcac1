import { defined } from "../base/defined";
import { type Failure, failed, ok, type Result } from "../base/failure";
import { isoTime } from "../base/iso-time";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "./decision-input";
import { askedBy } from "./hand-over";
import type { Authority } from "./people/authority";
import { isReservedName, kindProblem } from "./people/principal";
import { isSameName } from "./people/spelling";
import { groupsIn, neededPeople } from "./policy/agreement";
import { admitted } from "./policy/deciders";
import { agreedVotes, isIrreversible, type RecordedDecision, type Review } from "./review";
import type { Verification } from "./verification";

/**
 * Which decisions count (approvals reference, section 4): the rules over what a worker found out about who decided.
 */

/** A decision that counts, with its maker and the represented assignee. */
export type AdmittedDecision = Omit<RecordedDecision, "at">;

/**
 * A decision that counts, or why it does not. Whether the review is open and has the choice is checked elsewhere
 * (`checkDecision`).
 *
 * Reasons: `invalid_input`, `bad_signature`, `unknown_signer`, `key_revoked`, `agents_may_not_decide`, `unverified_decision`,
 * `seal_mismatch`, `replayed_decision`, `invalid_decision`, `not_an_assignee`, `already_voted`, `self_approval`; for a hand-over to nobody
 * `not_found`.
 */
export function admitDecision(
  review: Review,
  decision: Decision,
  verification: Verification,
  nowMs: number,
): Result<AdmittedDecision> {
  const refusal =
    reservedName(decision) ??
    verification.fail ??
    (decision.choice === COMMENT ? null : kindRefusal(review, verification)) ??
    signatureProblem(review, decision, verification) ??
    sealProblem(review, decision, verification) ??
    valueProblem(review, decision);
  if (refusal) return { ok: false, fail: refusal };
  const { principal, authority, peopleVersion: people_version } = verification;
  const known = { ...decision, principal, ...defined({ people_version }) };
  // A comment or a withdrawal needs no right to decide.
  if (decision.choice === COMMENT || decision.choice === WITHDRAW) return ok(known);
  const asked = admitted(askedBy(review), decision.by, authority, nowMs);
  if (!asked.ok) return { ok: false, fail: notAdmitted(review, decision.by, asked.why) };
  // Only those who may decide learn which names the project has.
  const { unknownTarget } = verification;
  if (decision.choice === HAND_OVER && unknownTarget !== undefined) return { ok: false, fail: unknownTarget };
  const isDelegate = asked.right === "delegation" || (asked.right === "hand_over" && asked.delegated);
  if (decision.choice === HAND_OVER && isDelegate)
    return { ok: false, fail: notOwnDecision(review, decision.by, asked.seat?.from) };
  const as = asked.seat ?? undefined;
  // A decision that was handed over stands for the groups of its giver, which the hand-over has noted.
  const of = asked.right === "hand_over" ? (asked.groups ?? []) : groupsOf(authority, as?.from);
  const groups = review.distinctGroups === undefined ? undefined : of;
  return ok({ ...known, ...defined({ as, groups }) });
}

/** The groups of the represented person, with those that this person leads. */
const groupsOf = ({ own, delegated }: Authority, from: string | undefined): string[] =>
  groupsIn(from === undefined ? own : delegated.filter((one) => one.from === from).map(({ word }) => word));

function notAdmitted(review: Review, by: string, why: "self_approval" | "not_an_assignee" | "already_voted"): Failure {
  if (why === "self_approval") return selfApproval(review, by);
  if (why === "not_an_assignee") return notAnAssignee(review, by);
  return alreadyVoted(
    review,
    review.votes?.find((one) => one.by === by),
  );
}

/** The person who asked cannot decide, and neither can a delegate in their place. */
export function selfApproval({ id, requestedBy = "" }: Review, by: string): Failure {
  const who = isSameName(by, requestedBy)
    ? `"${by}" asked for it`
    : `"${by}" stands for "${requestedBy}", who asked for it`;
  const message = `"${by}" may not decide review "${id}": ${who}. Somebody else decides it, unless its terms set separation: false.`;
  return failed("self_approval", message, { by, requested_by: requestedBy }).fail;
}

/** @param vote of the same person; absent = somebody else decided for them */
export function alreadyVoted(review: Review, vote: RecordedDecision | undefined): Failure {
  const { id } = review;
  if (vote === undefined)
    return failed("already_voted", `Review "${id}" was decided by somebody else in the same person's place.`).fail;
  const { by, choice, at } = vote;
  const message = `"${by}" has decided "${choice}" to review "${id}" already, at ${isoTime(at)}. ${neededPeople(review)} people must agree.`;
  return failed("already_voted", message, { choice, at }).fail;
}

/**
 * Why a decision that is recorded in the journal of a mission does not count; null if it does. Nobody is named for it, so
 * anybody may make it, except under the name of one of the project's people without being that person.
 *
 * @param replaces when the record was made that it replaces, ms since 1970: a signature that is older was used before
 */
export function recordRefusal(decision: Decision, verification: Verification, replaces?: number): Failure | null {
  const { by, time, nonce } = decision;
  const refusal = reservedName(decision) ?? verification.fail;
  if (refusal) return refusal;
  if (verification.signed === null) {
    if (countsUnsigned(false, verification)) return null;
    const why = verification.known ? `"${by}" is one of the project's people` : "set by policy";
    return failed("unverified_decision", `The decision of "${by}" is not signed, and must be: ${why}.`, { by }).fail;
  }
  const isOld = replaces !== undefined && (time ?? 0) <= replaces;
  if (nonce !== undefined && !isOld) return null;
  return failed("replayed_decision", `This decision of ${by} was signed before the record that it replaces.`, { by })
    .fail;
}

/** What a delegate gave away would outlive the delegation. */
function notOwnDecision({ id }: Review, by: string, from = ""): Failure {
  const message = `"${by}" may decide review "${id}" in the place of "${from}", and only "${from}" can hand that over.`;
  return failed("not_an_assignee", message, { by, from }).fail;
}

/** Nobody acts under a name of the system. */
export function reservedName({ by }: Pick<Decision, "by">): Failure | null {
  if (!isReservedName(by)) return null;
  return failed("invalid_input", `"${by}" is a name of the system: nobody can decide under it.`, { path: "by", by })
    .fail;
}

/** Why a principal is not one of those who may decide. */
export function notAnAssignee({ id, assignees = [] }: Review, by: string): Failure {
  return failed("not_an_assignee", `"${by}" may not decide review "${id}"; it is for ${assignees.join(", ")}.`, {
    assignees,
  }).fail;
}

/** Agents and services are no people. */
function kindRefusal(review: Review, { principal }: Verification): Failure | null {
  const { assignees = [] } = review;
  const asked = {
    assignees,
    needed: neededPeople(review),
    irreversible: isIrreversible(review),
    noAgents: review.noAgents,
  };
  const why = kindProblem(principal, asked);
  if (why === null) return null;
  return failed(
    "agents_may_not_decide",
    `"${principal.id}" is no person (${principal.kind}), and may not decide review "${review.id}": ${why}.`,
    { by: principal.id, kind: principal.kind },
  ).fail;
}

/** Whether a decision without a signature counts for a call that can be taken back, or cannot. */
export const countsUnsigned = (irreversible: boolean, { unsigned, known }: Verification): boolean =>
  unsigned === "always" || (unsigned === "reversible" && !irreversible && !known);

/** Without a signature a decision counts where policy allows it, and never as that of one of the project's people. */
function signatureProblem(review: Review, { by }: Decision, verification: Verification): Failure | null {
  const { signed, unsigned, known, people } = verification;
  if (signed !== null || countsUnsigned(isIrreversible(review), verification)) return null;
  const why =
    unsigned === "never"
      ? "the project takes no decision without a signature"
      : isIrreversible(review)
        ? "the call cannot be taken back"
        : known
          ? `"${by}" is one of the project's people`
          : "set by policy";
  return failed("unverified_decision", `The decision of "${by}" is not signed, and must be: ${why}.`, { by, people })
    .fail;
}

/** Arguments are changed by those who approve the call, and by nobody else. */
function valueProblem({ id, sealed, choices, editable }: Review, { choice, value }: Decision): Failure | null {
  if (sealed === undefined || value === undefined || choice === editable?.choice || !choices.includes(choice))
    return null;
  const message = `"${choice}" takes no value: review "${id}" takes one with "${editable?.choice}".`;
  return failed("invalid_decision", message, { path: "value", choice }).fail;
}

/** A signature is for this review as it was seen, and counts once. */
function sealProblem(review: Review, { seal, nonce, by }: Decision, { signed }: Verification): Failure | null {
  const isMissing = signed !== null && review.seal !== undefined && seal === undefined;
  if (isMissing || (seal !== undefined && seal !== review.seal))
    return failed(
      "seal_mismatch",
      `${by} decided something else than what review "${review.id}" asks: its seal is ${review.seal ?? "none"}, not ${seal ?? "none"}.`,
      defined({ seal: review.seal, given: seal }),
    ).fail;
  if (signed !== null && nonce === undefined)
    return failed(
      "replayed_decision",
      `The signed decision of ${by} has no nonce, so it cannot be distinguished from a copy.`,
    ).fail;
  if (nonce === undefined || !usedNonces(review).includes(nonce)) return null;
  return failed("replayed_decision", `This decision of ${by} was sent before: its nonce is used.`, { nonce }).fail;
}

const usedNonces = (review: Review): (string | undefined)[] => {
  const { withdrawn = [], votes = [], comments = [], handedOver = [] } = review;
  return [...withdrawn, ...votes, ...comments, ...handedOver, ...agreedVotes(review)].map(({ nonce }) => nonce);
};
