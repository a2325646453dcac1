import fc from "fast-check";
import { afterWorkingTime, isWorkingTime, WorkingHours } from "../../../../src/core/review/policy/working-hours";
import { assertProperty } from "../../../support/run/property";

/** Working hours count as the clocks of a zone show them (approvals reference, section 5). */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const hours = (more: object = {}): WorkingHours =>
  WorkingHours().parse({ from: "09:00", to: "17:00", zone: "Europe/Berlin", ...more });
const at = (text: string) => Date.parse(text);
const dueAfter = (given: WorkingHours, start: string, ms: number) =>
  new Date(afterWorkingTime(given, at(start), ms)).toISOString();

describe("the first working moment after some working time", () => {
  test.each([
    { name: "within a day", start: "2026-11-23T08:00:00Z", ms: 4 * HOUR, due: "2026-11-23T12:00:00.000Z" },
    { name: "over the night", start: "2026-11-23T15:30:00Z", ms: HOUR, due: "2026-11-24T08:30:00.000Z" },
    { name: "over the weekend", start: "2026-11-20T15:30:00Z", ms: HOUR, due: "2026-11-23T08:30:00.000Z" },
    { name: "from the weekend on", start: "2026-11-21T12:00:00Z", ms: 0, due: "2026-11-23T08:00:00.000Z" },
    {
      name: "at the end of a day it is the next morning",
      start: "2026-11-23T08:00:00Z",
      ms: 8 * HOUR,
      due: "2026-11-24T08:00:00.000Z",
    },
    { name: "over the end of summer time", start: "2026-10-23T14:30:00Z", ms: HOUR, due: "2026-10-26T08:30:00.000Z" },
    {
      name: "over the beginning of summer time",
      start: "2026-03-27T15:30:00Z",
      ms: HOUR,
      due: "2026-03-30T07:30:00.000Z",
    },
  ])("$name", ({ start, ms, due }) => expect(dueAfter(hours(), start, ms)).toBe(due));

  test.each([
    { zone: "Asia/Kolkata", due: "2026-11-23T03:30:00.000Z" },
    { zone: "America/New_York", due: "2026-11-23T14:00:00.000Z" },
    { zone: "Pacific/Auckland", due: "2026-11-22T20:00:00.000Z" },
    { zone: "UTC", due: "2026-11-23T09:00:00.000Z" },
  ])("a Monday begins at its own time in $zone", ({ zone, due }) =>
    expect(dueAfter(hours({ zone }), "2026-11-22T12:00:00Z", 0)).toBe(due),
  );

  test("hours over midnight belong to the day on which they begin", () => {
    const night = hours({ days: ["fri"], from: "22:00", to: "06:00", zone: "UTC" });
    expect(isWorkingTime(night, at("2026-11-20T23:00:00Z"))).toBe(true);
    expect(isWorkingTime(night, at("2026-11-21T05:59:59Z"))).toBe(true);
    expect(isWorkingTime(night, at("2026-11-21T06:00:00Z"))).toBe(false);
    expect(isWorkingTime(night, at("2026-11-20T05:00:00Z"))).toBe(false);
    expect(dueAfter(night, "2026-11-20T23:00:00Z", 8 * HOUR)).toBe("2026-11-27T23:00:00.000Z");
  });

  test("an hour that the clocks show twice counts twice, one that they skip does not count", () => {
    const early = hours({ days: ["sun"], from: "02:00", to: "03:00" });
    expect(dueAfter(early, "2026-10-24T22:00:00Z", 90 * MINUTE)).toBe("2026-10-25T01:30:00.000Z");
    expect(dueAfter(early, "2026-03-28T22:00:00Z", 0)).toBe("2026-04-05T00:00:00.000Z");
  });

  test("what would never be due is due after ten years", () => {
    const short = hours({ days: ["mon"], from: "09:00", to: "09:01" });
    expect(afterWorkingTime(short, 0, 1e15)).toBe(3_650 * 24 * HOUR);
  });

  test("without hours all time counts", () => {
    expect(afterWorkingTime(undefined, 5, 7)).toBe(12);
    expect(isWorkingTime(undefined, 5)).toBe(true);
  });
});

