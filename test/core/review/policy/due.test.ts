import fc from "fast-check";
import { nextDueOf, passedTime, type TimedReview, timesFrom } from "../../../../src/core/review/policy/due";
import type { ReviewTerms } from "../../../../src/core/review/policy/terms";
import { isWorkingTime, WorkingHours } from "../../../../src/core/review/policy/working-hours";
import { assertProperty } from "../../../support/run/property";

/** Reminders, the ladder and the default (approvals reference, section 5). */

const HOUR = 3_600_000;
const CHOICES = ["approve", "reject"];
const workday = WorkingHours().parse({ from: "09:00", to: "17:00", zone: "UTC" });
const MONDAY_15 = Date.parse("2026-11-23T15:00:00Z");
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16));

const opened = (terms: ReviewTerms, now = MONDAY_15): TimedReview => ({
  ...(terms.assignees === undefined ? {} : { assignees: terms.assignees }),
  ...timesFrom(terms, now, CHOICES),
});

test("only working time counts for reminders, the ladder and the time limit", () => {
  const terms = { hours: workday, remind_ms: HOUR, timeout_ms: 10 * HOUR, on_timeout: "reject" };
  const review = opened({ ...terms, escalate: [{ after_ms: 4 * HOUR, to: ["ben"] }] });
  expect(iso(review.remindAt)).toBe("2026-11-23T16:00");
  expect(iso(review.ladder?.[0]?.at)).toBe("2026-11-24T11:00");
  expect(iso(review.expiresAt)).toBe("2026-11-25T09:00");
});

test("a default that is not a choice is dropped, with the time limit", () =>
  expect(opened({ timeout_ms: 5, on_timeout: "passed" })).toEqual({}));

test("a step asks others as well, once", () => {
  const review = opened({ assignees: ["anna"], escalate: [{ after_ms: 4 * HOUR, to: ["anna", "lead:x"] }] });
  const due = nextDueOf(review);
  expect(due).toEqual({ what: "escalation", at: MONDAY_15 + 4 * HOUR });
  const passed = passedTime(review, MONDAY_15 + 4 * HOUR);
  expect(passed).toMatchObject({ asked: ["lead:x"], reminded: false, timedOut: false });
  expect(passed.review).toMatchObject({ assignees: ["anna", "lead:x"], escalated: 1 });
  expect(nextDueOf(passed.review)).toBeNull();
  expect(passedTime(passed.review, MONDAY_15 + 9 * HOUR)).toMatchObject({ asked: [], review: passed.review });
});

test("what was due while nothing ran waits for the working hours, and comes once", () => {
  const steps = [
    { after_ms: HOUR, to: ["ben"] },
    { after_ms: 2 * HOUR, to: ["cleo"] },
  ];
  const review = opened({ assignees: ["anna"], hours: workday, remind_ms: HOUR, escalate: steps });
  const night = passedTime(review, Date.parse("2026-11-24T03:00:00Z"));
  expect(night).toMatchObject({ asked: [], reminded: false });
  const morning = Date.parse("2026-11-24T09:00:00Z");
  expect(nextDueOf(night.review)?.at).toBe(morning);
  const day = passedTime(night.review, morning);
  expect(day).toMatchObject({ asked: ["ben", "cleo"], reminded: true, review: { reminders: 1, escalated: 2 } });
  expect(iso(day.review.remindAt)).toBe("2026-11-24T10:00");
});

const duration = fc.integer({ min: 1, max: 40 * HOUR });
const anyTerms: fc.Arbitrary<ReviewTerms> = fc
  .record(
    {
      remind_ms: fc.integer({ min: HOUR, max: 40 * HOUR }),
      timeout_ms: duration,
      on_timeout: fc.constantFrom("approve", "reject", "other"),
      hours: fc.constantFrom(
        workday,
        WorkingHours().parse({ days: ["sat", "mon"], from: "20:00", to: "04:00", zone: "America/New_York" }),
      ),
      steps: fc.uniqueArray(duration, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .map(({ steps, ...terms }) => ({
    ...terms,
    assignees: ["anna"],
    ...(steps === undefined || steps.length === 0
      ? {}
      : { escalate: [...steps].sort((a, b) => a - b).map((after_ms, i) => ({ after_ms, to: [`step${i}`] })) }),
  }));

test("whenever time passes, nothing happens twice, and people hear of it in working hours alone", () =>
  assertProperty(
    fc.property(anyTerms, fc.array(fc.integer({ min: 1, max: 60 * HOUR }), { maxLength: 30 }), (terms, waits) => {
      let review = opened(terms);
      let now = MONDAY_15;
      const asked: string[] = [];
      let [reminders, lastReminder] = [0, MONDAY_15];
      for (const wait of waits) {
        now += wait;
        const passed = passedTime(JSON.parse(JSON.stringify(review)) as TimedReview, now);
        if (passed.timedOut) return expect(now).toBeGreaterThanOrEqual(review.expiresAt as number);
        review = passed.review;
        asked.push(...passed.asked);
        if (passed.reminded) {
          reminders += 1;
          expect(now - lastReminder).toBeGreaterThanOrEqual(terms.remind_ms as number);
          lastReminder = now;
        }
        if (passed.reminded || passed.asked.length > 0) expect(isWorkingTime(terms.hours, now)).toBe(true);
        // What is due is done, so a timer that follows it does not run in circles.
        expect(nextDueOf(review)?.at ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
      }
      expect(review.reminders ?? 0).toBe(reminders);
      expect(new Set(asked).size).toBe(asked.length);
    }),
  ));
