import { defined } from "../../base/defined";
import { type Authority, actsAs } from "../people/authority";
import { isSameName } from "../people/spelling";

/** Who may decide a review now (approvals reference, section 5). Times in ms since 1970. */

/** Who is asked as well from a time on. */
export interface LadderStep {
  at: number;
  to: string[];
  /** The time since the review was opened, in the form of its terms. */
  after_ms: number;
}

/** Somebody gave the decision to somebody else. */
export interface HandOver {
  by: string;
  /** Whose decision it was: `by`, or who delegated to `by`. */
  from: string;
  /** A name, `group:NAME` or `lead:NAME`. */
  to: string;
  at: number;
  /** The groups of `from`, where votes must come from different ones. */
  groups?: string[];
}

/** The part of a review that defines who may decide it. */
export interface PeopleOfReview {
  /** The words of those who are asked; absent or empty = anyone. */
  assignees?: string[];
  ladder?: LadderStep[];
  /** So many steps of the ladder are among the assignees. */
  escalated?: number;
  handOvers?: HandOver[];
  /** The person who asked cannot decide. */
  separatedFrom?: string;
  votes?: Voter[];
}

/** Who voted, and the represented assignee. */
export interface Voter {
  by: string;
  as?: { word: string; from?: string };
}

/** The words of those who may decide at this time; [] = anyone may. A step that is due counts before its timer fires. */
export function decidersAt(review: PeopleOfReview, nowMs: number): string[] {
  const { assignees = [], ladder = [], escalated = 0 } = review;
  if (assignees.length === 0) return [];
  const due = ladder.slice(escalated).filter(({ at }) => at <= nowMs);
  const added = due.flatMap(({ to }) => to).filter((word) => !hasHandedOver(review, word, nowMs));
  return [...new Set([...assignees, ...added])];
}

/** The assignee that a decision represents. */
export type Seat = { word: string; from?: string } | null;

/** Whether a person may decide, for which assignee, and by which right; else why not. */
export type Admitted =
  | { ok: true; seat: Seat; right: "own" | "delegation" }
  | { ok: true; seat: Seat; right: "hand_over"; groups?: string[]; delegated: boolean }
  | { ok: false; why: "self_approval" | "not_an_assignee" | "already_voted" };

/**
 * Whether somebody may decide a review at this time: nobody twice, nobody for a person who has decided or has handed the
 * decision over, and nobody for the one who asked. A person who was given a decision has that one, and no other.
 */
export function admitted(review: PeopleOfReview, by: string, authority: Authority, nowMs: number): Admitted {
  const { separatedFrom, votes = [] } = review;
  const hasAsked = (name: string) => separatedFrom !== undefined && isSameName(name, separatedFrom);
  if (hasAsked(by)) return { ok: false, why: "self_approval" };
  if (votes.some((vote) => vote.by === by)) return { ok: false, why: "already_voted" };
  const taken = new Set(votes.map(seatOf));
  const isFree = (person: string) => !taken.has(person) && !hasHandedOver(review, person, nowMs);
  if (decidersAt(review, nowMs).length === 0)
    return isFree(by) ? { ok: true, seat: null, right: "own" } : { ok: false, why: "already_voted" };
  const words = wordsInOwnRight(review, nowMs);
  const delegated = authority.delegated.filter(({ from }) => !hasAsked(from));
  const own = actsAs({ ...authority, own: isFree(by) ? authority.own : [], delegated: [] }, words);
  if (own !== null) return { ok: true, seat: own, right: "own" };
  // A person who handed a decision over has no right to it as one of those who got it, and neither has a delegate.
  const isFor = ({ from, to }: HandOver) =>
    from !== by && actsAs({ ...authority, delegated: delegated.filter((one) => one.from !== from) }, [to]) !== null;
  const given = passedSeats(review).filter(isFor);
  const free = given.find(({ from }) => !taken.has(from));
  // Who stands for the one who asked does not get round that by a decision that somebody else gives away.
  if (free !== undefined && delegated.length < authority.delegated.length) return { ok: false, why: "self_approval" };
  if (free !== undefined) {
    const { from, to, groups } = free;
    const isDelegated = !authority.own.includes(to);
    return { ok: true, seat: { word: to, from }, right: "hand_over", delegated: isDelegated, ...defined({ groups }) };
  }
  const others = { ...authority, own: [], delegated: delegated.filter(({ from }) => isFree(from)) };
  const seat = actsAs(others, words);
  if (seat !== null) return { ok: true, seat, right: "delegation" };
  if (given.length > 0) return { ok: false, why: "already_voted" };
  const asked = actsAs(authority, words);
  if (asked === null) return { ok: false, why: "not_an_assignee" };
  if (delegated.length < authority.delegated.length && actsAs({ ...authority, delegated }, words) === null)
    return { ok: false, why: "self_approval" };
  return { ok: false, why: taken.has(asked.from ?? by) ? "already_voted" : "not_an_assignee" };
}

/** The person whose decision a vote is. */
export const seatOf = ({ by, as }: Voter): string => as?.from ?? by;

/** The decisions that are with somebody else now: each is one, however many could make it. */
export function passedSeats({ handOvers = [] }: Pick<PeopleOfReview, "handOvers">): HandOver[] {
  const last = new Map(handOvers.map((one) => [one.from, one]));
  return [...last.values()].filter(({ from, to }) => from !== to);
}

/** The words of those who are asked, without those who may only decide for somebody who gave the decision to them. */
export function wordsInOwnRight(review: PeopleOfReview, nowMs: number): string[] {
  const given = new Set(passedSeats(review).map(({ to }) => to));
  return decidersAt(review, nowMs).filter((word) => !given.has(word) || isAskedByStep(review, word, nowMs));
}

const isAskedByStep = ({ ladder = [] }: PeopleOfReview, word: string, nowMs: number): boolean =>
  ladder.some(({ at, to }) => at <= nowMs && to.includes(word));

/** Whether a person gave the decision away, does not have it back, and was not asked again. */
export function hasHandedOver(review: PeopleOfReview, person: string, nowMs: number): boolean {
  const gave = passedSeats(review).find(({ from }) => from === person);
  const { ladder = [] } = review;
  return gave !== undefined && !ladder.some(({ at, to }) => at > gave.at && at <= nowMs && to.includes(person));
}

/** The words after a hand-over: without its giver, if nothing else asks them, and with its receiver. */
export function wordsAfterHandOver(
  review: PeopleOfReview,
  { from, to, at }: Pick<HandOver, "from" | "to" | "at">,
): string[] {
  const had = passedSeats(review).find((one) => one.from === from)?.to;
  const others = passedSeats(review).filter((one) => one.from !== from);
  const leaves = (word: string) =>
    !others.some((one) => one.to === word) && (word === from || (word === had && !isAskedByStep(review, word, at)));
  return [...new Set([...(review.assignees ?? []).filter((word) => !leaves(word)), to])];
}