describe("hours that cannot be meant are refused", () => {
  test.each([
    [{ days: [] }, "must name a day"],
    [{ days: ["monday"] }, "must be one of mon"],
    [{ from: "9:00" }, "must be a time of day"],
    [{ from: "24:00" }, "must be a time of day from 00:00 to 23:59"],
    [{ to: "24:01" }, "must be a time of day from 00:00 to 24:00"],
    [{ from: "17:00" }, "must not begin and end at the same time"],
    [{ zone: "Mars/Base" }, "must be a time zone"],
    [{ zone: "+01:00" }, "must be a time zone"],
    [{ zone: undefined }, "must be a time zone"],
  ])("%j", (more, says) => {
    const read = WorkingHours().safeParse({ from: "09:00", to: "17:00", zone: "UTC", ...more });
    expect(read.error?.issues[0]?.message).toContain(says);
  });
});

/** A clock of the language itself. */
const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  const format =
    known ?? new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" });
  formats.set(timeZone, format);
  return format;
}

/** What the clocks show, minute by minute. */
function isWorkingByClock({ days, from, to, zone }: WorkingHours, ms: number): boolean {
  const shown = formatOf(zone).format(ms);
  const [, name = "", time = ""] = /^(\w+),? (\d\d:\d\d)$/.exec(shown) ?? [];
  const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const day = name.toLowerCase();
  const yesterday = week[(week.indexOf(day) + 6) % 7] as string;
  const has = (one: string) => (days as string[]).includes(one);
  if (from < to) return has(day) && from <= time && time < to;
  return (has(day) && time >= from) || (has(yesterday) && time < to);
}

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns"];
const clock = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
const anyHours = fc
  .record({
    days: fc.uniqueArray(fc.constantFrom("mon", "tue", "wed", "thu", "fri", "sat", "sun"), { minLength: 1 }),
    from: clock,
    to: clock,
    zone: fc.constantFrom(...zones),
  })
  .filter(({ from, to }) => from !== to)
  .map((given) => hours(given));
/** Around the days on which clocks change, and others. */
const anyTime = fc
  .tuple(
    fc.constantFrom("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2026-06-15"),
    fc.integer({ min: -2880, max: 2880 }),
  )
  .map(([day, minutes]) => at(`${day}T00:00:00Z`) + minutes * MINUTE);

test("any time is a working time exactly when the clocks of the zone say so", () =>
  assertProperty(
    fc.property(anyHours, anyTime, (given, ms) => expect(isWorkingTime(given, ms)).toBe(isWorkingByClock(given, ms))),
    { numRuns: 2_000 },
  ));

test("the moment found is the first one, minute by minute", () =>
  assertProperty(
    fc.property(anyHours, anyTime, fc.nat(600), (given, start, minutes) => {
      const found = afterWorkingTime(given, start, minutes * MINUTE);
      let worked = 0;
      let now = start;
      const horizon = start + 10 * 24 * 60 * MINUTE;
      for (; now < horizon; now += MINUTE) {
        const works = isWorkingByClock(given, now);
        if (works && worked >= minutes) break;
        worked += works ? 1 : 0;
      }
      if (now < horizon) expect(found).toBe(now);
      else expect(found).toBeGreaterThanOrEqual(horizon);
    }),
    { numRuns: 40 },
  ));

test("time that was counted in parts is the same time", () =>
  assertProperty(
    fc.property(anyHours, anyTime, fc.nat(5e6), fc.nat(5e6), (given, start, first, second) => {
      const middle = afterWorkingTime(given, start, first);
      expect(isWorkingTime(given, middle)).toBe(true);
      expect(afterWorkingTime(given, middle, second)).toBe(afterWorkingTime(given, start, first + second));
    }),
  ));
