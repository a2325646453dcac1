import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { isIrreversible, type Review } from "../review";
import type { RecordedDecision } from "../review-schema";

/**
 * An open review as the memo of its workflow has it, so that lists need no worker (approvals reference, section 7). The
 * short forms of one workflow have a limit together: `cut` marks one whose body and data did not fit.
 */
export interface ShortReview extends Omit<Review, Left> {
  /** What the call does cannot be taken back. */
  irreversible?: true;
  /** The votes so far, without their notes, values and signatures. */
  votes?: ShortVote[];
  /** Votes that were taken back, each with its withdrawal, in the same form. */
  withdrawn?: ShortVote[];
  /** The body ends early, and the data is empty. */
  cut?: true;
}

type ShortVote = Pick<RecordedDecision, "by" | "choice" | "at" | "principal" | "as">;

/** Fields that only closed reviews have, or that are made short. */
type Left = "status" | "decision" | "closedAt" | "votes" | "withdrawn" | "notices";

/** All open reviews of one workflow, as its memo has them. */
export interface ShortReviews {
  open: ShortReview[];
  /** So many more are open; only the workflow itself can list them. */
  left_out?: number;
}

/** The short forms of one workflow together, in bytes: each change of an open review writes them again. */
export const SHORT_REVIEWS_BYTES = 16 * 1024;

/** The beginning of a body that did not fit, in characters. */
const CUT_BODY_CHARS = 400;

/** So many of the messages about a review that reached nobody. */
const SHOWN_UNDELIVERED = 3;

/** Whether more messages about the review may have reached nobody than its short form has. */
export const mayHaveMoreUndelivered = ({ unheard: undelivered = [] }: Pick<Review, "unheard">): boolean =>
  undelivered.length >= SHOWN_UNDELIVERED;

/** Whether people have voted: a short form has their choices alone, and not their changes and reasons. */
export const hasVotes = ({ votes = [], withdrawn = [] }: Pick<Review, "votes" | "withdrawn">): boolean =>
  votes.length + withdrawn.length > 0;

/** The short forms of the open reviews, the oldest first; null if none is open. */
export function shortReviews(open: readonly Review[], limit = SHORT_REVIEWS_BYTES): ShortReviews | null {
  if (open.length === 0) return null;
  const kept: ShortReview[] = [];
  let left = limit;
  for (const review of open) {
    const whole = shortReview(review);
    const short = [whole, cut(whole)].find((one) => bytesOf(one) <= left);
    if (short === undefined) continue;
    kept.push(short);
    left -= bytesOf(short);
  }
  return { open: kept, ...(kept.length === open.length ? {} : { left_out: open.length - kept.length }) };
}

/** The short form of one review, whole. */
export function shortReview(review: Review): ShortReview {
  const {
    status: _,
    decision: __,
    closedAt: ___,
    notices: ____,
    votes,
    withdrawn,
    unheard: undelivered,
    ...rest
  } = review;
  return {
    ...rest,
    ...(isIrreversible(review) ? { irreversible: true as const } : {}),
    ...defined({ unheard: undelivered?.slice(0, SHOWN_UNDELIVERED) }),
    ...defined({ votes: votes?.map(shortVote), withdrawn: withdrawn?.map(shortVote) }),
  };
}

const shortVote = ({ by, choice, at, principal, as }: RecordedDecision): ShortVote => ({
  ...{ by, choice, at },
  ...defined({ principal, as }),
});

function cut(review: ShortReview): ShortReview {
  return {
    ...review,
    title: cutText(review.title, 200),
    body: cutText(review.body, CUT_BODY_CHARS),
    data: {},
    cut: true,
  };
}

const bytesOf = (review: ShortReview): number => jsonBytes(review as unknown as Json) + 1;

/** The review of a short form. A short form that was cut has only the beginning. */
export function reviewOfShort(short: ShortReview): Review {
  const { irreversible: _, cut: __, ...rest } = short;
  const whole = (votes: ShortVote[] | undefined) => votes?.map((vote) => ({ review: short.id, ...vote }));
  const kept = defined({ votes: whole(short.votes), withdrawn: whole(short.withdrawn) });
  return { ...rest, status: "open", ...kept } as Review;
}

/** Reads what a memo has. Anything else than short reviews is nothing: memos can be written by others, too. */
export function readShortReviews(raw: unknown): ShortReviews {
  const { open, left_out } = (typeof raw === "object" && raw !== null ? raw : {}) as {
    open?: unknown;
    left_out?: unknown;
  };
  const sound = Array.isArray(open) ? open.filter(isShort) : [];
  return { open: sound, ...(typeof left_out === "number" && left_out > 0 ? { left_out } : {}) };
}

function isShort(one: unknown): one is ShortReview {
  const { id, kind, title, body, choices, createdAt, data } = (one ?? {}) as { [field: string]: unknown };
  const texts = [id, kind, title, body].every((text) => typeof text === "string");
  return texts && Array.isArray(choices) && typeof createdAt === "number" && isData(data);
}

const isData = (data: unknown): data is JsonObject => typeof data === "object" && data !== null && !Array.isArray(data);
