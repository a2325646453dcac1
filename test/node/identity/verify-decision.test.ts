import { CompactSign } from "jose";
import { decisionVerifier } from "../../../src/activities/verify-decision";
import { NavigatorError } from "../../../src/core/base/navigator-error";
import { type Decision, HAND_OVER } from "../../../src/core/review/decision-input";
import { decisionText } from "../../../src/core/review/decision-text";
import { NO_PEOPLE, peopleVersion } from "../../../src/core/review/people/people-file";
import type { AskedAt } from "../../../src/core/review/policy/signing-time";
import type { Verification } from "../../../src/core/review/verification";
import { importPrivate } from "../../../src/node/identity/keys";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { verifyDecision, verifyPastDecision } from "../../../src/node/identity/verify-decision";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

const NOW = Date.parse("2026-06-01T12:00:00Z");
const anna = newKey();
const old = newKey();
const ben = newKey();
const page = newKey();
const worker = newKey();
const left = newKey();

const people = peopleOf({
  people: {
    anna: {
      keys: [publicKey(anna), publicKey(old, "2026-05-01T00:00:00Z")],
      delegations: [{ to: "ben", until: "2026-07-01T00:00:00Z" }],
    },
    ben: { keys: [publicKey(ben)] },
    carl: { keys: [publicKey(left)], removed: "2026-05-01T00:00:00Z" },
  },
  groups: { finance: { members: ["anna"], lead: "ben" } },
  services: {
    page: { keys: [publicKey(page)], may: ["vouch"] },
    worker: { keys: [publicKey(worker)], may: ["sign_ledger"] },
  },
});

const said: Decision = { review: "agent/a/pay/1", choice: "approve", by: "anna", seal: "s".repeat(43), note: "ok" };

const LEFT = '"carl" has left the project, at 2026-05-01T00:00:00Z.';

/** Anna's decision under a header that has more than the algorithm and the key. */
async function signedWith(more: { [field: string]: unknown }): Promise<Decision> {
  const { signature: _, ...decision } = await signDecision(said, anna, NOW);
  const jws = await new CompactSign(new TextEncoder().encode(decisionText(decision)))
    .setProtectedHeader({ alg: "EdDSA", kid: anna.kid, ...more })
    .sign(await importPrivate(anna));
  const [header, , proof] = jws.split(".");
  return { ...decision, signature: `${header}..${proof}` };
}

