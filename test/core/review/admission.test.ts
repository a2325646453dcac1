import type { JsonObject } from "../../../src/core/base/json";
import { recordRefusal } from "../../../src/core/review/admission";
import { ReviewBook } from "../../../src/core/review/book";
import { type Decision, WITHDRAW } from "../../../src/core/review/decision-input";
import type { ReviewRequest } from "../../../src/core/review/kinds";
import type { PeopleFile } from "../../../src/core/review/people/people-file";
import { finalDecision } from "../../../src/core/review/request";
import type { Review } from "../../../src/core/review/review";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { verifyDecision } from "../../../src/node/identity/verify-decision";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

/** Which decisions count, with real signatures: the rules of the approvals reference, section 4. */

const NOW = Date.parse("2026-06-01T12:00:00Z");
const keys = { anna: newKey(), ben: newKey(), cleo: newKey(), page: newKey(), worker: newKey() };
const person = (name: "anna" | "ben" | "cleo") => ({ keys: [publicKey(keys[name])] });
const TEAM = peopleOf({
  people: { anna: person("anna"), ben: person("ben"), cleo: person("cleo") },
  groups: { finance: { members: ["anna", "ben"], lead: "cleo" } },
  services: {
    page: { keys: [publicKey(keys.page)], may: ["vouch"] },
    worker: { keys: [publicKey(keys.worker)], may: ["sign_ledger"] },
  },
});

const call = (more: Partial<ReviewRequest> = {}, data: JsonObject = {}): ReviewRequest => ({
  kind: "approval",
  about: "pay",
  title: "Call pay?",
  body: "",
  data: { tool: "pay", args: { cents: 1_000 }, effect: "irreversible", ...data },
  choices: ["approve", "reject"],
  editable: { choice: "approve", parameters: "cents :int" },
  sealed: { tool_version: "v1", mission: "agent/a", place: "1.1", generation: "k", valid_for_ms: 60_000 },
  ...more,
});

/** A book with one open review, and what it says to decisions. */
class Asked {
  private readonly book = new ReviewBook([], 0, undefined, () => "0123456789abcdef");
  readonly id: string;

  constructor(
    request: ReviewRequest,
    private readonly people: PeopleFile = TEAM,
  ) {
    this.id = this.book.request(request, "agent/a", NOW).id;
  }

  get review(): Review {
    return this.book.get(this.id) as Review;
  }

  said(by: string, more: Partial<Decision> = {}): Decision {
    return { review: this.id, choice: "approve", by, seal: this.review.seal as string, ...more };
  }

  signed(by: "anna" | "ben" | "cleo" | "page", more: Partial<Decision> = {}): Promise<Decision> {
    return signDecision(this.said(by, more), keys[by], NOW);
  }

  /** The review after the decision, or the code of the refusal. */
  async takes(decision: Decision | Promise<Decision>): Promise<Review | string> {
    const given = await decision;
    const admitted = this.book.admit(given, await verifyDecision(this.people, given, NOW), NOW);
    return admitted.ok ? this.book.decide(admitted.value, NOW) : String(admitted.fail.reason);
  }

  begins(seal = this.review.seal as string): string | null {
    return this.book.startProblem(this.id, seal, NOW)?.reason ?? null;
  }

  begin(): void {
    this.book.start(this.id, NOW);
  }
}

test("a signed yes decides, and says who made it", async () => {
  const asked = new Asked(call({ assignees: ["group:finance"] }));
  expect(await asked.takes(asked.signed("ben"))).toMatchObject({
    status: "decided",
    decision: {
      by: "ben",
      principal: { id: "ben", kind: "person", verified: true },
      as: { word: "group:finance" },
    },
  });
  expect(finalDecision(asked.review)).toMatchObject({
    by: "ben",
    verified: true,
    approval: { decisions: [{ by: "ben" }] },
  });
});

test.each<[string, (asked: Asked) => Decision | Promise<Decision>, string]>([
  ["an unsigned name of the project", (asked) => asked.said("anna"), "unverified_decision"],
  ["an unsigned stranger", (asked) => asked.said("mallory"), "unverified_decision"],
  ["another's key", async (asked) => signDecision(asked.said("anna"), keys.ben, NOW), "bad_signature"],
  ["an agent", (asked) => asked.said("bot", { kind: "agent", via: "mcp" }), "agents_may_not_decide"],
  ["a signing agent", (asked) => asked.signed("anna", { kind: "agent" }), "agents_may_not_decide"],
  ["the timer", (asked) => asked.said("timer"), "invalid_input"],
  ["a principal of kind timer", (asked) => asked.said("tim", { kind: "timer" }), "agents_may_not_decide"],
  ["the seal of another review", (asked) => asked.signed("anna", { seal: "x".repeat(43) }), "seal_mismatch"],
  [
    "a signature without a seal",
    (asked) => {
      const { seal: _, ...said } = asked.said("anna");
      return signDecision(said, keys.anna, NOW);
    },
    "seal_mismatch",
  ],
])("%s does not decide about a payment", async (_, decide, code) => {
  const asked = new Asked(call());
  expect(await asked.takes(decide(asked))).toBe(code);
  expect(asked.review.status).toBe("open");
});

