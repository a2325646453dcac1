import type { Failure } from "../../../src/core/base/failure";
import type { JsonObject } from "../../../src/core/base/json";
import { ReviewBook } from "../../../src/core/review/book";
import { commentsOf } from "../../../src/core/review/comments";
import { COMMENT, type Decision, HAND_OVER } from "../../../src/core/review/decision-input";
import type { ReviewRequest } from "../../../src/core/review/kinds";
import { authorityOf } from "../../../src/core/review/people/authority";
import { NO_PEOPLE, type PeopleFile } from "../../../src/core/review/people/people-file";
import { Review } from "../../../src/core/review/review-schema";
import type { Verification } from "../../../src/core/review/verification";

/** What people say about a review without deciding it, and who decides instead (approvals reference, section 5). */

const NOW = 1_700_000_000_000;
const person = { keys: [], delegations: [] };
const people: PeopleFile = {
  ...NO_PEOPLE,
  people: {
    anna: person,
    ben: person,
    cleo: { ...person, delegations: [{ to: "ben", until: "2030-01-01T00:00:00Z" }] },
  },
  groups: { finance: { members: ["anna", "ben"], lead: "cleo" } },
};

const verified = (by: string, more: Partial<Verification> = {}): Verification => ({
  principal: { id: by, kind: "person", verified: true, via: "library" },
  authority: authorityOf(people, by, NOW),
  signed: { kid: "k", by },
  fail: null,
  people: true,
  known: true,
  unsigned: "reversible",
  ...more,
});

/** The reason of a refusal, and of an invalid decision the field. */
const refusalIn = ({ reason, details }: Failure): string =>
  reason === "invalid_decision" ? `${reason} ${details?.path}` : reason;

function opened(terms: Partial<ReviewRequest> = {}, requestedBy?: string) {
  const book = new ReviewBook([], 0, 50, () => "nonce-of-the-review", requestedBy);
  const request = {
    kind: "approval" as const,
    about: "pay",
    title: "Pay?",
    body: "",
    data: {},
    choices: ["approve", "reject"],
  };
  const { id, seal } = book.request({ ...request, ...terms }, "agent/x", NOW);
  let nonces = 0;
  const says = (by: string, choice: string, value?: Decision["value"], more: Partial<Verification> = {}) => {
    const nonce = `nonce-of-decision-${nonces++}`;
    const decision = { review: id, choice, by, nonce, signature: "s", ...(seal ? { seal } : {}) };
    const admitted = book.admit({ ...decision, ...(value === undefined ? {} : { value }) }, verified(by, more), NOW);
    if (!admitted.ok) return refusalIn(admitted.fail);
    const review = book.decide(admitted.value, NOW);
    expect(Review.safeParse(JSON.parse(JSON.stringify(review))).success).toBe(true);
    return review;
  };
  return { book, id, says };
}

describe("a comment", () => {
  test("is kept with its author and time, and decides nothing", () => {
    const { says } = opened({ assignees: ["anna"] });
    const after = says("ben", COMMENT, { text: "Which order?" });
    expect(after).toMatchObject({ status: "open" });
    expect(commentsOf(after as Review)).toEqual([{ by: "ben", at: NOW, text: "Which order?" }]);
    expect(says("anna", "approve")).toMatchObject({ status: "decided" });
  });

  test("may be an agent's", () => {
    const { says } = opened({ assignees: ["anna"] });
    const agent = { principal: { id: "bot", kind: "agent" as const, verified: false, via: "mcp" as const } };
    expect(says("bot", COMMENT, { text: "I asked." }, agent)).toMatchObject({ comments: [{ by: "bot" }] });
    expect(says("bot", "approve", undefined, agent)).toBe("agents_may_not_decide");
  });

  test.each([
    { name: "without a text", value: {}, reason: "invalid_decision value" },
    { name: "that is blank", value: { text: " " }, reason: "invalid_decision value" },
    { name: "that is too long", value: { text: "x".repeat(2_001) }, reason: "invalid_decision value" },
  ])("$name is refused", ({ value, reason }) =>
    expect(opened().says("anna", COMMENT, value as JsonObject)).toBe(reason),
  );

  test("of a closed review is refused", () => {
    const { says } = opened();
    says("anna", "approve");
    expect(says("ben", COMMENT, { text: "Too late?" })).toBe("already_decided");
  });
});

