import { decisionVerifier } from "../../../src/activities/verify-decision";
import { effectBody } from "../../../src/core/effects/chain/bodies";
import type { LinkKind } from "../../../src/core/effects/chain/link";
import { LinkChain } from "../../../src/core/effects/chain/link-chain";
import { chainsText, type ExportedChain } from "../../../src/core/history/export/export-ledger";
import { ReviewBook } from "../../../src/core/review/book";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "../../../src/core/review/decision-input";
import { editedArgs } from "../../../src/core/review/edit";
import { type PeopleFile, peopleVersion } from "../../../src/core/review/people/people-file";
import type { ReviewTerms } from "../../../src/core/review/policy/terms";
import { ReviewLinks } from "../../../src/core/review/review-links";
import type { Verification } from "../../../src/core/review/verification";
import { signHead, verifyExportedLedger } from "../../../src/node/identity/ledger-signature";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

/** A ledger is checked by the rules of the run: whatever a run takes holds, and what it would refuse does not. */

const T0 = Date.parse("2026-06-01T09:00:00Z");
const DAY = 86_400_000;
const names = ["anna", "ben", "carl", "dora"] as const;
type Name = (typeof names)[number];
const keys = Object.fromEntries(names.map((name) => [name, newKey()])) as { [name in Name]: ReturnType<typeof newKey> };
const worker = newKey();

const peopleWith = (anna: object = {}): PeopleFile =>
  peopleOf({
    people: {
      ...Object.fromEntries(names.map((name) => [name, { keys: [publicKey(keys[name])] }])),
      anna: {
        keys: [publicKey(keys.anna)],
        delegations: [{ to: "carl", until: new Date(T0 + DAY).toISOString() }],
        ...anna,
      },
    },
    groups: { finance: { members: ["anna", "ben"] }, legal: { members: ["dora"] } },
    services: { worker: { keys: [publicKey(worker)], may: ["sign_ledger"] } },
  });
const people = peopleWith();

interface Act {
  by: Name;
  choice?: string;
  value?: { to: string } | { text: string } | { cents: number };
  /** Ms after the review was opened. */
  after?: number;
  /** By how much the signer's clock is ahead. */
  ahead?: number;
}

type Opened = ReviewTerms & { requestedBy?: string };

/** What a worker finds out at this time. */
async function verified(decision: Decision, now: number): Promise<Verification> {
  jest.setSystemTime(now);
  const [found] = await decisionVerifier(() => people)([decision]);
  return found as Verification;
}
beforeAll(() => {
  jest.useFakeTimers({ now: T0, doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "setTimeout"] });
});
afterAll(() => {
  jest.useRealTimers();
});

