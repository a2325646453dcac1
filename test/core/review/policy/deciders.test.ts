import type { Authority } from "../../../../src/core/review/people/authority";
import {
  admitted,
  decidersAt,
  hasHandedOver,
  type PeopleOfReview,
  wordsAfterHandOver,
} from "../../../../src/core/review/policy/deciders";

/** Who may decide a review at a time, and for whom (approvals reference, section 5). */

const who = (own: string[], delegated: Authority["delegated"] = []): Authority => ({ own, delegated, groups: [] });
const ladder = [{ at: 100, to: ["lead:finance"], after_ms: 100 }];

describe("who is asked", () => {
  test.each([
    { name: "before the step", now: 99, words: ["anna"] },
    { name: "from the step on, although its timer has not fired", now: 100, words: ["anna", "lead:finance"] },
  ])("$name", ({ now, words }) => expect(decidersAt({ assignees: ["anna"], ladder }, now)).toEqual(words));

  test("where anyone may decide, anyone still may after a step", () => expect(decidersAt({ ladder }, 200)).toEqual([]));
});

describe("who may decide", () => {
  const review: PeopleOfReview = { assignees: ["anna", "group:finance"], ladder };
  const cases: { name: string; review: PeopleOfReview; by: string; authority: Authority; gives: object }[] = [
    { name: "by name", review, by: "anna", authority: who(["anna"]), gives: { ok: true, seat: { word: "anna" } } },
    { name: "in the group", review, by: "ben", authority: who(["ben", "group:finance"]), gives: { ok: true } },
    { name: "a stranger", review, by: "cleo", authority: who(["cleo"]), gives: { why: "not_an_assignee" } },
    {
      name: "the lead, too early",
      review,
      by: "dora",
      authority: who(["dora", "lead:finance"]),
      gives: { why: "not_an_assignee" },
    },
    {
      name: "the lead, after the step",
      review: { ...review, escalated: 1, assignees: ["anna", "lead:finance"] },
      by: "dora",
      authority: who(["dora", "lead:finance"]),
      gives: { ok: true, seat: { word: "lead:finance" } },
    },
    {
      name: "a delegate",
      review,
      by: "cleo",
      authority: who(["cleo"], [{ word: "anna", from: "anna" }]),
      gives: { ok: true, seat: { word: "anna", from: "anna" } },
    },
    {
      name: "a delegate of somebody who has voted",
      review: { ...review, votes: [{ by: "anna" }] },
      by: "cleo",
      authority: who(["cleo"], [{ word: "anna", from: "anna" }]),
      gives: { why: "already_voted" },
    },
    {
      name: "somebody for whom a delegate has voted",
      review: { ...review, votes: [{ by: "cleo", as: { word: "anna", from: "anna" } }] },
      by: "anna",
      authority: who(["anna"]),
      gives: { why: "already_voted" },
    },
    {
      name: "a second vote under a second right",
      review: { ...review, votes: [{ by: "cleo", as: { word: "anna", from: "anna" } }] },
      by: "cleo",
      authority: who(["cleo", "group:finance"]),
      gives: { why: "already_voted" },
    },
    {
      name: "the one who asked",
      review: { ...review, separatedFrom: "anna" },
      by: "anna",
      authority: who(["anna"]),
      gives: { why: "self_approval" },
    },
    {
      name: "a delegate of the one who asked",
      review: { ...review, separatedFrom: "anna" },
      by: "cleo",
      authority: who(["cleo"], [{ word: "anna", from: "anna" }]),
      gives: { why: "self_approval" },
    },
    {
      name: "a delegate of the one who asked, who is asked as well",
      review: { ...review, separatedFrom: "anna" },
      by: "ben",
      authority: who(["ben", "group:finance"], [{ word: "anna", from: "anna" }]),
      gives: { ok: true, seat: { word: "group:finance" } },
    },
    {
      name: "somebody of the group who gave it away",
      review: { ...review, handOvers: [{ by: "ben", from: "ben", to: "cleo", at: 5 }] },
      by: "ben",
      authority: who(["ben", "group:finance"]),
      gives: { why: "not_an_assignee" },
    },
    { name: "anyone", review: {}, by: "cleo", authority: who(["cleo"]), gives: { ok: true, seat: null } },
  ];
  test.each(cases)("$name", ({ review, by, authority, gives }) =>
    expect(admitted(review, by, authority, 50)).toMatchObject(gives),
  );
});

describe("a hand-over", () => {
  const gave = { by: "anna", from: "anna", to: "ben", at: 5 };
  test("takes the one out and asks the other", () =>
    expect(wordsAfterHandOver({ assignees: ["anna", "group:x"] }, gave)).toEqual(["group:x", "ben"]));

  test.each([
    { name: "given away", review: { handOvers: [gave] }, is: true },
    { name: "given back", review: { handOvers: [gave, { by: "ben", from: "anna", to: "anna", at: 9 }] }, is: false },
    {
      name: "asked again by the ladder",
      review: { handOvers: [gave], ladder: [{ at: 20, to: ["anna"], after_ms: 20 }] },
      is: false,
    },
    {
      name: "to be asked again later",
      review: { handOvers: [gave], ladder: [{ at: 99, to: ["anna"], after_ms: 99 }] },
      is: true,
    },
    { name: "never", review: {}, is: false },
  ])("$name", ({ review, is }) => expect(hasHandedOver(review, "anna", 50)).toBe(is));
});
