import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { applyDecision, checkDecision, openReviews, withdrawReviews } from "../../../src/core/review/decide";
import { parseDecision } from "../../../src/core/review/decision-input";
import { editedArgs } from "../../../src/core/review/edit";
import { type Decision, moveOf, type Review } from "../../../src/core/review/review";
import { Review as ReviewSchema } from "../../../src/core/review/review-schema";
import { assertProperty } from "../../support/run/property";

/** Whether a decision can be taken, and what it leaves behind (engine reference, section 6). */
const NOW = 1_700_000_000_000;

const review = (more: Partial<Review> = {}): Review => ({
  id: "t-1/approval/1",
  kind: "gate",
  title: "Approve",
  body: "Please look.",
  data: {},
  choices: ["passed", "failed"],
  createdAt: NOW,
  status: "open",
  moves: { passed: { kind: "result", result: "passed" } },
  ...more,
});
const decision = (more: Partial<Decision> = {}): Decision => ({
  review: "t-1/approval/1",
  choice: "passed",
  by: "anna",
  ...more,
});
const decided = review({ status: "decided", decision: { ...decision(), at: NOW }, closedAt: NOW });

describe("an invalid decision is refused with what is expected", () => {
  test.each([
    {
      name: "no such review",
      reviews: [review(), review({ id: "b" }), decided],
      given: decision({ review: "gone" }),
      reason: "review_not_found",
      says: 'There is no review "gone" here. Open: t-1/approval/1, b.',
    },
    {
      name: "no review at all",
      reviews: [],
      given: decision(),
      reason: "review_not_found",
      says: "No review is open.",
    },
    {
      name: "decided already",
      reviews: [decided],
      given: decision({ choice: "failed", by: "ben" }),
      reason: "already_decided",
      says: 'Review "t-1/approval/1" was already decided: "passed" by anna at 2023-11-14T22:13:20.000Z.',
    },
    {
      name: "withdrawn",
      reviews: [review({ status: "withdrawn" })],
      given: decision(),
      reason: "already_over",
      says: "is no longer needed",
    },
    {
      name: "too late",
      reviews: [review({ expiresAt: NOW - 1 })],
      given: decision(),
      reason: "already_over",
      says: "could be decided until 2023-11-14T22:13:19.999Z",
    },
    {
      name: "by someone else",
      reviews: [review({ assignees: ["ben", "carla"] })],
      given: decision(),
      reason: "not_an_assignee",
      says: '"anna" may not decide review "t-1/approval/1"; it is for ben, carla.',
    },
    {
      name: "no choice of it",
      reviews: [review()],
      given: decision({ choice: "maybe" }),
      reason: "invalid_decision",
      says: '"maybe" is not a choice of review "t-1/approval/1". Choices: passed, failed.',
    },
  ])("$name: $reason", ({ reviews, given, reason, says }) => {
    const refusal = checkDecision(reviews, given, NOW);
    expect(refusal).toMatchObject({ reason, message: expect.stringContaining(says) });
    expect(() => applyDecision(reviews, given, NOW)).toThrow("Decision not checked");
  });

  test("a time beyond the range of dates is still reported", () => {
    const refusal = checkDecision([review({ expiresAt: -1e300 })], decision(), NOW);
    expect(refusal?.message).toContain("-1e+300");
  });
});

describe("a valid decision", () => {
  test.each([
    { name: "at the last moment", more: { expiresAt: NOW } },
    { name: "by an assignee", more: { assignees: ["ben", "anna"] } },
    { name: "by anyone where nobody is named", more: { assignees: [] } },
  ])("$name", ({ more }) => expect(checkDecision([review(more)], decision(), NOW)).toBeNull());

  test("closes its review with person, choice and time, and changes nothing else", () => {
    const other = { ...decided, id: "b" };
    const reviews = [review({ id: "a" }), review(), other];
    const copy = JSON.stringify(reviews);
    const after = applyDecision(reviews, decision({ value: { amount: 5 }, note: "fine" }), NOW + 9);
    const closed = {
      ...review(),
      status: "decided",
      closedAt: NOW + 9,
      decision: { ...decision({ value: { amount: 5 }, note: "fine" }), at: NOW + 9 },
    };
    expect(after.review).toEqual(closed);
    expect(after.reviews).toEqual([reviews[0], closed, other]);
    expect(JSON.stringify(reviews)).toBe(copy);
    expect(ReviewSchema.safeParse(after.review).success).toBe(true);
  });
});

test("a review that was settled in another way is withdrawn; a decided one stays decided", () => {
  const after = withdrawReviews([review(), decided, review({ id: "b", status: "withdrawn", closedAt: 1 })], NOW + 5);
  expect(after.map(({ status, closedAt }) => [status, closedAt])).toEqual([
    ["withdrawn", NOW + 5],
    ["decided", NOW],
    ["withdrawn", 1],
  ]);
  expect(openReviews(after)).toEqual([]);
});

