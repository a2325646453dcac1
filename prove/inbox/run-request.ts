import { ReviewBook } from "../../src/core/review/book";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "../../src/core/review/decision-input";
import { authorityOf } from "../../src/core/review/people/authority";
import type { Review } from "../../src/core/review/review";
import type { Verification } from "../../src/core/review/verification";
import { type InboxAct, type InboxCase, MONTH_MINUTES, PEOPLE } from "./request-case";

/** What became of a request: each line is what happened in which minute. Two runs of one case have the same lines. */
export type Course = CourseEvent[];

/** Something that happened, or that was refused. */
export interface CourseEvent {
  minute: number;
  what: "reminded" | "escalated" | "taken" | "refused" | "decided" | "withdrawn";
  /** Who did it, who is asked as well, or who decided what. */
  who: string;
}

/** What a run also counts. */
export interface RunCounts {
  restarts: number;
  postponed: number;
  delegated: number;
  /** Codes of refusals. */
  refusals: string[];
}

const MINUTE_MS = 60_000;

/**
 * Runs a request on the reviews of the product: a clock that skips from one due time to the next, as the timers of its
 * workflow do, and the state through JSON now and then, as continue-as-new does.
 */
export function runRequest(one: InboxCase, bookOf = newBook): { course: Course; counts: RunCounts } {
  const timeOf = (minute: number) => one.begin + minute * MINUTE_MS;
  const minuteOf = (ms: number) => Math.ceil((ms - one.begin) / MINUTE_MS);
  /** The first minute, from this one on, in which something runs. */
  const running = (minute: number) => one.outages.find(([from, to]) => from <= minute && minute < to)?.[1] ?? minute;
  const course: Course = [];
  const counts: RunCounts = { restarts: 0, postponed: 0, delegated: 0, refusals: [] };
  let book = bookOf(one);
  const { id } = book.request(
    {
      ...one.terms,
      kind: one.kind,
      about: "pay",
      title: "Pay?",
      body: "",
      data: { effect: "irreversible" },
      choices: ["approve", "reject"],
    },
    "agent/proof",
    timeOf(one.opened),
  );
  const review = () => book.get(id) as Review;
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps % one.restart_every !== 0) return;
    counts.restarts += 1;
    const { reviews, count } = JSON.parse(JSON.stringify(book.state())) as ReturnType<ReviewBook["state"]>;
    book = bookOf(one, reviews, count);
  };
  const acts = one.acts.map((act) => ({ act, minute: running(act.minute) }));
  let done = 0;
  const perform = (minute: number, isFirst: boolean) => {
    for (; done < acts.length; done++) {
      const { act, minute: at } = acts[done] as (typeof acts)[number];
      if (at !== minute || (isFirst && !act.first)) return;
      const given = performed(book, review(), act, { one, nonce: `nonce-of-act-number-${done}`, now: timeOf(minute) });
      if (given.code !== undefined) counts.refusals.push(given.code);
      if (given.delegated) counts.delegated += 1;
      course.push(...given.events.map((event) => ({ minute, ...event })));
      step();
    }
  };
  for (let minute = one.opened; ; ) {
    perform(minute, true);
    if (minute >= MONTH_MINUTES) {
      if (review().status === "open") course.push({ minute, what: "withdrawn", who: "the end" });
      return { course, counts };
    }
    const due = book.nextDue();
    if (due !== null && minuteOf(due) <= minute) {
      const before = review();
      const { timedOut, reminded, escalated } = book.passTime(timeOf(minute));
      if (review().quietUntil !== undefined && review().quietUntil !== before.quietUntil) counts.postponed += 1;
      for (const after of escalated)
        course.push({ minute, what: "escalated", who: newWords(before, after, one).join(", ") });
      if (reminded.length > 0) course.push({ minute, what: "reminded", who: "" });
      for (const { decision } of timedOut)
        course.push({ minute, what: "decided", who: `${decision?.choice} by ${decision?.by}` });
      step();
    }
    perform(minute, false);
    const next = book.nextDue();
    const nextDue = next === null ? MONTH_MINUTES : Math.max(minute + 1, minuteOf(next));
    minute = Math.min(running(nextDue), acts[done]?.minute ?? MONTH_MINUTES, MONTH_MINUTES);
  }
}

/** Who is asked as well: where anyone may decide, those that the steps name. */
function newWords(before: Review, after: Review, { terms }: InboxCase): string[] {
  if (before.assignees?.length) return (after.assignees ?? []).filter((one) => !before.assignees?.includes(one));
  const steps = (terms.escalate ?? []).slice(before.escalated ?? 0, after.escalated);
  return [...new Set(steps.flatMap(({ to }) => to))];
}

const newBook = ({ requested_by }: InboxCase, reviews: Review[] = [], count = 0): ReviewBook =>
  new ReviewBook(reviews, count, undefined, () => "nonce-of-the-review", requested_by ?? undefined);

function performed(
  book: ReviewBook,
  review: Review,
  act: InboxAct,
  { one, nonce, now }: { one: InboxCase; nonce: string; now: number },
): { events: Omit<CourseEvent, "minute">[]; code?: string; delegated?: boolean } {
  if (act.what === "cancel") {
    const isOpen = review.status === "open";
    book.withdraw(now, review.id);
    return { events: isOpen ? [{ what: "withdrawn", who: "its mission" }] : [] };
  }
  const decision = decisionOf(act, review, nonce);
  const admitted = book.admit(decision, verificationOf(one, act, now), now);
  const who = `${act.by} ${act.what}`;
  if (!admitted.ok) return { events: [{ what: "refused", who }], code: admitted.fail.reason };
  const after = book.decide(admitted.value, now);
  const taken = { what: "taken" as const, who };
  const events: Omit<CourseEvent, "minute">[] = [taken];
  if (after.decision !== undefined && after.status === "decided")
    events.push({ what: "decided", who: `${after.decision.choice} by ${after.decision.by}` });
  return { events, delegated: admitted.value.as?.from !== undefined };
}

function decisionOf({ what, by, to }: InboxAct, review: Review, nonce: string): Decision {
  const given = { review: review.id, by, nonce, signature: "signed", ...(review.seal ? { seal: review.seal } : {}) };
  switch (what) {
    case "comment":
      return { ...given, choice: COMMENT, value: { text: "Let me see." } };
    case "hand_over":
      return { ...given, choice: HAND_OVER, value: { to: to ?? "" } };
    case "take_back":
      return { ...given, choice: WITHDRAW };
    default:
      return { ...given, choice: what };
  }
}

/** What a worker would find out: people sign, strangers cannot, and an agent is one. */
function verificationOf({ people }: InboxCase, { by, agent }: InboxAct, now: number): Verification {
  const known = PEOPLE.includes(by) && agent === undefined;
  return {
    principal: { id: by, kind: agent ? "agent" : "person", verified: known, via: "library" },
    authority: known ? authorityOf(people, by, now) : { own: [by], delegated: [], groups: [] },
    signed: known || agent ? { kid: "key", by } : null,
    fail: null,
    people: true,
    known,
    unsigned: "reversible",
  };
}
