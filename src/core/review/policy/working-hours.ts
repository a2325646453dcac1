import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { isZone, offsetsOfDay } from "./zone-offset";

/**
 * Working hours (approvals reference, section 5): the times at which the clocks of a zone show a working time. Where the
 * clocks go back, an hour that they show twice counts twice; where they go forward, an hour that they skip does not count.
 */

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const WORKDAYS = DAYS.slice(0, 5);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What is not due after ten years is due then. */
const HORIZON_MS = 3_650 * DAY_MS;

/** The schema of working hours: the first moment of `to` is not part of them. */
export const WorkingHours = onFirstUse(() => {
  const clock = (last: string) =>
    z
      .string("must be a time of day as in 09:00")
      .regex(last === "24:00" ? /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/ : /^([01]\d|2[0-3]):[0-5]\d$/, {
        error: `must be a time of day from 00:00 to ${last}`,
      });
  return z
    .strictObject(
      {
        days: z
          .array(z.enum(DAYS, `must be one of ${DAYS.join(", ")}`), `must be a list of days, of ${DAYS.join(", ")}`)
          .min(1, "must name a day")
          .default(() => [...WORKDAYS]),
        from: clock("23:59"),
        /** Before or at `from`: the hours end on the next day. */
        to: clock("24:00"),
        /** An IANA name. */
        zone: z
          .string("must be a time zone as in Europe/Berlin")
          .refine(isZone, "must be a time zone as in Europe/Berlin"),
      },
      "must be a map of days, from, to, zone",
    )
    .refine(
      ({ from, to }) => from !== to,
      "must not begin and end at the same time; write 00:00 to 24:00 for whole days",
    );
});
/** Days of the week on which work begins, from when to when, and in which time zone. */
export type WorkingHours = z.output<ReturnType<typeof WorkingHours>>;

/** Whether a time, ms since 1970, is within the working hours. Without any, every time is. */
export function isWorkingTime(hours: WorkingHours | undefined, ms: number): boolean {
  if (hours === undefined) return true;
  return workOfDay(hours, Math.floor(ms / DAY_MS)).some(({ from, to }) => from <= ms && ms < to);
}

/**
 * The first working moment, ms since 1970, at which `ms` of working time have passed since `start`. With 0 it is the first
 * working moment from `start` on.
 */
export function afterWorkingTime(hours: WorkingHours | undefined, start: number, ms: number): number {
  if (hours === undefined) return start + ms;
  const end = start + HORIZON_MS;
  let left = ms;
  for (let day = Math.floor(start / DAY_MS); day * DAY_MS < end; day++)
    for (const { from, to } of workOfDay(hours, day)) {
      const begin = Math.max(from, start);
      if (to <= begin) continue;
      // At the end of a working time it is over: due is the first moment of the next one.
      if (left < to - begin) return begin + left;
      left -= to - begin;
    }
  return end;
}

interface Span {
  from: number;
  to: number;
}

/** The working times of a UTC day, in order. */
function workOfDay(hours: WorkingHours, day: number): Span[] {
  return offsetsOfDay(hours.zone, day).flatMap(({ from, to, offset }) =>
    shownTimes(hours, from + offset, to + offset).map((span) => ({
      from: span.from - offset,
      to: span.to - offset,
    })),
  );
}

/** The working times between two readings of a clock that never changes. */
function shownTimes({ days, from, to }: WorkingHours, begin: number, end: number): Span[] {
  const opens = minutesOf(from) * MINUTE_MS;
  const closes = minutesOf(to) * MINUTE_MS;
  const length = closes > opens ? closes - opens : closes + DAY_MS - opens;
  const spans: Span[] = [];
  // The hours of the day before may reach into this one.
  for (let date = Math.floor(begin / DAY_MS) - 1; date * DAY_MS < end; date++) {
    if (!days.includes(weekdayOf(date))) continue;
    const span = {
      from: Math.max(begin, date * DAY_MS + opens),
      to: Math.min(end, date * DAY_MS + opens + length),
    };
    if (span.from < span.to) spans.push(span);
  }
  return spans;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** 1970 began on a Thursday. */
const weekdayOf = (date: number): (typeof DAYS)[number] => DAYS[(((date + 3) % 7) + 7) % 7] as (typeof DAYS)[number];
