import { defined } from "../../base/defined";
import { decidersAt, type HandOver, type LadderStep } from "./deciders";
import type { ReviewTerms } from "./terms";
import { afterWorkingTime, isWorkingTime, type WorkingHours } from "./working-hours";

/** What time does to a review: reminders, escalation, the default (approvals reference, section 5). Ms since 1970. */

/** What of a review has to do with time. It is plain data, and all times in it are absolute. */
export interface TimedReview {
  expiresAt?: number;
  /** Taken if nobody has decided at `expiresAt`. */
  onTimeout?: string;
  remindMs?: number;
  remindAt?: number;
  reminders?: number;
  hours?: WorkingHours;
  assignees?: string[];
  ladder?: LadderStep[];
  escalated?: number;
  handOvers?: HandOver[];
  /** Until then nobody is notified of due steps: it is outside the working hours. */
  quietUntil?: number;
}

/** The times of a review that is opened now. A default that is not one of its choices is dropped, with the time limit. */
export function timesFrom(
  { timeout_ms, on_timeout, remind_ms, escalate, hours }: ReviewTerms,
  nowMs: number,
  choices: readonly string[],
): TimedReview {
  const after = (ms: number) => afterWorkingTime(hours, nowMs, ms);
  const onTimeout = on_timeout !== undefined && choices.includes(on_timeout) ? on_timeout : undefined;
  return {
    ...(timeout_ms === undefined || onTimeout === undefined ? {} : { expiresAt: after(timeout_ms) }),
    ...defined({ onTimeout }),
    ...(remind_ms === undefined ? {} : { remindMs: remind_ms, remindAt: after(remind_ms) }),
    ...(escalate === undefined
      ? {}
      : { ladder: escalate.map(({ after_ms, to }) => ({ at: after(after_ms), to, after_ms })) }),
    ...defined({ hours }),
  };
}

/** Something that time does. */
export interface Due {
  what: "reminder" | "escalation" | "default";
  at: number;
}

/** What is next for an open review; null = nothing. */
export function nextDueOf(review: TimedReview): Due | null {
  const { expiresAt, onTimeout, remindAt, ladder = [], escalated = 0, quietUntil = 0 } = review;
  const step = ladder[escalated];
  const dues: Due[] = [
    ...(expiresAt !== undefined && onTimeout !== undefined ? [{ what: "default" as const, at: expiresAt }] : []),
    ...(step === undefined ? [] : [{ what: "escalation" as const, at: Math.max(step.at, quietUntil) }]),
    ...(remindAt === undefined ? [] : [{ what: "reminder" as const, at: Math.max(remindAt, quietUntil) }]),
  ];
  return dues.reduce<Due | null>((first, due) => (first === null || due.at < first.at ? due : first), null);
}

/**
 * When something happens next to an open review, ms since 1970: a reminder, a step of the ladder, or its end; undefined =
 * nothing. Lists find it by this time.
 */
export function dueAt(review: TimedReview): number | undefined {
  const { expiresAt } = review;
  const times = [expiresAt, nextDueOf(review)?.at].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** What the time `nowMs` did to an open review. */
export interface Passed<T> {
  review: T;
  /** Its default is taken; nothing else happens then. */
  timedOut: boolean;
  reminded: boolean;
  /** Who is asked as well from now on; [] = nobody new. */
  asked: string[];
}

/**
 * An open review at a time. A step that was due while nothing ran happens once, and people are notified within their working
 * hours. Those who are asked as well may decide from the time of their step on, before the message comes.
 */
export function passedTime<T extends TimedReview>(review: T, nowMs: number): Passed<T> {
  const { expiresAt, onTimeout, hours } = review;
  const nothing = { review, timedOut: false, reminded: false, asked: [] };
  if (expiresAt !== undefined && onTimeout !== undefined && nowMs >= expiresAt) return { ...nothing, timedOut: true };
  const { ladder = [], escalated = 0, remindAt, remindMs } = review;
  const steps = ladder.slice(escalated).filter(({ at }) => at <= nowMs);
  const reminded = remindAt !== undefined && remindMs !== undefined && remindAt <= nowMs;
  if (steps.length === 0 && !reminded) return nothing;
  if (!isWorkingTime(hours, nowMs))
    return { ...nothing, review: { ...review, quietUntil: afterWorkingTime(hours, nowMs, 0) } };
  const before = review.assignees ?? [];
  // Where anyone may decide, nobody has to be added.
  const assignees = decidersAt(review, nowMs);
  const words = assignees.length === 0 ? [...new Set(steps.flatMap(({ to }) => to))] : assignees;
  const { quietUntil: _, ...rest } = review;
  return {
    ...nothing,
    reminded,
    asked: steps.length === 0 ? [] : words.filter((word) => !before.includes(word)),
    review: {
      ...(rest as T),
      ...(steps.length === 0 ? {} : { escalated: escalated + steps.length }),
      ...(steps.length === 0 || assignees.length === 0 ? {} : { assignees }),
      ...(reminded
        ? { remindAt: afterWorkingTime(hours, nowMs, remindMs), reminders: (review.reminders ?? 0) + 1 }
        : {}),
    },
  };
}
