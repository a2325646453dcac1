import { verdictText } from "../../../src/cli/commands/ledger/ledger";
import { createColors } from "../../../src/cli/terminal/render";
import { isObject } from "../../../src/core/base/is-object";
import type { Json, JsonObject } from "../../../src/core/base/json";
import { branchBody, childBody, effectBody } from "../../../src/core/effects/chain/bodies";
import type { LinkKind } from "../../../src/core/effects/chain/link";
import { LinkChain } from "../../../src/core/effects/chain/link-chain";
import { sharedKey } from "../../../src/core/effects/effect-key";
import { chainsText, type ExportedChain } from "../../../src/core/history/export/export-ledger";
import { ReviewBook } from "../../../src/core/review/book";
import { type PeopleFile, peopleVersion } from "../../../src/core/review/people/people-file";
import type { ReviewTerms } from "../../../src/core/review/policy/terms";
import { ReviewLinks } from "../../../src/core/review/review-links";
import { signHead, verifyExportedLedger } from "../../../src/node/identity/ledger-signature";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { verifyDecision } from "../../../src/node/identity/verify-decision";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

/** Somebody writes an export anew, with all hashes, and with signatures that people gave for something else. */

const T0 = Date.parse("2026-06-01T09:00:00Z");
const DAY = 86_400_000;
const ID = "A".repeat(43);
const keys = { anna: newKey(), ben: newKey(), carl: newKey() };
const worker = newKey();
const services = { worker: { keys: [publicKey(worker)], may: ["sign_ledger"] } };

const peopleWith = (more: object = {}): PeopleFile =>
  peopleOf({
    people: Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { keys: [publicKey(key)] }])),
    services,
    policy: { unsigned: "never" },
    ...more,
  });
const people = peopleWith();

interface Link {
  kind: LinkKind;
  body: JsonObject;
  at: number;
  value?: JsonObject;
}

interface Asked {
  terms?: ReviewTerms;
  args?: JsonObject;
  mission?: string;
  shared?: true;
  votes?: { by: keyof typeof keys; choice?: string; value?: Json }[];
}

const generation = (mission: string): string => `${mission}~${ID}~1`;

/** The links of a run that asked whether a call may be made, and of what people said. */
async function asked({ terms = {}, args = { cents: 5 }, mission = "m", shared, votes = [{ by: "anna" }] }: Asked = {}) {
  const book = new ReviewBook([], 0, undefined, () => "nonce-of-this-review");
  const place = { tool_version: "1", mission, place: "1.1", generation: generation(mission), valid_for_ms: DAY };
  const { id, seal = "" } = book.request(
    {
      ...{ kind: "approval", about: "pay", title: "Pay?", body: "", choices: ["approve", "reject"] },
      ...{ on_timeout: "reject", data: { tool: "pay", args, effect: "irreversible" } },
      ...{ editable: { choice: "approve", parameters: "cents :int" }, ...terms },
      sealed: shared === undefined ? place : { ...place, shared },
    },
    mission,
    T0,
  );
  const news = new ReviewLinks();
  const links: Link[] = [];
  const tell = (at: number) =>
    links.push(...news.news(book.all()).map((one) => ({ ...one, body: plain(one.body), at })));
  tell(T0);
  for (const [i, { by, choice = "approve", value }] of votes.entries()) {
    const at = T0 + 1_000 * (i + 1);
    const said = { review: id, choice, by, seal, ...(value === undefined ? {} : { value }) };
    const decision = await signDecision(said, keys[by], at);
    const taken = book.admit(decision, await verifyDecision(people, decision, at), at);
    if (!taken.ok) throw new Error(taken.fail.message);
    book.decide(taken.value, at);
    tell(at);
  }
  return { id, links };
}

const plain = (body: object): JsonObject => JSON.parse(JSON.stringify(body)) as JsonObject;

/** The call that hangs on a review. */
function call(review: string, { args = { cents: 5 }, tool = "pay", key = generation("m"), after = 60_000 } = {}): Link {
  const facts = { effect: "irreversible" as const, approval: true as const, state: "intended" as const, turn: 1 };
  return { kind: "effect", at: T0 + after, body: effectBody({ ...facts, key, tool, review, args }), value: { args } };
}