describe("who decided", () => {
  test("a person's own signature makes a verified principal, with the groups", async () => {
    const verification = await verifyDecision(people, await signDecision(said, anna, NOW), NOW);
    expect(verification).toMatchObject({
      principal: { id: "anna", kind: "person", verified: true, via: "library" },
      signed: { kid: anna.kid, by: "anna" },
      fail: null,
      people: true,
      known: true,
    });
    expect(verification.authority).toEqual({ own: ["anna", "group:finance"], delegated: [], groups: ["finance"] });
  });

  test("a signer's clock may be five minutes ahead", async () => {
    const { fail } = await verifyDecision(people, await signDecision(said, anna, NOW + 5 * 60_000), NOW);
    expect(fail).toBeNull();
  });

  test("a delegation stands for another person until it ends", async () => {
    const signed = await signDecision({ ...said, by: "ben" }, ben, NOW);
    const delegated = [
      { word: "anna", from: "anna" },
      { word: "group:finance", from: "anna" },
    ];
    expect((await verifyDecision(people, signed, NOW)).authority).toEqual({
      own: ["ben", "lead:finance"],
      delegated,
      groups: [],
    });
    const later = Date.parse("2026-07-01T00:00:00Z");
    expect((await verifyDecision(people, signed, later)).authority.delegated).toEqual([]);
  });

  test("a service that may vouch signs for a person", async () => {
    const verification = await verifyDecision(people, await signDecision({ ...said, via: "page" }, page, NOW), NOW);
    expect(verification).toMatchObject({
      principal: { id: "anna", verified: true, via: "page" },
      signed: { kid: page.kid, by: "page" },
    });
  });

  test("a name without a signature is not verified", async () => {
    expect(await verifyDecision(people, said, NOW)).toMatchObject({
      principal: { id: "anna", verified: false },
      signed: null,
      fail: null,
      known: true,
      unsigned: "reversible",
    });
    expect(await verifyDecision(peopleOf({}), said, NOW)).toMatchObject({ people: false, unsigned: "always" });
  });

  test.each(["group:finance", "lead:finance", "Group:finance", "ｇroup:finance"])(
    "%j is nobody's name where people are known: a group decides through its members",
    async (by) => {
      expect((await verifyDecision(people, { ...said, by }, NOW)).fail).toMatchObject({
        reason: "invalid_input",
        details: { path: "by" },
      });
      expect((await verifyDecision(peopleOf({}), { ...said, by }, NOW)).fail).toBeNull();
    },
  );

  test.each([
    "anna\u0000",
    "an\u0007na",
    "anna\u007f",
    "anna\u0085b",
    "an\ufff9na",
    "an\u2028na",
    "anna\u2800",
    "anna\ufffc",
    "an\ue000na",
    "anna\ud800",
    "timer\u0000",
  ])("%j has characters that nobody sees, and is no name", async (by) => {
    for (const file of [people, peopleOf({})])
      expect((await verifyDecision(file, { ...said, by }, NOW)).fail).toMatchObject({
        reason: "invalid_input",
        message: expect.stringContaining("characters that nobody sees"),
      });
  });

  test.each(["Zoë", "Nguyễn Văn A", "علی\u200cرضا", "O'Hara-Smith", "李小龍"])("%j is a name", async (by) => {
    expect((await verifyDecision(people, { ...said, by }, NOW)).fail).toBeNull();
  });

  test.each(["Anna", "ANNA", "ａｎｎａ", "anna ", "an\u200bna", "Carl", "page", "PAGE"])(
    "%j is a name of the project, however it is written",
    async (by) => {
      expect(await verifyDecision(people, { ...said, by }, NOW)).toMatchObject({
        principal: { id: by, verified: false },
        authority: { own: [by] },
        known: true,
      });
      expect(await verifyDecision(peopleOf({}), { ...said, by }, NOW)).toMatchObject({ known: false });
    },
  );

  test("in a project without people a signature proves nothing, and the decision is as one without", async () => {
    const verification = await verifyDecision(peopleOf({}), await signDecision(said, anna, NOW), NOW);
    expect(verification).toMatchObject({ principal: { verified: false }, signed: null, fail: null, people: false });
  });

  test("a worker tells with which version of the people it checked; a project without people has none", async () => {
    const [known] = await decisionVerifier(() => people)([said]);
    expect(known?.peopleVersion).toBe(peopleVersion(people));
    const [nobody] = await decisionVerifier(() => NO_PEOPLE)([said]);
    expect(nobody).not.toHaveProperty("peopleVersion");
  });

  test("a worker that cannot read the people lets nobody decide", async () => {
    const verify = decisionVerifier(() => {
      throw new NavigatorError("bad_project", "people.yaml:2:1: wrong.", { details: { path: "people.yaml" } });
    });
    for (const decision of [said, await signDecision(said, anna, NOW)])
      expect(await verify([decision])).toMatchObject([
        {
          principal: { id: "anna", verified: false },
          signed: null,
          fail: { reason: "bad_project", message: "people.yaml:2:1: wrong.", details: { path: "people.yaml" } },
          unsigned: "never",
        },
      ]);
  });

  test.each<[string, () => Promise<Decision>, string]>([
    ["another's name", () => signDecision(said, ben, NOW), "bad_signature"],
    ["a service that may not vouch", () => signDecision(said, worker, NOW), "bad_signature"],
    ["a stranger's key", () => signDecision(said, newKey(), NOW), "unknown_signer"],
    ["a revoked key", () => signDecision(said, old, NOW), "key_revoked"],
    ["somebody who left", () => signDecision({ ...said, by: "carl" }, left, NOW), "key_revoked"],
    ["a vouched name of somebody who left", () => signDecision({ ...said, by: "carl" }, page, NOW), "key_revoked"],
    ["a text that is no signature", async () => ({ ...said, signature: "x" }), "bad_signature"],
    [
      "a signature with a payload of its own",
      async () => {
        const { signature = "", ...rest } = await signDecision(said, anna, NOW);
        return { ...rest, signature: signature.replace("..", ".e30.") };
      },
      "bad_signature",
    ],
    ["a signature whose header says more", () => signedWith({ typ: "link" }), "bad_signature"],
    ["a signature whose header has a critical field", () => signedWith({ crit: ["b64"], b64: true }), "bad_signature"],
    ["a signature of a time to come", () => signDecision(said, anna, NOW + 5 * 60_000 + 1), "bad_signature"],
  ])("%s is no signature of anna", async (_, decide, code) => {
    const { fail, principal } = await verifyDecision(people, await decide(), NOW);
    expect(fail?.reason).toBe(code);
    expect(principal.verified).toBe(false);
  });

  test.each<[string, () => Promise<Decision>, string]>([
    ["who left", () => signDecision({ ...said, by: "carl" }, left, NOW), LEFT],
    ["who left, and is vouched for", () => signDecision({ ...said, by: "carl" }, page, NOW), LEFT],
    ["with a revoked key", () => signDecision(said, old, NOW), `The key ${old.kid} of "anna" was revoked.`],
  ])("somebody %s hears why", async (_, decide, message) =>
    expect((await verifyDecision(people, await decide(), NOW)).fail).toMatchObject({ reason: "key_revoked", message }),
  );

  test.each<[keyof Decision, Partial<Decision>]>([
    ["review", { review: "agent/a/pay/2" }],
    ["choice", { choice: "reject" }],
    ["value", { value: { cents: 1 } }],
    ["note", { note: "" }],
    ["seal", { seal: "t".repeat(43) }],
    ["time", { time: NOW + 1 }],
    ["nonce", { nonce: "n".repeat(24) }],
    ["via", { via: "page" }],
    ["kind", { kind: "agent" }],
  ])("a changed %s is found", async (_, change) => {
    const signed = { ...(await signDecision(said, anna, NOW)), ...change };
    expect((await verifyDecision(people, signed, NOW)).fail?.reason).toBe("bad_signature");
  });
});