/** The ledger of a run that asked, took these decisions, and made the call. With `lie` the link says other terms. */
async function ledger(
  terms: Opened,
  acts: Act[],
  { lie = {}, called = true }: { lie?: object; called?: boolean } = {},
) {
  const { requestedBy, ...own } = terms;
  const args = { cents: 5 };
  const book = new ReviewBook([], 0, undefined, () => "nonce-of-this-review", requestedBy);
  const sealed = { tool_version: "1", mission: "m", place: "1.1", generation: "m~1", valid_for_ms: DAY };
  const asks = { kind: "approval" as const, about: "pay", title: "Pay?", body: "", choices: ["approve", "reject"] };
  const data = { tool: "pay", args, effect: "irreversible" };
  const more = { editable: { choice: "approve", parameters: "cents :int" }, sealed };
  const { id, seal = "" } = book.request({ ...asks, data, ...more, ...own }, "m", T0);
  const chain = new LinkChain("m");
  const [news, links, values] = [new ReviewLinks(), [], []] as [ReviewLinks, Chain["links"], Chain["values"]];
  const add = (kind: LinkKind, body: object, at: number, value = {}) => {
    links.push(chain.add(kind, JSON.parse(JSON.stringify(body)), at));
    values.push(value);
  };
  const tell = (at: number) => {
    for (const { kind, body, value } of news.news(book.all()))
      add(kind, kind === "review" ? { ...body, ...lie } : body, at, value);
  };
  tell(T0);
  for (const { by, choice = "approve", value, after = 1_000, ahead = 0 } of acts) {
    const now = T0 + after;
    book.passTime(now);
    const said = { review: id, choice, by, seal, ...(value === undefined ? {} : { value }) };
    const decision = await signDecision(said, keys[by], now + ahead);
    const taken = book.admit(decision, await verified(decision, now), now);
    if (!taken.ok) throw new Error(taken.fail.message);
    book.decide(taken.value, now);
    tell(now);
  }
  const edited = editedArgs(args, book.get(id)?.decision?.value);
  const call = { key: "m~1", tool: "pay", effect: "irreversible" as const, approval: true as const, review: id };
  if (called)
    add("effect", effectBody({ ...call, state: "intended", turn: 1, args: edited }), T0 + 9 * DAY, { args: edited });
  const end = chain.end() as NonNullable<ReturnType<LinkChain["end"]>>;
  const head = { seq: end.seq, hash: end.head, at: end.at, final: true };
  const heads = [{ head, signature: await signHead({ workflow_id: "m", ...head }, worker) }];
  const whole = { workflow_type: "agentRun", status: "completed" as const, budget: null, links, values, heads };
  return chainsText([{ id: "m", parent: null, runs: 1, chain: whole }], { made_at: T0, people });
}
type Chain = ExportedChain["chain"];

const problemsOf = async (text: string, file?: PeopleFile) =>
  (await verifyExportedLedger(text, file === undefined ? {} : { people: file })).problems;
const codesOf = async (text: string) => (await problemsOf(text, people)).map(({ code }) => code);

const steps = { assignees: ["anna"], escalate: [{ after_ms: 60_000, to: ["ben"] }] };
const both = { assignees: ["group:finance", "group:legal"], distinct_groups: 2 };
const hours = { days: ["mon", "tue"] as ("mon" | "tue")[], from: "09:00", to: "17:00", zone: "UTC" };

test.each<[string, Opened, Act[]]>([
  ["one yes", { assignees: ["anna"] }, [{ by: "anna" }]],
  ["an edit", { assignees: ["anna"] }, [{ by: "anna", value: { cents: 4 } }]],
  ["a hand-over", { assignees: ["anna"] }, [{ by: "anna", choice: HAND_OVER, value: { to: "ben" } }, { by: "ben" }]],
  [
    "a hand-over to a group",
    { assignees: ["anna"] },
    [
      { by: "anna", choice: HAND_OVER, value: { to: "group:legal" } },
      { by: "dora", after: 2_000 },
    ],
  ],
  [
    "a comment of somebody else",
    { assignees: ["anna"] },
    [{ by: "dora", choice: COMMENT, value: { text: "hm" } }, { by: "anna" }],
  ],
  ["a step of the ladder", steps, [{ by: "ben", after: 60_000 }]],
  ["a step of the ladder in working hours", { ...steps, hours }, [{ by: "ben", after: 61_000 }]],
  [
    "a vote that was taken back",
    { assignees: ["anna", "ben"], quorum: 2 },
    [{ by: "anna" }, { by: "anna", choice: WITHDRAW }, { by: "ben" }, { by: "anna", after: 2_000 }],
  ],
  ["two groups", both, [{ by: "ben" }, { by: "dora" }]],
  ["a delegate", { assignees: ["anna"] }, [{ by: "carl" }]],
  [
    "a delegate whose clock is past the end of the delegation",
    { assignees: ["anna"] },
    [{ by: "carl", after: DAY - 1_000, ahead: 2_000 }],
  ],
  ["somebody else than who asked", { requestedBy: "anna" }, [{ by: "ben" }]],
  ["who asked, where that is allowed", { requestedBy: "anna", separation: false }, [{ by: "anna" }]],
])("a call holds after %s", async (_, terms, acts) => {
  const text = await ledger(terms, acts);
  expect(await problemsOf(text, people)).toEqual([]);
  expect(await problemsOf(text)).toEqual([]);
});

