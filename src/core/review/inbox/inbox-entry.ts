import { jsonBytes } from "../../base/bytes";
import type { Json } from "../../base/json";
import { dueAt } from "../policy/due";
import type { Review } from "../review";
import { type ShortReviews, shortReviews } from "./short-review";

/**
 * What a workflow publishes of everything in it that waits for a person: the memo, which describes it, and the search
 * attributes, by which it is found (approvals reference, section 7).
 */

/** A run that waits between two invocations, until somebody records a decision in its journal. */
export interface ParkedWait {
  /** What the mission returned; null if it was too long. */
  waiting: Json;
  /** Ms since 1970. */
  since: number;
  /** When the wait ends, ms since 1970; null = never. */
  until: number | null;
}

/** Everything that waits in one workflow. */
export interface WaitingWork {
  /** The open reviews. */
  reviews: readonly Review[];
  parked: ParkedWait | null;
  /** Since when no worker has what a call needs, ms since 1970. */
  blockedSince: number | null;
}

/** Nothing waits. */
export const NOTHING_WAITS: WaitingWork = { reviews: [], parked: null, blockedSince: null };

/** The memo of a workflow, as far as the inbox reads it. null = the field is taken away. */
export interface InboxMemo {
  reviews: ShortReviews | null;
  parked: ParkedWait | null;
}

/** The search attributes. null = the attribute is taken away. */
export interface InboxAttributes {
  assignees: string[] | null;
  /** When something happens next to an open review: a reminder, a step of its ladder, its end. Ms since 1970. */
  due: number | null;
  /** Since when the first thing of all has been waiting, ms since 1970. */
  asked_at: number | null;
}

/** Stands for the assignees of what anybody may decide. Nobody may have it as a name. */
export const ANYONE = "anyone";

/** Stands for the assignees that did not fit: a search for one of them reads the memo. */
export const MORE_ASSIGNEES = "*";

/** Visibility stores values up to 255 characters and 2,048 bytes a list. */
const MAX_ASSIGNEE_CHARS = 120;
const MAX_ASSIGNEES_BYTES = 1_500;

/** A parked run may return a large value; its worker can return all of it. */
const MAX_PARKED_BYTES = 4 * 1024;

/** The part of the memo that describes the waiting items. */
export function inboxMemo({ reviews, parked }: WaitingWork): InboxMemo {
  return { reviews: shortReviews(reviews), parked: parked && shortParked(parked) };
}

const shortParked = (parked: ParkedWait): ParkedWait =>
  jsonBytes(parked.waiting) <= MAX_PARKED_BYTES ? parked : { ...parked, waiting: null };

/** The attributes by which waiting items are found. */
export function inboxAttributes({ reviews, parked, blockedSince }: WaitingWork): InboxAttributes {
  const began = [...reviews.map((one) => one.createdAt), parked?.since ?? null, blockedSince].filter(
    (at) => at !== null,
  );
  if (began.length === 0) return { assignees: null, due: null, asked_at: null };
  const others = parked === null && blockedSince === null ? [] : [ANYONE];
  const words = [...reviews.flatMap(assigneesOf), ...others];
  const due = reviews.map(dueAt).filter((at) => at !== undefined);
  return {
    assignees: fitting([...new Set(words)]),
    due: due.length === 0 ? null : Math.min(...due),
    asked_at: Math.min(...began),
  };
}

/** The assignees of a review, as lists have them: `anyone` if it names none. */
export const assigneesOf = ({ assignees }: Pick<Review, "assignees">): string[] =>
  assignees === undefined || assignees.length === 0 ? [ANYONE] : assignees;

function fitting(words: readonly string[]): string[] {
  let bytes = 0;
  const kept = words.filter((word) => {
    if (word.length > MAX_ASSIGNEE_CHARS) return false;
    bytes += jsonBytes(word) + 1;
    return bytes <= MAX_ASSIGNEES_BYTES;
  });
  return kept.length === words.length ? kept : [...kept, MORE_ASSIGNEES];
}