test("for any decisions in any order, a review is decided at most once and stays closed", () =>
  assertProperty(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constant("withdraw" as const),
          fc.record({
            review: fc.constantFrom("a", "b", "c"),
            choice: fc.constantFrom("passed", "odd"),
            by: fc.constantFrom("anna", "ben"),
          }),
        ),
        { maxLength: 12 },
      ),
      (deeds) => {
        let reviews = [review({ id: "a" }), review({ id: "b", assignees: ["ben"] })];
        for (const [i, deed] of deeds.entries()) {
          const before = reviews;
          if (deed === "withdraw") reviews = withdrawReviews(reviews, NOW + i);
          else if (checkDecision(reviews, deed, NOW + i) === null)
            reviews = applyDecision(reviews, deed, NOW + i).reviews;
          for (const [n, one] of before.entries()) if (one.status !== "open") expect(reviews[n]).toBe(one);
          expect(openReviews(reviews)).toEqual(reviews.filter(({ closedAt }) => closedAt === undefined));
        }
        expect(reviews.every(({ status, decision: said }) => (status === "decided") === (said !== undefined))).toBe(
          true,
        );
      },
    ),
  ));

describe("a decision from outside", () => {
  test.each([
    { raw: null, fields: [""] },
    { raw: "passed", fields: [""] },
    { raw: {}, fields: ["review", "choice", "by"] },
    { raw: { review: "", choice: "", by: "" }, fields: ["review", "choice", "by"] },
    { raw: { ...decision(), note: 7 }, fields: ["note"] },
  ])("$raw is refused, and every wrong field is named", ({ raw, fields }) => {
    const read = parseDecision(raw);
    expect(read).toMatchObject({ ok: false, fail: { reason: "invalid_decision" } });
    const issues = read.ok ? [] : (read.fail.details?.issues as { field: string }[]);
    expect(issues.map(({ field }) => field)).toEqual(fields);
  });

  test.each([1.5, -1, 1e300, 8.64e15 + 1, "now"])("was not signed at %p", (time) => {
    const fail = { reason: "invalid_decision", message: expect.stringContaining("time") };
    expect(parseDecision({ ...decision(), time })).toMatchObject({ ok: false, fail });
    expect(parseDecision({ ...decision(), time: NOW }).ok).toBe(true);
  });

  test.each([
    { value: "[".repeat(50_000) + "]".repeat(50_000), says: "nested more than" },
    { value: JSON.stringify("x".repeat(300_000)), says: "the limit is 256000" },
  ])("may carry a value, but none that $says", ({ value, says }) => {
    const fail = { reason: "invalid_decision", message: expect.stringContaining(says) };
    expect(parseDecision({ ...decision(), value: JSON.parse(value) })).toMatchObject({ ok: false, fail });
    expect(parseDecision({ ...decision(), value: { a: [1, null] } }).ok).toBe(true);
  });
});

test("a choice named like an Object property has no move unless it was given one", () => {
  expect(moveOf(review(), "passed")).toEqual({ kind: "result", result: "passed" });
  expect(moveOf(review(), "constructor")).toBeUndefined();
});

describe("an edit names only the arguments that change", () => {
  const call = review({
    kind: "approval",
    choices: ["approve", "reject"],
    data: { tool: "refund", args: { order: 7, cents: 1000, memo: "late" } },
    editable: { choice: "approve", parameters: "order :int, cents :int, memo :string?" },
  });

  test.each<{ edit: Json; args: JsonObject }>([
    { edit: { cents: 500 }, args: { order: 7, cents: 500, memo: "late" } },
    { edit: { memo: null }, args: { order: 7, cents: 1000 } },
    { edit: { order: 7, cents: 500, memo: "half" }, args: { order: 7, cents: 500, memo: "half" } },
    { edit: {}, args: { order: 7, cents: 1000, memo: "late" } },
  ])("$edit", ({ edit, args }) => {
    expect(checkDecision([call], decision({ choice: "approve", value: edit }), NOW)).toBeNull();
    expect(editedArgs(call.data.args as JsonObject, edit)).toEqual(args);
  });

  test.each<{ edit: Json; says: string }>([
    { edit: { cent: 500 }, says: 'there is no argument "cent"' },
    { edit: { cents: "500" }, says: "cents: expected int" },
    { edit: { cents: null }, says: "cents" },
    { edit: 5, says: "expected an object with the arguments that change" },
  ])("$edit is refused", ({ edit, says }) => {
    const fail = checkDecision([call], decision({ choice: "approve", value: edit }), NOW);
    expect(fail).toMatchObject({ reason: "invalid_decision", message: expect.stringContaining(says) });
    expect(fail?.message).toContain("There are: order :int, cents :int, memo :string?.");
  });

  test("two people who write one change in two ways agree", () => {
    const both = { ...call, quorum: 2 };
    const first = applyDecision([both], decision({ choice: "approve", value: { cents: 500 } }), NOW);
    const second = decision({ choice: "approve", by: "ben", value: { order: 7, cents: 500 } });
    expect(applyDecision(first.reviews, second, NOW).review.status).toBe("decided");
  });
});