async function chain(id: string, links: readonly Link[], parent: string | null = null): Promise<ExportedChain> {
  const own = new LinkChain(id);
  const made = links.map(({ kind, body, at }) => own.add(kind, body, at));
  const end = own.end();
  const head = { seq: end?.seq ?? 0, hash: end?.head ?? "", at: end?.at ?? 0, final: true };
  const heads = end === null ? [] : [{ head, signature: await signHead({ workflow_id: id, ...head }, worker) }];
  const values = links.map(({ value = {} }) => value);
  const facts = { workflow_type: "agentRun", status: "completed" as const, budget: null };
  return { id, parent, runs: 1, chain: { ...facts, links: made, values, heads } };
}

const verify = (chains: ExportedChain[], known = people) =>
  verifyExportedLedger(chainsText(chains, { made_at: T0, people: null }), { people: known });
const verdictOf = async (links: Link[], known = people) => verify([await chain("m", links)], known);

const codes = ({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code);
const SOUND = { ok: true, whole: true, problems: [], notes: [] };

/** The links, with other words in the body of the first one: the seal does not cover them. */
const lied = ([opened, ...rest]: Link[], lie: JsonObject): Link[] => {
  const { kind, at, value, body } = opened as Link;
  return [{ kind, at, body: { ...body, ...lie }, ...(value === undefined ? {} : { value }) }, ...rest];
};

describe("sound exports are taken", () => {
  test.each<[string, Asked, Parameters<typeof call>[1]]>([
    ["a yes", {}, {}],
    [
      "an edit, which is another effect",
      { votes: [{ by: "anna", value: { cents: 4 } }] },
      { args: { cents: 4 }, key: `m~${"B".repeat(43)}~1` },
    ],
    ["an effect that missions share", { shared: true }, { key: sharedKey("m", ID, 7) }],
    [
      "a call that is too long to be kept",
      { args: { cents: 5, why: "x".repeat(60_000) } },
      { args: { cents: 5, why: "x".repeat(60_000) } as never },
    ],
  ])("%s", async (_, ask, made) => {
    const { id, links } = await asked(ask);
    expect(await verdictOf([...links, call(id, made)])).toMatchObject(SOUND);
  });

  test("a call that was begun twice with one key", async () => {
    const { id, links } = await asked();
    expect(await verdictOf([...links, call(id), call(id, { after: 70_000 })])).toMatchObject(SOUND);
  });

  test("a quorum that nobody can reach any more", async () => {
    const { links } = await asked({
      terms: { assignees: ["anna", "ben"], quorum: 2 },
      votes: [{ by: "anna" }, { by: "ben", choice: "reject" }],
    });
    expect(links.at(-1)?.body).toMatchObject({ by: "quorum", choice: "reject" });
    expect(await verdictOf(links)).toMatchObject(SOUND);
  });

  test("an export of a run below the mission that asked", async () => {
    const { id, links } = await asked({ mission: "agent/m" });
    const made = call(id, { key: generation("agent/m") });
    expect(await verify([await chain("agent/m/helper/1.1", [...links, made])])).toMatchObject(SOUND);
  });
});

describe("unsigned decisions from before the people had keys", () => {
  const unsigned = (id: string, at: number): Link => ({
    kind: "decision",
    at,
    body: { review: id, choice: "approve", by: "anna" },
  });

  test("the time of a link never goes back", async () => {
    const { id, links } = await asked({ votes: [] });
    const found = await verdictOf([...links, unsigned(id, 1), call(id)]);
    expect(codes(found)).toEqual(["order"]);
    expect(found.problems[0]).toMatchObject({ line: 3 });
  });

  test.each(["never", "reversible"])("are named, also with the policy %s", async (policy) => {
    const { id, links } = await asked({ votes: [] });
    const early = lied(links, {}).map((link) => ({ ...link, at: 1 }));
    const found = await verdictOf([...early, unsigned(id, 1), call(id)], peopleWith({ policy: { unsigned: policy } }));
    const note = "A decision was taken by name alone, before the people had keys: line 3.";
    expect(found).toMatchObject({ ok: true, whole: false, notes: [note] });
  });
});

describe("a call that was too long to be kept", () => {
  const args = { cents: 5, why: "x".repeat(60_000) } as { cents: number };
  const note = expect.stringContaining("The arguments that were asked about were too long to be kept");

  test("has its nonce and what its seal covers beside its link, so other arguments are found", async () => {
    const { id, links } = await asked({ args });
    expect(links[0]).toMatchObject({
      body: { long: true },
      value: { call: { tool: "pay", sealed: { mission: "m" } } },
    });
    expect(codes(await verdictOf([...links, call(id, { args: { ...args, cents: 6 } })]))).toEqual(["no_approval"]);
    expect(codes(await verdictOf([...links, call(id, { args, tool: "wire" })]))).toEqual(["no_approval"]);
  });

  test("with a change, or without what its seal covers, is named", async () => {
    const edited = await asked({ args, votes: [{ by: "anna", value: { cents: 4 } }] });
    const other = call(edited.id, { args: { ...args, cents: 4 }, key: `m~${"B".repeat(43)}~1` });
    expect(await verdictOf([...edited.links, other])).toMatchObject({ ok: true, whole: false, notes: [note] });
    const { id, links } = await asked();
    const bare = lied(links, { long: true }).map(({ value: _, ...link }) => link);
    const found = await verdictOf([...bare, call(id, { args: { cents: 999 } })]);
    expect(found).toMatchObject({ ok: true, whole: false, notes: [note] });
    expect(found.notes[0]).toContain("line 4");
  });

  test("is not one because the link says so", async () => {
    const { id, links } = await asked();
    const value = { call: { nonce: "nonce-of-this-review", tool: "pay", sealed: sealedOf(links) } };
    const lie = lied(links, { long: true }).map((link, i) => (i === 0 ? { ...link, value } : link));
    expect(codes(await verdictOf([...lie, call(id, { args: { cents: 999 } })]))).toEqual(["no_approval"]);
    const short = links.map((link, i) => (i === 0 ? { ...link, value: { ...link.value, ...value } } : link));
    expect(codes(await verdictOf([...short, call(id)]))).toEqual(["value_mismatch"]);
  });
});

function sealedOf([opened]: Link[]): Json {
  const asked = opened?.value?.asked;
  return isObject(asked) ? (asked.sealed ?? null) : null;
}

describe("what counts as a yes", () => {
  test("is approve, whatever the link says", async () => {
    const { id, links } = await asked({ votes: [{ by: "anna", choice: "reject" }] });
    expect(codes(await verdictOf([...lied(links, { edit: "reject" }), call(id)]))).toEqual(["no_approval"]);
  });

  test("is no answer to a question", async () => {
    const { id, links } = await asked();
    const question = lied(links, { source: "question", edit: "approve" }).map(({ value, ...link }) => ({
      ...link,
      ...(value === undefined ? {} : { value: { asked: { data: { tool: "pay", args: { cents: 5 } } } } }),
    }));
    expect(codes(await verdictOf([...question, call(id)]))).toContain("no_approval");
  });

  test("is for the tool that was asked about", async () => {
    const { id, links } = await asked();
    expect(codes(await verdictOf([...links, call(id, { tool: "wire" })]))).toEqual(["no_approval"]);
  });

  test.each([
    ["one effect", [generation("m"), `m~${ID}~2`]],
    ["the effect that was asked about", [`m~${ID}~2`]],
    ["an effect of its own mission", [sharedKey("m", ID, 1)]],
  ])("is for %s", async (_, made) => {
    const { id, links } = await asked();
    expect(codes(await verdictOf([...links, ...made.map((key) => call(id, { key }))]))).toEqual(["no_approval"]);
  });

  test("a change of the arguments is for one effect, too", async () => {
    const { id, links } = await asked({ votes: [{ by: "anna", value: { cents: 4 } }] });
    const calls = ["B", "C"].map((one) => call(id, { args: { cents: 4 }, key: `m~${one.repeat(43)}~1` }));
    expect(codes(await verdictOf([...links, ...calls]))).toEqual(["no_approval"]);
  });

  test("is for the mission that asked", async () => {
    const { id, links } = await asked({ mission: "other" });
    const found = await verdictOf([...links, call(id, { key: generation("other") })]);
    expect(codes(found)).toEqual(["seal_mismatch"]);
  });
});

describe("decisions of rules", () => {
  const rule = (id: string, by: string, after: number): Link => ({
    kind: "decision",
    at: T0 + after,
    body: { review: id, choice: "approve", by },
  });

  test("a call that nobody approved is named", async () => {
    const { id, links } = await asked({ votes: [] });
    const found = await verdictOf([...lied(links, { on_timeout: "approve" }), rule(id, "timer", 1_000), call(id)]);
    expect(found).toMatchObject({
      ok: true,
      notes: ["A call was made that nobody approved: the time was over (line 4)."],
    });
  });

  test("no rule decides what people have decided, and no person what a rule has", async () => {
    const { id, links } = await asked({ votes: [{ by: "anna", choice: "reject" }] });
    const [opened, no] = lied(links, { on_timeout: "approve" }) as [Link, Link];
    expect(codes(await verdictOf([opened, no, rule(id, "timer", 5_000), call(id)]))).toEqual([
      "already_decided",
      "no_approval",
    ]);
    expect(codes(await verdictOf([opened, rule(id, "timer", 500), no]))).toEqual(["already_decided"]);
    const withdrawn: Link = { kind: "review", at: T0, body: { id, withdrawn: true } };
    expect(codes(await verdictOf([opened, withdrawn, rule(id, "timer", 500)]))).toEqual(["already_decided"]);
  });

  test.each<[string, Asked]>([
    ["one person decides", { votes: [] }],
    ["nobody has voted", { terms: { quorum: 2, assignees: ["anna", "ben"] }, votes: [] }],
    ["the others can still agree", { terms: { quorum: 2, assignees: ["anna", "ben", "carl"] } }],
  ])("no quorum is given up where %s", async (_, ask) => {
    const { id, links } = await asked(ask);
    const turned = lied(links, { on_timeout: "approve", choices: ["reject", "approve"] });
    expect(codes(await verdictOf([...turned, rule(id, "quorum", 5_000), call(id)]))).toEqual([
      "bad_decision",
      "no_approval",
    ]);
  });
});

describe("workflows below the mission", () => {
  const child = () =>
    asked({ mission: "other" }).then(({ id, links }) =>
      chain("other", [...links, call(id, { key: generation("other") })], "m"),
    );
  const first: Link = { kind: "record", at: T0, body: { id: "a", row: "x" } };

  test("one that no link of its parent names is refused where both are completed", async () => {
    const grafted = await child();
    expect(codes(await verify([await chain("m", [first]), grafted]))).toEqual(["child_mismatch"]);
    const link = (body: JsonObject): Link => ({ kind: "child", at: T0, body });
    const { seq, hash } = grafted.chain.links.at(-1) as { seq: number; hash: string };
    for (const body of [branchBody("other"), childBody("other", { seq, head: hash })])
      expect(await verify([await chain("m", [first, link(body)]), grafted])).toMatchObject(SOUND);
  });

  test("a branch whose links were all cut out leaves a ledger that does not show everything", async () => {
    const began: Link = { kind: "child", at: T0, body: branchBody("other") };
    const found = await verify([await chain("m", [began]), await chain("other", [], "m")]);
    expect(found).toMatchObject({ ok: true, whole: false });
    expect(found.notes).toEqual(['"other", which "m" began, has no links: nothing shows whether it did something.']);
  });

  test.each(["running", "cancelled", "failed", "terminated"] as const)(
    "it is named where its parent is %s",
    async (status) => {
      const parent = await chain("m", [first]);
      const found = await verify([{ ...parent, chain: { ...parent.chain, status } }, await child()]);
      expect(found).toMatchObject({ ok: true, whole: false });
      expect(found.notes).toEqual([expect.stringContaining('No link of "m" names "other"')]);
    },
  );

  test("it is named where its parent has no chain", async () => {
    const found = await verify([await chain("m", []), await child()]);
    expect(found).toMatchObject({ ok: true, whole: false, notes: [expect.stringContaining('names "other"')] });
  });
});

describe("lines that no run writes", () => {
  const hours = { days: ["mon" as const], from: "00:00", to: "00:01", zone: "Europe/Berlin" };
  const steps = { assignees: ["anna"], hours, escalate: [{ after_ms: 5, to: ["ben"] }] };

  test.each<[string, JsonObject]>([
    ["a signature", { signature: 7 }],
    ["a time", { time: -1 }],
    ["a note", { note: { a: 1 } }],
    ["a name", { by: "" }],
  ])("a decision with %s that is none", async (_, more) => {
    const { id, links } = await asked({ votes: [] });
    const line: Link = { kind: "decision", at: T0, body: { review: id, choice: "approve", by: "anna", ...more } };
    const { problems } = await verdictOf([...links, line]);
    expect(problems).toEqual([expect.objectContaining({ line: 3, code: "bad_line" })]);
  });

  test.each([-1e18, 1e300, 0.5, -1])("a link of the time %p", async (at) => {
    const { links } = await asked({ terms: steps, votes: [] });
    const whole = await chain("m", [{ ...(links[0] as Link), at }]);
    const found = await verify([{ ...whole, chain: { ...whole.chain, status: "running", heads: [] } }]);
    expect(found.problems).toEqual([expect.objectContaining({ line: 2, code: "bad_line" })]);
  });

  test("a ladder of more steps than anybody writes", async () => {
    const { links } = await asked({ votes: [] });
    const escalate = Array.from({ length: 20_000 }, (_, i) => ({ after_ms: 1e14 + i, to: ["ben"] }));
    const found = await verdictOf(lied(links, { assignees: ["anna"], escalate, hours }));
    expect(found.problems).toEqual([expect.objectContaining({ line: 2, code: "bad_line" })]);
  });
});

describe("what people read", () => {
  const plainly = createColors(false, {});
  const shown = async (links: Link[], known = people) => verdictText(await verdictOf(links, known), plainly);

  test("no title, name or version makes a line of its own", async () => {
    const { links } = await asked();
    const [opened, yes] = lied(links, { title: "x\nThe ledger is valid: m" }) as [Link, Link];
    const forged = { ...yes, body: { ...yes.body, people_version: "v\nThe ledger is valid: m", note: "a\u2028b" } };
    const text = await shown([opened, forged]);
    expect(text.split(/[\n\u2028]/).filter((line) => line.startsWith("The ledger is valid"))).toEqual([]);
    expect(text).toContain("x The ledger is valid: m");
    const { decisions } = await verdictOf([opened, forged]);
    expect(decisions[0]).not.toHaveProperty("people_version");
  });

  test("for whom a delegate decided", async () => {
    const delegations = [{ to: "carl", until: new Date(T0 + DAY).toISOString() }];
    const all = Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { keys: [publicKey(key)] }]));
    const file = peopleWith({ people: { ...all, anna: { keys: [publicKey(keys.anna)], delegations } } });
    const { links } = await asked({ terms: { assignees: ["anna"] }, votes: [] });
    const seal = String(links[0]?.body.seal);
    const said = await signDecision(
      { review: String(links[0]?.body.id), choice: "approve", by: "carl", seal },
      keys.carl,
      T0,
    );
    const yes: Link = { kind: "decision", at: T0, body: { ...plain(said), people_version: peopleVersion(file) } };
    const { decisions } = await verdictOf([...links, yes], file);
    expect(decisions).toEqual([expect.objectContaining({ by: "carl", for: "anna" })]);
    expect(await shown([...links, yes], file)).toContain("carl for anna (signed)  approve");
  });

  test("with no signed head it is not said to hold up to one", async () => {
    const whole = await chain("m", [{ kind: "record", at: T0, body: { id: "a", row: "x" } }]);
    const running = { ...whole, chain: { ...whole.chain, status: "running" as const, heads: [] } };
    const text = verdictText(await verify([running]), plainly);
    expect(text).toMatch(/^The ledger fits together, but nothing of it is signed yet: m\. See the notes below\.\n/);
  });
});
