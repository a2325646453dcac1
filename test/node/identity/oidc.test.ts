import { generateKeyPair } from "jose";
import { type OidcSettings, oidcVerifier } from "../../../src/node/identity/oidc";
import { type Issuer, openIssuer } from "../../support/servers/oidc-issuer";

/** Tokens of an OIDC issuer, over real HTTP on this machine (approvals reference, section 1). */

let issuer: Issuer;
let other: Issuer;
beforeAll(async () => {
  [issuer, other] = await Promise.all([openIssuer(), openIssuer()]);
});
afterAll(() => Promise.all([issuer.close(), other.close()]));

const verifier = (more: Partial<OidcSettings> = {}) =>
  oidcVerifier({ issuer: issuer.url, audience: "navigator", ...more }, { cooldown_ms: 0 });
const seconds = (later: number) => Math.floor(Date.now() / 1_000) + later;
const unsigned = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

test("a token of the issuer for this server stands for its subject", async () => {
  expect(await verifier().subjectOf(await issuer.token())).toBe("u-1");
  expect(await verifier().subjectOf(await issuer.token({ aud: ["shop", "navigator"] }))).toBe("u-1");
  expect(await verifier().subjectOf(await issuer.token({ azp: "navigator" }, { typ: "JWT" }))).toBe("u-1");
});

test("another claim may name the person", async () => {
  const byName = verifier({ subject_claim: "preferred_username" });
  expect(await byName.subjectOf(await issuer.token({ preferred_username: "anna" }))).toBe("anna");
  expect(await byName.subjectOf(await issuer.token())).toBeNull();
  expect(await byName.subjectOf(await issuer.token({ preferred_username: ["anna"] }))).toBeNull();
});

test.each([
  [true, "anna@example.com"],
  [false, null],
  [undefined, null],
  ["true", null],
])("an e-mail address that the issuer calls verified=%j names %j", async (email_verified, subject) => {
  const token = await issuer.token({ email: "anna@example.com", email_verified });
  expect(await verifier({ subject_claim: "email" }).subjectOf(token)).toBe(subject);
});

test.each<[string, () => Promise<string> | string]>([
  ["of another issuer, signed by it", () => other.token()],
  ["of another issuer that says it is this one", () => other.token({ iss: issuer.url })],
  ["that names another issuer", () => issuer.token({ iss: other.url })],
  ["that names no issuer", () => issuer.token({ iss: null })],
  ["for another server", () => issuer.token({ aud: "shop" })],
  ["for nobody", () => issuer.token({ aud: null })],
  ["that is over", () => issuer.token({ exp: seconds(-60) })],
  ["that never ends", () => issuer.token({ exp: null })],
  ["that does not count yet", () => issuer.token({ nbf: seconds(600) })],
  ["without a subject", () => issuer.token({ sub: null })],
  ["with an empty subject", () => issuer.token({ sub: "" })],
  [
    "without a signature (alg none)",
    () => unsigned({ alg: "none" }, { iss: issuer.url, aud: "navigator", sub: "u-1", exp: seconds(600) }),
  ],
  [
    "signed with the public key as if it were a secret (HS256)",
    async () => issuer.token({}, { alg: "HS256", key: Buffer.from(await issuer.published()) }),
  ],
  [
    "signed with a key of somebody else under the issuer's key id",
    async () => {
      const { privateKey } = await generateKeyPair("RS256", { modulusLength: 2048 });
      return issuer.token({}, { key: privateKey });
    },
  ],
  ["of an unknown key", () => issuer.token({}, { kid: "nobody" })],
  [
    "that was changed",
    async () => {
      const [header, , signature] = (await issuer.token()).split(".");
      const claims = { iss: issuer.url, aud: "navigator", sub: "u-2", exp: seconds(600) };
      return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
    },
  ],
  ["that is an access token (at+jwt)", () => issuer.token({}, { typ: "at+jwt" })],
  ["that is an access token (application/at+jwt)", () => issuer.token({}, { typ: "application/AT+JWT" })],
  ["that is a logout token", () => issuer.token({}, { typ: "logout+jwt" })],
  [
    "that is a logout token without a type",
    () => issuer.token({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }),
  ],
  ["that was made for another client", () => issuer.token({ aud: ["navigator", "shop"], azp: "shop" })],
  ["that is no token", () => "a.b.c"],
])("a token %s stands for nobody", async (_, token) => {
  expect(await verifier().subjectOf(await token())).toBeNull();
});

test("after the issuer changed its key, new tokens count and those of the earlier key do not", async () => {
  const checked = verifier();
  const before = await issuer.token();
  expect(await checked.subjectOf(before)).toBe("u-1");
  await issuer.rotate();
  expect(await checked.subjectOf(await issuer.token())).toBe("u-1");
  expect(await checked.subjectOf(before)).toBeNull();
});

test("keys are fetched once for many tokens", async () => {
  const checked = verifier();
  const tokens = await Promise.all([1, 2, 3].map((n) => issuer.token({ sub: `u-${n}` })));
  await checked.subjectOf(tokens[0] as string);
  const fetches = issuer.fetches();
  expect(await Promise.all(tokens.map((token) => checked.subjectOf(token)))).toEqual(["u-1", "u-2", "u-3"]);
  expect(issuer.fetches()).toBe(fetches);
});

describe("nobody can tell, and the next token is checked anew", () => {
  const unavailable = expect.objectContaining({
    code: "service_unavailable",
    details: { path: expect.stringMatching(/^http:\/\/127.0.0.1:/), kind: "issuer" },
  });

  test.each([
    ["the document of another issuer", () => ({ issuer: other.url })],
    ["keys at an address that others can change", () => ({ jwks_uri: "http://keys.example.com/" })],
    ["no address of keys", () => ({ jwks_uri: null })],
  ])("with %s", async (_, more) => {
    const checked = verifier();
    issuer.says(more());
    await expect(checked.subjectOf(await issuer.token())).rejects.toEqual(unavailable);
    issuer.says({});
    expect(await checked.subjectOf(await issuer.token())).toBe("u-1");
  });

  test("while the issuer is away", async () => {
    const gone = await openIssuer();
    const checked = oidcVerifier({ issuer: gone.url, audience: "navigator" });
    const token = await gone.token();
    await gone.close();
    await expect(checked.subjectOf(token)).rejects.toEqual(unavailable);
  });
});