test("a decision of a delegate holds when the one who delegated it has left later", async () => {
  const text = await ledger({ assignees: ["anna"] }, [{ by: "carl" }]);
  expect(await problemsOf(text, peopleWith({ removed: new Date(T0 + 2 * DAY).toISOString() }))).toEqual([]);
  const before = await problemsOf(text, peopleWith({ removed: new Date(T0).toISOString() }));
  expect(before.map(({ code }) => code)).toEqual(["not_an_assignee", "no_approval"]);
});

test.each<[string, Opened, Act[], object, string[]]>([
  ["one of two groups", both, [{ by: "ben" }], {}, ["no_approval"]],
  [
    "two of one group",
    { assignees: ["group:finance"], quorum: 2 },
    [{ by: "anna" }, { by: "ben" }],
    { ...both, quorum: 2 },
    ["no_approval"],
  ],
  [
    "two votes of one seat",
    { quorum: 2 },
    [{ by: "carl" }, { by: "anna" }],
    { assignees: ["anna"] },
    ["already_voted", "no_approval"],
  ],
  ["who asked", {}, [{ by: "anna" }], { requested_by: "anna" }, ["self_approval", "no_approval"]],
  ["somebody asked later", { assignees: ["ben"] }, [{ by: "ben" }], steps, ["not_an_assignee", "no_approval"]],
  [
    "nobody whom it was given to",
    { assignees: ["ben"] },
    [{ by: "ben" }],
    { assignees: ["anna"] },
    ["not_an_assignee", "no_approval"],
  ],
  [
    "a yes that was taken back",
    { assignees: ["ben"] },
    [{ by: "ben" }, { by: "ben", choice: WITHDRAW }],
    {},
    ["no_approval"],
  ],
  [
    "a hand-over where none is allowed",
    { assignees: ["anna"] },
    [{ by: "anna", choice: HAND_OVER, value: { to: "ben" } }, { by: "ben" }],
    { hand_over: false },
    ["invalid_decision", "not_an_assignee", "no_approval"],
  ],
])("a call does not hold after %s", async (_, terms, acts, lie, codes) => {
  expect(await codesOf(await ledger(terms, acts, { lie }))).toEqual(codes);
});

test("the quorum and who asked are those of the seal", async () => {
  const text = await ledger({ quorum: 2, requestedBy: "dora" }, [{ by: "anna" }, { by: "ben" }], {
    lie: { quorum: 1 },
  });
  expect(await codesOf(text)).toContain("seal_mismatch");
  const other = await ledger({ requestedBy: "dora" }, [{ by: "anna" }], { lie: { requested_by: "ben" } });
  expect(await codesOf(other)).toEqual(["seal_mismatch"]);
});

test("each decision has the version of the people with which it was checked, and a reader with others is told", async () => {
  const text = await ledger({ assignees: ["anna", "ben"], quorum: 2 }, [{ by: "anna" }, { by: "ben", after: 2_000 }]);
  const told = async (file: PeopleFile) => {
    const { notes, decisions } = await verifyExportedLedger(text, { people: file });
    return { notes, versions: decisions.map(({ people_version }) => people_version) };
  };
  const versions = [peopleVersion(people), peopleVersion(people)];
  expect(await told(people)).toEqual({ notes: [], versions });
  const later = peopleWith({ email: "anna@example.com" });
  expect(peopleVersion(later)).not.toBe(versions[0]);
  expect(await told(later)).toEqual({
    notes: [expect.stringMatching(new RegExp(`version ${peopleVersion(later)}.* ${versions[0]} \\(lines 3, 4\\)`))],
    versions,
  });
});
