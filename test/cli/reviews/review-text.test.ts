import { reviewText } from "../../../src/cli/show/render-review";
import { agreementText } from "../../../src/cli/show/review-course";
import { createColors } from "../../../src/cli/terminal/render";
import { ReviewBook } from "../../../src/core/review/book";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "../../../src/core/review/decision-input";
import { reviewOfShort, shortReview } from "../../../src/core/review/inbox/short-review";
import { authorityOf } from "../../../src/core/review/people/authority";
import { NO_PEOPLE, type PeopleFile } from "../../../src/core/review/people/people-file";
import type { Review } from "../../../src/core/review/review";
import { formOf } from "../../../src/mcp/client-features/elicitation";

/** `navigator review show`: what became of a review since it was opened, and what will. */

const NOON = Date.parse("2026-11-23T12:00:00Z");
const HOUR = 3_600_000;
const person = { keys: [], delegations: [] };
const file: PeopleFile = {
  ...NO_PEOPLE,
  people: {
    anna: { ...person, delegations: [{ to: "ben", until: "2030-01-01T00:00:00Z" }] },
    ben: person,
    carl: person,
    dora: person,
  },
  groups: { finance: { members: ["ben", "carl"], lead: "carl" } },
};

function opened() {
  const book = new ReviewBook([], 0, 50, () => "nonce-of-the-review", "eve");
  const { id } = book.request(
    {
      kind: "approval",
      about: "pay",
      title: "Pay?",
      body: "Order 7",
      data: {},
      choices: ["approve", "reject"],
      assignees: ["anna", "dora"],
      quorum: 2,
      distinct_groups: 2,
      escalate: [
        { after_ms: 4 * HOUR, to: ["lead:finance"] },
        { after_ms: 24 * HOUR, to: ["dora", "carl"] },
      ],
    },
    "agent/x",
    NOON,
  );
  let said = 0;
  const says = (by: string, choice: string, more: Partial<Decision> = {}) => {
    const at = NOON + ++said * 60_000;
    const verification = {
      principal: { id: by, kind: "person" as const, verified: by !== "dora", via: "cli" as const },
      authority: authorityOf(file, by, at),
      signed: null,
      fail: null,
      people: true,
      known: true,
      unsigned: "always" as const,
    };
    const signature = by === "anna" ? { signature: "s" } : {};
    const admitted = book.admit({ review: id, choice, by, ...signature, ...more }, verification, at);
    if (!admitted.ok) throw new Error(admitted.fail.message);
    return book.decide(admitted.value, at);
  };
  return { book, id, says, review: () => book.get(id) as Review };
}

const shown = (review: Review, nowMs: number) =>
  reviewText({ workflow_id: "agent/x", review }, createColors(false, {}), undefined, nowMs);

test("a review shows who took a vote back, who handed it over, the ladder, and what people said", () => {
  const { says, review } = opened();
  says("dora", "approve");
  says("dora", WITHDRAW, { note: "wrong\norder" });
  says("anna", HAND_OVER, { value: { to: "carl" }, note: "away" });
  says("dora", COMMENT, { value: { text: "Which order?\nDecided: approve, by anna" } });
  const text = shown(review(), NOON + HOUR);
  expect(text.slice(text.indexOf("  for"), text.indexOf("  seal"))).toBe(
    [
      "  for          dora, carl",
      "  asked by     eve",
      "  choices      approve | reject",
      "  needs        2 people who agree, of 2 different groups",
      "  taken back   approve, by dora (unverified) at 2026-11-23 12:02:00 UTC: wrong order",
      "  handed over  to carl, by anna (verified) at 2026-11-23 12:03:00 UTC: away",
      "  will ask     lead:finance from 2026-11-23 16:00:00 UTC on, as well",
      "  will ask     dora, carl from 2026-11-24 12:00:00 UTC on, as well",
      "",
    ].join("\n"),
  );
  expect(text).toContain(
    [
      "  > Order 7",
      "",
      "Comment of dora (unverified) at 2026-11-23 12:04:00 UTC:",
      "  > Which order?",
      "  > Decided: approve, by anna",
      "",
    ].join("\n"),
  );
});

test("a step of the ladder whose time has come is told as one that asks", () => {
  const { book, review } = opened();
  const later = NOON + 5 * HOUR;
  const rows = () =>
    shown(review(), later)
      .split("\n")
      .filter((line) => /^ {2}(asked|will ask) {2}/.test(line))
      .map((line) => line.trim().replace(/ +/g, " "));
  const expected = [
    "asked lead:finance since 2026-11-23 16:00:00 UTC, as well",
    "will ask dora, carl from 2026-11-24 12:00:00 UTC on, as well",
  ];
  expect(rows()).toEqual(expected);
  book.passTime(later);
  expect(rows()).toEqual(expected);
  book.withdraw(later);
  expect(rows()).toEqual(expected.slice(0, 1));
});

test("the list of what waits knows what was taken back, without its signature", () => {
  const { says, review } = opened();
  says("dora", "approve", { note: "fine" });
  says("dora", WITHDRAW);
  const short = JSON.parse(JSON.stringify(shortReview(review())));
  expect(short.withdrawn).toEqual([
    { by: "dora", choice: "approve", at: expect.any(Number), principal: expect.any(Object), as: { word: "dora" } },
    { by: "dora", choice: WITHDRAW, at: expect.any(Number), principal: expect.any(Object) },
  ]);
  expect(shown(reviewOfShort(short), NOON)).toContain("taken back  approve, by dora (unverified)");
});

test("two approvals that want different calls are no agreement, and are told apart", () => {
  const vote = (by: string, cents?: number) => ({
    review: "r",
    choice: "approve",
    by,
    at: NOON,
    note: `as ${by} said`,
    ...(cents === undefined ? {} : { value: { cents } }),
  });
  const asked: Review = {
    ...opened().review(),
    id: "r",
    data: { tool: "pay", args: { cents: 100 } },
    editable: { choice: "approve", parameters: "cents :int" },
    votes: [vote("anna", 50), vote("dora")],
  };
  const text = shown(asked, NOON);
  expect(text).toContain('vote        approve with {"cents":50}, by anna: as anna said');
  expect(text).toContain("vote        approve, by dora: as dora said");
  expect(agreementText(asked, "dora")).toBe(
    "1 of 2 people agree so far; others want it with other arguments: navigator review show r",
  );
  expect(agreementText({ ...asked, votes: [vote("dora")] }, "dora")).toBe("1 of 2 people agree so far");
});

test("what a model wrote is quoted: no line of it can pass for one of Navigator", () => {
  const fake = "Decide:  navigator review decide agent/other/pay/1 approve";
  const book = new ReviewBook([], 0, 50, () => "nonce-of-the-review");
  const { id } = book.request(
    {
      kind: "question",
      about: "ask-person",
      title: `Pay?\n${fake}`,
      body: `Pay?\n${fake}\u0085${fake}`,
      data: {},
      choices: ["yes", "no"],
    },
    "agent/x",
    NOON,
  );
  const review = book.get(id) as Review;
  const lines = shown(review, NOON)
    .split("\n")
    .filter((line) => line.includes("agent/other"));
  expect(lines.filter((line) => line.trim().startsWith("Decide:"))).toEqual([]);
  const { message } = formOf(review, { kind: "person", person: "ben" } as never);
  expect(message.split("\n").filter((line) => line.startsWith("Decide:"))).toEqual([]);
});
