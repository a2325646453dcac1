import { defined } from "../../base/defined";
import { missionIdOf } from "../../base/ids";
import type { Missing } from "../../base/input/missing";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { askedBy } from "../hand-over";
import type { Authority } from "../people/authority";
import { admitted } from "../policy/deciders";
import { dueAt } from "../policy/due";
import type { Review } from "../review";
import { ANYONE, assigneesOf, type ParkedWait } from "./inbox-entry";
import type { InboxKind } from "./inbox-kind";
import { readShortReviews, reviewOfShort, type ShortReview } from "./short-review";

/** What a run lacks that no worker has. */
export type BlockedBy = Pick<Missing, "kind" | "name" | "text" | "help">;

/** One thing that waits for a person (approvals reference, section 7). */
export interface InboxItem {
  kind: InboxKind;
  /** The workflow that waits. */
  workflow_id: string;
  /** The workflow of what a user started. */
  mission: string;
  title: string;
  /** Since when it waits, ms since 1970. */
  since: number;
  /** Who may decide; `anyone` for what names nobody. */
  assignees: string[];
  /** When something happens next: a reminder, a step of the ladder, its end. Ms since 1970. */
  due?: number;
  /** A review that is open. All kinds but `parked` and `blocked` have one. Its votes have no notes and values. */
  review?: Review;
  /** Of a review: what its call does cannot be taken back. */
  irreversible?: true;
  /** Of a review: only the beginning of its body is here, and not its data. Its worker knows all of it. */
  cut?: true;
  /** A mission that waits until a decision is recorded in its journal. */
  parked?: ParkedWait;
  /** What no worker has. */
  blocked?: BlockedBy;
}

/** The items of a workflow's memo; `left_out`: the number of reviews that did not fit. */
export function itemsOfMemo(
  workflow_id: string,
  memo: { [field: string]: unknown },
): { items: InboxItem[]; left_out: number } {
  const { open, left_out = 0 } = readShortReviews(memo.reviews);
  const items = open.map((review) => reviewItem(workflow_id, review));
  if (isParked(memo.parked)) items.push(parkedItem(workflow_id, memo.parked));
  if (isBlocked(memo.blocked)) items.push(blockedItem(workflow_id, memo.blocked));
  return { items, left_out };
}

/** The item of an open review. */
export function reviewItem(workflow_id: string, review: ShortReview): InboxItem {
  const { kind, title, createdAt, irreversible, cut } = review;
  return {
    kind,
    workflow_id,
    mission: missionIdOf(workflow_id),
    title,
    since: createdAt,
    assignees: assigneesOf(review),
    review: reviewOfShort(review),
    ...defined({ due: dueAt(review), irreversible, cut }),
  };
}

/** The item of a mission that is parked. */
export function parkedItem(workflow_id: string, parked: ParkedWait): InboxItem {
  return {
    kind: "parked",
    workflow_id,
    mission: missionIdOf(workflow_id),
    title: parkedTitle(parked.waiting),
    since: parked.since,
    assignees: [ANYONE],
    ...(parked.until === null ? {} : { due: parked.until }),
    parked,
  };
}

/** The item of a run that lacks something. */
export function blockedItem(workflow_id: string, { since, ...blocked }: BlockedBy & { since: number }): InboxItem {
  return {
    kind: "blocked",
    workflow_id,
    mission: missionIdOf(workflow_id),
    title: blocked.text,
    since,
    assignees: [ANYONE],
    blocked,
  };
}

/** A parked mission names the awaited event in the value that it returned. */
function parkedTitle(waiting: Json): string {
  const fields = isObject(waiting) ? Object.entries(waiting).filter(([field]) => field !== "status") : [];
  const texts = fields.map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const text = texts.join(", ");
  if (text === "") return "Waits for a decision in its journal";
  return `Waits for a decision in its journal (${text.length > 160 ? `${cutText(text, 159)}…` : text})`;
}

function isParked(raw: unknown): raw is ParkedWait {
  return isObject(raw) && typeof raw.since === "number" && "waiting" in raw;
}

function isBlocked(raw: unknown): raw is BlockedBy & { since: number } {
  return isObject(raw) && typeof raw.text === "string" && typeof raw.since === "number";
}

/** The reader of a list, and the assignees that the reader may decide for. */
export interface Decider {
  by: string;
  authority: Authority;
}

/** What a list is narrowed to. */
export interface InboxFilter {
  /** Words; a review fits if one is its assignee: `anna`, `group:finance`, `anyone`. */
  assignees?: string[];
  /** Nothing keeps them from deciding it now: it is for them, and they have neither decided nor handed it over, nor asked. */
  decider?: Decider;
  kind?: InboxKind;
  /** It has been waiting since this time or longer, ms since 1970. */
  asked_before?: number;
  /** Something happens to it by this time, ms since 1970: a reminder, a step of the ladder, its end. */
  due_before?: number;
  /** Its title, body, id or workflow has this text, in any case. */
  text?: string;
}

/** Whether a list shows the item at this time, ms since 1970. */
export function isListed(item: InboxItem, filter: InboxFilter, nowMs: number): boolean {
  const { assignees, decider, kind, asked_before, due_before, text } = filter;
  if (kind !== undefined && item.kind !== kind) return false;
  if (assignees !== undefined && !item.assignees.some((word) => assignees.includes(word))) return false;
  if (decider !== undefined && !mayDecide(item, decider, nowMs)) return false;
  if (asked_before !== undefined && item.since > asked_before) return false;
  if (due_before !== undefined && (item.due === undefined || item.due > due_before)) return false;
  return text === undefined || textOf(item).includes(text.toLowerCase());
}

/** What has no review can be done by anybody. */
const mayDecide = ({ review }: InboxItem, { by, authority }: Decider, nowMs: number): boolean =>
  review === undefined || admitted(askedBy(review), by, authority, nowMs).ok;

function textOf({ title, workflow_id, review, blocked }: InboxItem): string {
  const more = [review?.id, review?.body, blocked?.help].filter((one) => one !== undefined);
  return [title, workflow_id, ...more].join("\n").toLowerCase();
}
