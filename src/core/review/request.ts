import { defined } from "../base/defined";
import type { Json } from "../base/json";
import { approvalOf, type SealedApproval } from "./approval";
import type { ReviewRequest } from "./kinds";
import { reviewPolicy } from "./policy/review-policy";
import { agreedVotes, type Review } from "./review";

/** The decision that closed a review; with a quorum, the choice on which enough people agreed. */
export interface FinalDecision {
  choice: string;
  value?: Json;
  /** The person who decided; `timer` if nobody did in time. With a quorum: all of them, joined. */
  by: string;
  note?: string;
  /** Ms since 1970. */
  at: number;
  /** Whether a worker knows who decided; absent: no worker was asked, as for a default. */
  verified?: boolean;
  /** For a call: what the call is sent with, so that only what was approved is made. */
  approval?: SealedApproval;
}

/** The review that a request opens, at `nowMs` (ms since 1970). */
export function openReview(request: ReviewRequest, id: string, nowMs: number): Review {
  const { editable, answers, sealed } = request;
  return {
    id,
    kind: request.kind,
    title: request.title,
    body: request.body,
    data: request.data,
    choices: request.choices,
    createdAt: nowMs,
    status: "open",
    moves: request.moves ?? {},
    ...reviewPolicy(request, nowMs, request.choices),
    ...defined({ editable, answers, sealed }),
  };
}

/** The decision of a decided review; null while it is open, and if it was withdrawn. */
export function finalDecision(review: Review): FinalDecision | null {
  const { decision } = review;
  if (!decision) return null;
  const { choice, value, by, note, at } = decision;
  const agreed = agreedVotes(review);
  const isVerified = agreed.every(({ principal }) => principal?.verified);
  const isKnown = agreed.every(({ principal }) => principal !== undefined);
  return {
    choice,
    at,
    by: agreed.length > 1 ? agreed.map((vote) => vote.by).join(", ") : by,
    ...defined({ value, note, verified: isKnown ? isVerified : undefined, approval: approvalOf(review) }),
  };
}
