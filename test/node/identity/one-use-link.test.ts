import type { PrivateKey } from "../../../src/node/identity/keys";
import { makeLink, nonceOfLink, readLink } from "../../../src/node/identity/one-use-link";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { verifyDecision } from "../../../src/node/identity/verify-decision";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

const PAGE = newKey();
const OTHER = newKey();
const ANNA = newKey();
const people = (revoked?: string) =>
  peopleOf({
    people: { anna: { keys: [publicKey(ANNA)] }, ben: {} },
    services: {
      page: { keys: [publicKey(PAGE, revoked)], may: ["vouch"] },
      ledger: { keys: [publicKey(OTHER)], may: ["sign_ledger"] },
    },
  });
const REVIEW = "agent/x/pay/1";
const NOW = Date.parse("2026-11-23T10:00:00Z");
const link = (key: PrivateKey = PAGE, more: { person?: string | null; expires?: number; id?: string } = {}) =>
  makeLink({ review: REVIEW, person: "anna", seal: "S", expires: NOW + 1_000, id: "msg_1", ...more }, key);
const read = async (token: string, review = REVIEW, now = NOW, file = people()) => readLink(token, review, file, now);

test("a link says for which review and person it is, and what was asked", async () => {
  expect(await read(await link())).toEqual({
    review: REVIEW,
    person: "anna",
    seal: "S",
    expires: NOW + 1_000,
    nonce: expect.stringMatching(/^[A-Za-z0-9_-]{24}$/),
    service: "page",
  });
});

test("the same message has the same link, and every other one another nonce", async () => {
  expect(await link()).toBe(await link());
  const nonces = await Promise.all(
    [link(), link(PAGE, { id: "msg_2" })].map(async (token) => (await read(await token)).nonce),
  );
  expect(new Set(nonces).size).toBe(2);
});

test("nobody without the key can tell the nonce of a link from its message", async () => {
  const one = await read(await link());
  const file = peopleOf({ services: { page: { keys: [publicKey(OTHER)], may: ["vouch"] } } });
  const two = await readLink(await link(OTHER), REVIEW, file, NOW);
  expect(one.nonce).not.toBe(two.nonce);
});

test("a link of one's own is nobody else's; one that several read counts once for each of them", async () => {
  const own = await read(await link());
  expect(nonceOfLink(own, "anna")).toBe(own.nonce);
  expect(() => nonceOfLink(own, "ben")).toThrow(
    expect.objectContaining({ code: "bad_link", details: { path: "ben", kind: "person" } }),
  );
  const shared = await read(await link(PAGE, { person: null }));
  expect(nonceOfLink(shared, "anna")).toBe(nonceOfLink(shared, "anna"));
  expect(nonceOfLink(shared, "anna")).not.toBe(nonceOfLink(shared, "ben"));
});

test("a decision that is made with a link has the link's nonce, also when it is made twice", async () => {
  const { seal, nonce } = await read(await link());
  const decide = () =>
    signDecision({ review: REVIEW, choice: "approve", by: "anna", via: "page", seal: seal ?? "", nonce }, PAGE, NOW);
  const decisions = [await decide(), await decide()];
  expect(decisions.map((one) => one.nonce)).toEqual([nonce, nonce]);
  expect(await verifyDecision(people(), decisions[0] as (typeof decisions)[0], NOW)).toMatchObject({
    principal: { id: "anna", verified: true, via: "page" },
    signed: { by: "page" },
  });
});

const changed = (token: string, change: (payload: { [field: string]: unknown }) => object) => {
  const [header, payload, signature] = token.split(".") as [string, string, string];
  const said = JSON.parse(Buffer.from(payload, "base64url").toString()) as { [field: string]: unknown };
  return [header, Buffer.from(JSON.stringify(change(said))).toString("base64url"), signature].join(".");
};

test.each<[string, () => Promise<unknown>, string]>([
  ["after its time", async () => read(await link(), REVIEW, NOW + 1_000), "bad_link"],
  ["for another review", async () => read(await link(), "agent/x/pay/2"), "bad_link"],
  ["with another person in it", async () => read(changed(await link(), (p) => ({ ...p, person: "ben" }))), "bad_link"],
  ["with a later end", async () => read(changed(await link(), (p) => ({ ...p, expires: NOW * 2 }))), "bad_link"],
  ["of a key that nobody has", async () => read(await link(newKey())), "bad_link"],
  ["of a service that may not vouch", async () => read(await link(OTHER)), "bad_link"],
  ["of a person", async () => read(await link(ANNA)), "bad_link"],
  ["of a revoked key", async () => read(await link(), REVIEW, NOW, people("2026-11-01T00:00:00Z")), "bad_link"],
  ["without a signature", async () => read(`${(await link()).split(".").slice(0, 2).join(".")}.`), "bad_link"],
  ["that is a decision's signature", async () => read((await decision()).signature ?? ""), "bad_link"],
  ["that is any text", async () => read("anna"), "bad_link"],
])("a link %s is refused", async (_what, use, code) => {
  await expect(use()).rejects.toMatchObject({ code });
});

const decision = () => signDecision({ review: REVIEW, choice: "approve", by: "anna" }, PAGE, NOW);

test("a link is no signature of a decision", async () => {
  const token = await link();
  const [header, , proof] = token.split(".");
  const forged = { review: REVIEW, choice: "approve", by: "anna", signature: `${header}..${proof}` };
  expect((await verifyDecision(people(), forged, NOW)).fail?.reason).toBe("bad_signature");
});