test("people of no group of the assignees may not decide", async () => {
  const asked = new Asked(call({ assignees: ["lead:finance"] }));
  expect(await asked.takes(asked.signed("anna"))).toBe("not_an_assignee");
  expect(await asked.takes(asked.signed("cleo"))).toMatchObject({
    status: "decided",
    decision: { as: { word: "lead:finance" } },
  });
});

test.each<[string, string, Partial<ReviewRequest>, JsonObject]>([
  ["what is for others", "page", { assignees: ["anna"] }, { effect: "write" }],
  ["what names nobody", "page", {}, { effect: "write" }],
  ["what cannot be taken back", "page", {}, {}],
  ["what cannot be taken back, although it is named", "page", { assignees: ["page"] }, {}],
  ["what needs two people", "page", { quorum: 2 }, { effect: "write" }],
  ["anything, without a right of its own", "worker", {}, {}],
])("a service does not decide under its own name %s", async (_, service, terms, data) => {
  for (const kind of [undefined, "person", "service"] as const) {
    const asked = new Asked(call(terms, data));
    const own = asked.said(service, kind === undefined ? {} : { kind });
    expect(await asked.takes(signDecision(own, keys[service as "page"], NOW))).toBe("agents_may_not_decide");
  }
});

test("a service decides what can be taken back and names it, as a service", async () => {
  const asked = new Asked(call({ assignees: ["anna", "page"] }, { effect: "write" }));
  expect(await asked.takes(asked.signed("page"))).toMatchObject({
    status: "decided",
    decision: { principal: { id: "page", kind: "service", verified: true } },
  });
});

test("a service vouches for a person", async () => {
  const asked = new Asked(call({ assignees: ["anna"] }));
  expect(await asked.takes(signDecision(asked.said("anna", { via: "page" }), keys.page, NOW))).toMatchObject({
    status: "decided",
    decision: { principal: { id: "anna", verified: true, via: "page" } },
  });
});

describe("without a signature", () => {
  const reversible = call({}, { effect: "write" });

  test("anybody decides while the project has no people, and is not verified", async () => {
    const asked = new Asked(call({ assignees: ["anna"] }), peopleOf({}));
    expect(await asked.takes(asked.said("ben"))).toBe("not_an_assignee");
    expect(await asked.takes(asked.said("anna"))).toMatchObject({
      decision: { principal: { id: "anna", verified: false } },
    });
  });

  test("a stranger decides what can be taken back, where nobody is named; one of the people never does", async () => {
    const asked = new Asked(reversible);
    expect(await asked.takes(asked.said("anna"))).toBe("unverified_decision");
    expect(await asked.takes(asked.said("somebody"))).toMatchObject({ status: "decided" });
    const named = new Asked({ ...reversible, assignees: ["anna"] });
    expect(await named.takes(named.said("somebody"))).toBe("not_an_assignee");
  });

  test("an agent decides what can be taken back, where nobody is named", async () => {
    const asked = new Asked(reversible);
    expect(await asked.takes(asked.said("bot", { kind: "agent", via: "mcp" }))).toMatchObject({
      decision: { principal: { kind: "agent", verified: false } },
    });
    const named = new Asked({ ...reversible, assignees: ["bot"] });
    expect(await named.takes(named.said("bot", { kind: "agent" }))).toBe("agents_may_not_decide");
  });

  test("nobody decides where policy says never", async () => {
    const asked = new Asked(reversible, { ...TEAM, policy: { unsigned: "never" } });
    expect(await asked.takes(asked.said("somebody"))).toBe("unverified_decision");
  });
});

test.each(["Anna", "ANNA", "ａｎｎａ", "anna ", "page"])(
  "an unsigned decision of %j is not that of another person than the one of people.yaml",
  async (by) => {
    const asked = new Asked(call({ quorum: 2 }, { effect: "write" }));
    expect(await asked.takes(asked.signed("anna"))).toMatchObject({ status: "open" });
    expect(await asked.takes(asked.said(by))).toBe("unverified_decision");
    expect(await asked.takes(asked.said("mallory"))).toMatchObject({ status: "decided" });
  },
);