describe("a hand-over", () => {
  test("moves the assignment of a person", () => {
    const { says } = opened({ assignees: ["anna"] });
    expect(says("anna", HAND_OVER, { to: "ben" })).toMatchObject({ assignees: ["ben"], status: "open" });
    expect(says("anna", "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ status: "decided" });
  });

  test("of a member of a group leaves the others of the group", () => {
    const { says } = opened({ assignees: ["group:finance"] });
    expect(says("anna", HAND_OVER, { to: "cleo" })).toMatchObject({ assignees: ["group:finance", "cleo"] });
    expect(says("anna", "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ status: "decided" });
  });

  test("is not a delegate's: what a delegate gave away would outlive the delegation", () => {
    const { says } = opened({ assignees: ["cleo"] });
    for (const to of ["anna", "group:finance"]) expect(says("ben", HAND_OVER, { to })).toBe("not_an_assignee");
    expect(says("ben", HAND_OVER, { to: "ben" })).toBe("invalid_decision value");
    expect(says("cleo", HAND_OVER, { to: "anna" })).toMatchObject({ assignees: ["anna"] });
    expect(says("anna", "approve")).toMatchObject({ status: "decided" });
  });

  test("to somebody with a delegate: the delegate may decide, and not give it on", () => {
    const { says } = opened({ assignees: ["anna"] });
    says("anna", HAND_OVER, { to: "cleo" });
    expect(says("ben", HAND_OVER, { to: "dora" })).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ decision: { as: { word: "cleo", from: "anna" } } });
  });

  test("to oneself, through a group, is refused", () => {
    const { says } = opened({ assignees: ["group:finance"] });
    for (const to of ["anna", "Anna"]) expect(says("anna", HAND_OVER, { to })).toBe("invalid_decision value");
  });

  test("may go back", () => {
    const { says } = opened({ assignees: ["anna"] });
    says("anna", HAND_OVER, { to: "ben" });
    expect(says("ben", HAND_OVER, { to: "anna" })).toMatchObject({ assignees: ["anna"] });
    expect(says("anna", "approve")).toMatchObject({ status: "decided" });
  });

  test.each([
    { name: "by somebody else", terms: { assignees: ["anna"] }, by: "ben", to: "emil", reason: "not_an_assignee" },
    { name: "to nobody", terms: { assignees: ["anna"] }, by: "anna", to: "", reason: "invalid_decision value" },
    {
      name: "to a group without a name",
      terms: { assignees: ["anna"] },
      by: "anna",
      to: "group:",
      reason: "invalid_decision value",
    },
    {
      name: "to the system",
      terms: { assignees: ["anna"] },
      by: "anna",
      to: "Timer",
      reason: "invalid_decision value",
    },
    {
      name: "to somebody who is asked",
      terms: { assignees: ["anna", "ben"] },
      by: "anna",
      to: "ben",
      reason: "invalid_decision value",
    },
    { name: "where anyone may decide", terms: {}, by: "anna", to: "ben", reason: "invalid_decision choice" },
    {
      name: "where it is not allowed",
      terms: { assignees: ["anna"], hand_over: false },
      by: "anna",
      to: "ben",
      reason: "invalid_decision choice",
    },
    { name: "to whoever asked", terms: { assignees: ["anna"] }, by: "anna", to: "cleo", reason: "self_approval" },
  ])("$name is refused", ({ terms, by, to, reason }) =>
    expect(opened(terms, "cleo").says(by, HAND_OVER, { to })).toBe(reason),
  );
});

describe("a hand-over passes one seat", () => {
  const team: PeopleFile = {
    ...NO_PEOPLE,
    people: {
      anna: { ...person, delegations: [{ to: "carl", until: "2030-01-01T00:00:00Z" }] },
      ben: person,
      carl: person,
      i1: person,
      i2: person,
    },
    groups: { interns: { members: ["i1", "i2"] }, finance: { members: ["anna", "ben"] } },
  };
  function asked(terms: Partial<ReviewRequest>, requestedBy?: string) {
    const { says } = opened(terms, requestedBy);
    return (by: string, choice: string, to?: string) =>
      says(by, choice, to === undefined ? undefined : { to }, { authority: authorityOf(team, by, NOW) });
  }

  test("to a group: whoever of it comes first has the giver's vote, and nobody else has one", () => {
    const says = asked({ assignees: ["anna", "ben"], quorum: 2 });
    says("anna", HAND_OVER, "group:interns");
    expect(says("i1", "approve")).toMatchObject({
      status: "open",
      votes: [{ as: { word: "group:interns", from: "anna" } }],
    });
    expect(says("i2", "approve")).toBe("already_voted");
    expect(says("anna", "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ status: "decided" });
  });

  test("somebody of the group who gives it back has it no more, and neither have the others", () => {
    const says = asked({ assignees: ["anna", "ben"], quorum: 2 });
    says("anna", HAND_OVER, "group:interns");
    expect(says("i1", HAND_OVER, "anna")).toMatchObject({ assignees: ["ben", "anna"] });
    expect(says("anna", "approve")).toMatchObject({ status: "open" });
    for (const by of ["i1", "i2"]) expect(says(by, "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ status: "decided" });
  });

  test("it stands for the groups of the giver, and makes no other group count", () => {
    const says = asked({ assignees: ["anna", "ben"], distinct_groups: 2 });
    expect(says("anna", HAND_OVER, "group:interns")).toMatchObject({ handedOver: [{ groups: ["finance"] }] });
    expect(says("i2", HAND_OVER, "i1")).toMatchObject({ handedOver: [{}, { groups: ["finance"] }] });
    expect(says("i1", "approve")).toMatchObject({ status: "open", votes: [{ groups: ["finance"] }] });
    // Two of finance are of one group, whoever decides for one of them.
    expect(says("ben", "approve")).toMatchObject({ status: "open" });
  });

  test("when the group has said no for the giver, nobody is left who could agree", () => {
    const says = asked({ assignees: ["anna", "ben"], quorum: 2 });
    says("anna", HAND_OVER, "group:interns");
    says("ben", "approve");
    expect(says("i1", "reject")).toMatchObject({ status: "decided", decision: { choice: "reject", by: "quorum" } });
  });

  test("somebody who is asked decides in their own place, and then not for the giver", () => {
    const says = asked({ assignees: ["anna", "i1"], quorum: 2 });
    says("anna", HAND_OVER, "group:interns");
    expect(says("i1", "approve")).toMatchObject({ votes: [{ as: { word: "i1" } }] });
    expect(says("i2", "approve")).toMatchObject({ status: "decided" });
  });

  test("somebody who was given one and gives their own away still has the other", () => {
    const says = asked({ assignees: ["group:finance"], quorum: 2 });
    says("anna", HAND_OVER, "ben");
    expect(says("ben", HAND_OVER, "i1")).toMatchObject({ assignees: ["group:finance", "ben", "i1"] });
    expect(says("ben", "approve")).toMatchObject({ votes: [{ as: { word: "ben", from: "anna" } }] });
    expect(says("i1", "approve")).toMatchObject({ status: "decided" });
  });

  test("the giver does not take it back as one of the group", () => {
    const says = asked({ assignees: ["anna"] });
    says("anna", HAND_OVER, "group:finance");
    expect(says("anna", "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ status: "decided" });
  });

  test("nor does a delegate of the giver, who has no right that the giver has lost", () => {
    const says = asked({ assignees: ["anna"] });
    says("anna", HAND_OVER, "group:finance");
    expect(says("carl", "approve")).toBe("not_an_assignee");
    expect(says("ben", "approve")).toMatchObject({ decision: { as: { word: "group:finance", from: "anna" } } });
  });

  test("a delegate of another one of the group may decide", () => {
    const says = asked({ assignees: ["ben"] });
    says("ben", HAND_OVER, "group:finance");
    expect(says("carl", "approve")).toMatchObject({ decision: { as: { word: "group:finance", from: "ben" } } });
  });

  test("a delegate of the one who asked does not get it from somebody else", () => {
    const says = asked({ assignees: ["ben"] }, "anna");
    says("ben", HAND_OVER, "carl");
    expect(says("carl", "approve")).toBe("self_approval");
    const others = asked({ assignees: ["ben"] }, "i1");
    others("ben", HAND_OVER, "carl");
    expect(others("carl", "approve")).toMatchObject({ decision: { as: { word: "carl", from: "ben" } } });
  });
});

describe("a hand-over to a name that the project does not have", () => {
  const unknownTarget = {
    reason: "not_found" as const,
    message: "x",
    details: { path: "bne", kind: "person" as const },
  };
  test("is refused for those who may decide", () => {
    const { says } = opened({ assignees: ["anna"] });
    expect(says("anna", HAND_OVER, { to: "bne" }, { unknownTarget })).toBe("not_found");
    expect(says("ben", HAND_OVER, { to: "bne" }, { unknownTarget })).toBe("not_an_assignee");
    expect(says("anna", HAND_OVER, { to: "ben" })).toMatchObject({ assignees: ["ben"] });
  });

  test("is taken where nobody has looked", () =>
    expect(opened({ assignees: ["anna"] }).says("anna", HAND_OVER, { to: "bne" })).toMatchObject({
      assignees: ["bne"],
    }));
});

describe("separation of duties", () => {
  test.each([
    { name: "whoever asked", terms: {}, by: "cleo", gives: "self_approval" },
    { name: "a delegate in their place", terms: { assignees: ["cleo"] }, by: "ben", gives: "self_approval" },
    {
      name: "whoever asked, where the terms allow it",
      terms: { separation: false },
      by: "cleo",
      gives: { status: "decided" },
    },
    {
      name: "whoever asked a question",
      terms: { kind: "question" as const },
      by: "cleo",
      gives: { status: "decided" },
    },
    { name: "somebody else", terms: {}, by: "anna", gives: { status: "decided" } },
    { name: "whoever asked, with a capital", terms: {}, asker: "Cleo", by: "cleo", gives: "self_approval" },
    { name: "whoever asked, with a blank", terms: {}, asker: "cleo ", by: "cleo", gives: "self_approval" },
    { name: "whoever asked, in wide letters", terms: {}, asker: "ｃｌｅｏ", by: "cleo", gives: "self_approval" },
    {
      name: "a delegate of whoever asked, with a capital",
      terms: { assignees: ["cleo"] },
      asker: "Cleo",
      by: "ben",
      gives: "self_approval",
    },
  ])("$name", ({ terms, asker = "cleo", by, gives }) => {
    const said = opened(terms, asker).says(by, "approve");
    if (typeof gives === "string") expect(said).toBe(gives);
    else expect(said).toMatchObject(gives);
  });
});

test("two of one group are not enough where they must be of two, and two of two are", () => {
  const two: PeopleFile["groups"] = { x: { members: ["anna", "ben"] }, y: { members: ["cleo"] } };
  const as = (by: string) => ({ authority: authorityOf({ ...people, groups: two }, by, NOW) });
  const { says } = opened({ assignees: ["group:x", "group:y"], distinct_groups: 2 });
  expect(says("anna", "approve", undefined, as("anna"))).toMatchObject({ status: "open" });
  expect(says("ben", "approve", undefined, as("ben"))).toMatchObject({ status: "open" });
  expect(says("cleo", "approve", undefined, as("cleo"))).toMatchObject({ status: "decided" });
});

test("somebody for whom a delegate decided may still decide for others", () => {
  const { says } = opened({ assignees: ["cleo", "ben"], quorum: 2 });
  expect(says("ben", "approve")).toMatchObject({ status: "open" });
  expect(says("ben", "approve")).toBe("already_voted");
  expect(says("cleo", "approve")).toMatchObject({ status: "decided" });
});
