import { defined } from "../base/defined";
import type { Json, JsonObject } from "../base/json";
import { approvalOf, type SealedApproval } from "./approval";
import { reviewPolicy } from "./policy/review-policy";
import type { ReviewTerms } from "./policy/terms";
import { agreedVotes, type Review } from "./review";
import type { SealedCall } from "./seal";

/** A run's question to people: a tool call to approve, or a question to answer. Times in milliseconds. */
export interface ReviewRequest extends ReviewTerms {
  source: Review["source"];
  /** Names the review within its workflow, together with its number: a tool's name. */
  about: string;
  title: string;
  /** Markdown. */
  body: string;
  data: JsonObject;
  choices: string[];
  /** With a choice named here a value may be given, which must fit these parameters (signature notation). */
  editable?: { choice: string; parameters: string };
  /** With a choice named here a value must be given: what a tool with this signature answers. */
  answers?: { choice: string; signature: string };
  /** For a call: what its seal covers. */
  sealed?: SealedCall;
}

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
    source: request.source,
    title: request.title,
    body: request.body,
    data: request.data,
    choices: request.choices,
    createdAt: nowMs,
    status: "open",
    moves: {},
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
