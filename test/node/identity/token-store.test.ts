import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectTokens, TokenStore } from "../../../src/node/identity/token-store";
import { temporaryFolder } from "../../support/environment";

const folder = temporaryFolder("tokens");
afterAll(() => folder.remove());
const place = path.join(folder.path, "tokens");
const store = new TokenStore(place, "shop" as never);
const NOW = Date.parse("2026-11-23T09:00:00Z");

test("a token stands for its owner, and what is kept is private and not the token", () => {
  const { token, record } = store.create({ owner: "anna", kind: "person" }, NOW);
  expect(record).toMatchObject({ owner: "anna", kind: "person", project: "shop", created: "2026-11-23T09:00:00.000Z" });
  expect(store.find(token)).toEqual(record);
  const file = path.join(place, `${record.id}.json`);
  expect(readFileSync(file, "utf8")).not.toContain(token.slice(-43));
  if (process.platform !== "win32")
    expect([place, file].map((at) => statSync(at).mode & 0o777)).toEqual([0o700, 0o600]);
});

test("no two tokens are alike, and a token is long", () => {
  const tokens = [1, 2, 3].map(() => store.create({ owner: "anna", kind: "person" }).token);
  expect(new Set(tokens).size).toBe(3);
  for (const token of tokens) expect(token).toMatch(/^navigator_[0-9a-f]{16}_[\w-]{43}$/);
});

describe("a text that is not a token that counts", () => {
  const { token, record } = store.create({ owner: "ben", kind: "person" }, NOW);
  const other = store.create({ owner: "anna", kind: "person" }).token;
  const last = token.at(-1) === "A" ? "B" : "A";
  test.each([
    ["nothing", ""],
    ["its beginning", token.slice(0, -1)],
    ["more than it", `${token}A`],
    ["another last character", token.slice(0, -1) + last],
    ["the id of one with the secret of another", token.slice(0, 27) + other.slice(27)],
    ["an unknown id", `navigator_${"0".repeat(16)}_${token.slice(27)}`],
    ["a path in the place of the id", `navigator_../../../../x_${token.slice(27)}`],
    ["the id alone", record.id],
    ["the digest that is kept", `navigator_${record.id}_${record.sha256}`],
    ["an object's own name", "constructor"],
  ])("%s", (_, text) => {
    expect(store.find(text)).toBeNull();
  });
  test("the token itself counts", () => expect(store.find(token)).toEqual(record));
});

test("a token ends at its time, not a moment later", () => {
  const expires = new Date(NOW + 1_000).toISOString();
  const { token } = store.create({ owner: "anna", kind: "person", expires }, NOW);
  expect([999, 1_000, 1_001].map((ms) => store.find(token, NOW + ms) !== null)).toEqual([true, false, false]);
});

test("a revoked token counts no more, for good, in every process", () => {
  const { token, record } = store.create({ owner: "ci", kind: "service" });
  store.revoke(record.id, NOW);
  expect(store.find(token)).toBeNull();
  expect(new TokenStore(place, "shop" as never).find(token)).toBeNull();
  expect(store.revoke(record.id, NOW + 5).revoked).toBe("2026-11-23T09:00:00.000Z");
});

test.each(["nobody", "../shop", "0".repeat(16), ""])("revoking %j is refused: there is no such token", (id) => {
  expect(() => store.revoke(id)).toThrow(
    expect.objectContaining({ code: "not_found", details: expect.objectContaining({ path: id, kind: "token" }) }),
  );
});

test("the tokens of one project are not those of another, nor of a project without a name", () => {
  const shop = projectTokens("shop" as never, folder.path);
  const { token, record } = shop.create({ owner: "anna", kind: "person" });
  for (const other of ["bank" as never, null]) {
    const tokens = projectTokens(other, folder.path);
    expect(tokens.find(token)).toBeNull();
    expect(tokens.list()).toEqual([]);
    expect(() => tokens.revoke(record.id)).toThrow(
      expect.objectContaining({
        code: "not_found",
        details: expect.objectContaining({ path: record.id, kind: "token" }),
      }),
    );
  }
  expect(shop.find(token)).toEqual(record);
});

test("a damaged file is an error, and not a token that counts", () => {
  const { token, record } = store.create({ owner: "anna", kind: "person" });
  for (const text of ["", "{}", "[", JSON.stringify({ ...record, sha256: "" })]) {
    writeFileSync(path.join(place, `${record.id}.json`), text);
    expect(() => store.find(token)).toThrow(
      expect.objectContaining({
        code: "file_error",
        details: expect.objectContaining({ path: path.join(place, `${record.id}.json`) }),
      }),
    );
  }
  expect(readdirSync(place).filter((file) => file.endsWith(".new"))).toEqual([]);
});