describe("a decision that is taken back", () => {
  test("no longer counts towards the quorum, and its signature cannot be sent again", async () => {
    const asked = new Asked(call({ assignees: ["anna", "ben", "cleo"], quorum: 2 }));
    const yes = await asked.signed("anna");
    expect(await asked.takes(yes)).toMatchObject({ status: "open", votes: [{ by: "anna" }] });
    expect(await asked.takes(asked.signed("ben", { choice: WITHDRAW }))).toBe("not_found");
    expect(await asked.takes(asked.signed("anna", { choice: WITHDRAW }))).toMatchObject({ status: "open", votes: [] });
    expect(await asked.takes(yes)).toBe("replayed_decision");
    expect(await asked.takes(asked.signed("ben"))).toMatchObject({ status: "open" });
    expect(await asked.takes(asked.signed("anna"))).toMatchObject({ status: "decided" });
  });

  test("stops the call that it approved, until that begins", async () => {
    const asked = new Asked(call());
    await asked.takes(asked.signed("anna"));
    expect(asked.begins()).toBeNull();
    expect(asked.begins("x".repeat(43))).toBe("seal_broken");
    expect(await asked.takes(asked.said("anna", { choice: WITHDRAW }))).toBe("unverified_decision");
    expect(await asked.takes(asked.signed("anna", { choice: WITHDRAW }))).toMatchObject({ status: "decided" });
    expect(asked.begins()).toBe("approval_revoked");
    const begun = new Asked(call());
    await begun.takes(begun.signed("anna"));
    begun.begin();
    expect(await begun.takes(begun.signed("anna", { choice: WITHDRAW }))).toBe("already_decided");
    expect(begun.begins()).toBeNull();
  });

  test("is a move that has happened where no call follows", async () => {
    const { sealed: _, ...question } = call({ kind: "question" }, { effect: "read" });
    const asked = new Asked(question);
    await asked.takes(asked.signed("anna"));
    expect(await asked.takes(asked.signed("anna", { choice: WITHDRAW }))).toBe("already_decided");
  });
});

test("one person votes once, whatever name the vote has", async () => {
  const asked = new Asked(call({ assignees: ["group:finance", "cleo"], quorum: 2 }));
  expect(await asked.takes(asked.signed("anna"))).toMatchObject({ status: "open" });
  expect(await asked.takes(asked.signed("anna"))).toBe("already_voted");
  expect(await asked.takes(signDecision(asked.said("ben"), keys.anna, NOW))).toBe("bad_signature");
  expect(await asked.takes(asked.said("Anna"))).toBe("not_an_assignee");
  expect(await asked.takes(asked.signed("cleo"))).toMatchObject({ status: "decided" });
});

describe("a record in a journal", () => {
  const recorded = (by: string, more: Partial<Decision> = {}): Decision => ({
    review: "agent/a#paid_7",
    choice: "record",
    value: true,
    by,
    ...more,
  });
  const refusal = async (decision: Decision, people = TEAM, replaces?: number) =>
    recordRefusal(decision, await verifyDecision(people, decision, NOW), replaces)?.reason ?? null;

  test("is made by whoever signs it; nobody says without a signature that he is one of the people", async () => {
    expect(await refusal(await signDecision(recorded("anna"), keys.anna, NOW))).toBeNull();
    expect(await refusal(recorded("anna"))).toBe("unverified_decision");
    expect(await refusal(recorded("the page"))).toBeNull();
    expect(await refusal(recorded("the page"), { ...TEAM, policy: { unsigned: "never" } })).toBe("unverified_decision");
    expect(await refusal(recorded("anna"), peopleOf({}))).toBeNull();
    expect(await refusal(recorded("Timer"), peopleOf({}))).toBe("invalid_input");
    expect(await refusal(await signDecision(recorded("anna"), keys.ben, NOW))).toBe("bad_signature");
  });

  test("is for one mission and one id, and replaces nothing that is newer than its signature", async () => {
    const signed = await signDecision(recorded("anna", { choice: "overwrite" }), keys.anna, NOW);
    expect(await refusal({ ...signed, review: "agent/b#paid_7" })).toBe("bad_signature");
    expect(await refusal({ ...signed, choice: "record" })).toBe("bad_signature");
    expect(await refusal(signed, TEAM, NOW - 1)).toBeNull();
    expect(await refusal(signed, TEAM, NOW)).toBe("replayed_decision");
  });
});