describe("clocks", () => {
  const MINUTE = 60_000;

  test.each<[string, () => Promise<Decision>]>([
    ["a key", () => signDecision(said, old, NOW)],
    ["somebody who left", () => signDecision({ ...said, by: "carl" }, left, NOW)],
    ["a vouched name of somebody who left", () => signDecision({ ...said, by: "carl" }, page, NOW)],
  ])("a revocation counts at once when the clock that wrote it was an hour ahead: %s", async (_, decide) => {
    const ahead = "2026-06-01T13:00:00Z";
    const file = peopleOf({
      ...people,
      people: {
        ...people.people,
        anna: { keys: [publicKey(anna), publicKey(old, ahead)] },
        carl: { keys: [publicKey(left)], removed: ahead, delegations: [{ to: "ben", until: "2999-01-01T00:00:00Z" }] },
      },
    });
    expect((await verifyDecision(file, await decide(), NOW)).fail?.reason).toBe("key_revoked");
    const bens = await verifyDecision(file, await signDecision({ ...said, by: "ben" }, ben, NOW), NOW);
    expect(bens.authority.delegated).toEqual([]);
    // An export is checked by the time of the decision: a later revocation does not matter.
    expect((await verifyPastDecision(file, await decide(), NOW)).fail).toBeNull();
  });

  const approves = (valid_for_ms: number) => ({ approval: { choice: "approve", valid_for_ms } });
  const asked = { asked_at: NOW - 2 * MINUTE, ...approves(60 * MINUTE) };
  test.each<[string, number, Partial<AskedAt>, string | null, number | null]>([
    ["is right", 0, {}, null, null],
    ["is a little behind", -2 * MINUTE - 9_000, {}, null, null],
    ["is behind, so that the signature is older than its question", -12 * MINUTE, {}, "bad_signature", -10 * MINUTE],
    ["is behind for longer than an approval counts", -MINUTE, approves(30_000), "approval_expired", -MINUTE],
    ["is ahead", 6 * MINUTE, {}, "bad_signature", 6 * MINUTE],
  ])("a signer whose clock %s", async (_, off, more, reason, difference_ms) => {
    const signed = await signDecision(said, anna, NOW + off);
    const [{ fail }] = (await decisionVerifier(() => people)([signed], {
      now: NOW,
      asked: [{ ...asked, ...more }],
    })) as [Verification];
    expect(fail?.reason ?? null).toBe(reason);
    if (fail === null) return;
    expect(fail.details).toMatchObject({ difference_ms, server_time: NOW });
    expect(fail.message).toContain("Set the clock of the machine that signs");
  });

  test("a refusal is no approval: other choices count for as long as the review is open", async () => {
    const signed = await signDecision({ ...said, choice: "reject" }, anna, NOW - MINUTE);
    expect((await verifyDecision(people, signed, NOW, { ...asked, ...approves(30_000) })).fail).toBeNull();
  });
});

describe("who gets a hand-over", () => {
  const found = async (to: string, file = people) =>
    (await verifyDecision(file, { ...said, choice: HAND_OVER, value: { to } }, NOW)).unknownTarget;

  test.each([
    ["anan", "not_found", "anan\" is not one of the project's people. Did you mean anna? There are: anna, ben."],
    ["carl", "not_found", '"carl" has left the project, at 2026-05-01T00:00:00Z. There are: anna, ben.'],
    ["toString", "not_found", "There are: anna, ben."],
    ["group:finanec", "not_found", 'no group "finanec". Did you mean finance? There are: finance.'],
    ["lead:sales", "not_found", 'no group "sales". There are: finance.'],
    ["lead:ops", "not_found", 'Nobody leads the group "ops"'],
  ])("%s is nobody: %s", async (to, reason, message) => {
    const file = { ...people, groups: { ...people.groups, ops: { members: ["ben"] } } };
    const there = to === "lead:ops" ? file : people;
    expect(await found(to, there)).toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  test.each(["anna", " ben ", "group:finance", "lead:finance"])("%s is somebody", async (to) =>
    expect(await found(to)).toBeUndefined(),
  );

  test("is not looked up for other decisions, and where the project has no people", async () => {
    expect(await found("zoe", peopleOf({}))).toBeUndefined();
    expect(await verifyDecision(people, { ...said, value: { to: "zoe" } }, NOW)).not.toHaveProperty("unknownTarget");
  });
});
