import { writeFileSync } from "node:fs";
import path from "node:path";
import { readConfig } from "../../src/project/config-file";
import { temporaryFolder } from "../support/environment";

/** The issuer that a project trusts (approvals reference, section 1). */

const folder = temporaryFolder("oidc");
afterAll(() => folder.remove());
const read = (oidc: unknown) => {
  const file = path.join(folder.path, "navigator.config.json");
  writeFileSync(file, JSON.stringify({ oidc }));
  return readConfig(file);
};
const ISSUER = { issuer: "https://login.example.com/realm", audience: "navigator" };

test.each([
  ISSUER,
  { ...ISSUER, subject_claim: "email" },
  { ...ISSUER, issuer: "http://127.0.0.1:9" },
  { ...ISSUER, issuer: "http://[::1]:9" },
])("%j is read as it is", async (oidc) => {
  expect((await read(oidc)).oidc).toEqual(oidc);
});

test.each<[unknown, RegExp]>([
  [{ ...ISSUER, issuer: "http://login.example.com" }, /oidc\.issuer: must begin with https/],
  [{ ...ISSUER, issuer: "http://127.0.0.1.example.com" }, /oidc\.issuer: must begin with https/],
  [{ ...ISSUER, issuer: "login" }, /oidc\.issuer: must be the issuer's address/],
  [{ issuer: ISSUER.issuer }, /oidc\.audience: must be the audience/],
  [{ ...ISSUER, audience: "" }, /oidc\.audience: must not be empty/],
  [{ ...ISSUER, subject_claim: "" }, /oidc\.subject_claim: must not be empty/],
  ["https://login.example.com", /oidc: must be \{issuer, audience, subject_claim\?, client_secret_env\?\}/],
  [{ ...ISSUER, secret: "x" }, /unknown setting "secret"/],
])("%j is refused, and the mistake is named", async (oidc, message) => {
  await expect(read(oidc)).rejects.toThrow(message);
});
