import type { SearchAttributeUpdatePair } from "@temporalio/common";
import { workflowInfo } from "@temporalio/workflow";
import {
  type InboxMemo,
  inboxAttributes,
  inboxMemo,
  NOTHING_WAITS,
  type WaitingWork,
} from "../../core/review/inbox/inbox-entry";
import { inboxAttributePairs } from "../search-attributes";
import { reportParked, reportReview } from "../telemetry/run-trace";

/** The changes that make lists show the waiting work. Both may be empty: each upsert is an event. */
export interface InboxChanges {
  attributes: SearchAttributeUpdatePair[];
  memo: Partial<InboxMemo>;
}

/** Nothing has changed. */
const NO_CHANGES: InboxChanges = { attributes: [], memo: {} };

/** Reports how long people were waited for, when a wait is over. */
function reportWaits(before: WaitingWork, now: WaitingWork): void {
  if (before.parked !== null && now.parked === null) reportParked(before.parked.since);
  if (before.reviews.length === 0) return;
  const open = new Set(now.reviews.map(({ id }) => id));
  for (const review of before.reviews) if (!open.has(review.id)) reportReview(review.id, review.kind, review.createdAt);
}

/** The entry of one workflow in the inbox, and its changes (approvals reference, section 7). */
export class ShownInbox {
  private waiting: WaitingWork;
  private memo: { [Field in keyof InboxMemo]: string };
  private attributes: string;

  /** @param shown what the run that this one continues has published */
  constructor(shown: Partial<WaitingWork> = {}) {
    this.waiting = { ...NOTHING_WAITS, ...shown };
    this.memo = textsOf(inboxMemo(this.waiting));
    this.attributes = JSON.stringify(inboxAttributes(this.waiting));
  }

  /** Since when the run is blocked, ms since 1970; null = it is not. */
  get blockedSince(): number | null {
    return this.waiting.blockedSince;
  }

  /** Notes the work that waits now. Returns the changes for lists. */
  change(now: Partial<WaitingWork>): InboxChanges {
    // A task reports every move, and most moves change no review.
    if (this.isSame(now)) return NO_CHANGES;
    const before = this.waiting;
    this.waiting = { ...before, ...now };
    reportWaits(before, this.waiting);
    const attributes = inboxAttributes(this.waiting);
    const text = JSON.stringify(attributes);
    const found = text !== this.attributes;
    this.attributes = text;
    return { attributes: found ? inboxAttributePairs(attributes) : [], memo: this.changedMemo() };
  }

  /** The memo that the next run begins with. */
  forNextRun(): { [field: string]: unknown } {
    return Object.fromEntries(Object.entries(inboxMemo(this.waiting)).filter(([, value]) => value !== null));
  }

  private isSame({ reviews, ...rest }: Partial<WaitingWork>): boolean {
    const before = this.waiting.reviews;
    if (Object.keys(rest).length > 0 || reviews === undefined) return false;
    return reviews.length === before.length && reviews.every((one, i) => one === before[i]);
  }

  private changedMemo(): Partial<InboxMemo> {
    const memo = inboxMemo(this.waiting);
    const texts = textsOf(memo);
    const before = this.memo;
    this.memo = texts;
    return {
      ...(texts.reviews === before.reviews ? {} : { reviews: memo.reviews }),
      ...(texts.parked === before.parked ? {} : { parked: memo.parked }),
    };
  }
}

/**
 * Returns the memo for the next run of a workflow that publishes its waiting work: the server does not copy the memo.
 *
 * @param news fields that are newer than those of the memo
 */
export function continuedMemo(news: { [field: string]: unknown } = {}): { memo?: Record<string, unknown> } {
  const { memo } = workflowInfo();
  return memo === undefined && Object.keys(news).length === 0 ? {} : { memo: { ...memo, ...news } };
}

const textsOf = ({ reviews, parked }: InboxMemo) => ({
  reviews: JSON.stringify(reviews),
  parked: JSON.stringify(parked),
});
