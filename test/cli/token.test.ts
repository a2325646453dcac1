import { stringify } from "yaml";
import { projectTokens } from "../../src/node/identity/token-store";
import { openPlace, type Place } from "../support/cli";
import { newKey, publicKey } from "../support/test-keys";

/** `navigator token`: needs no server. */

let place: Place;
beforeAll(async () => {
  place = await openPlace("token");
  place.write("navigator.config.json", "{}");
  const [anna, mcp] = [{ keys: [publicKey(newKey())] }, { keys: [publicKey(newKey())] }];
  const dora = { removed: "2026-01-01T00:00:00Z" };
  place.write("people.yaml", stringify({ people: { anna, dora }, services: { mcp } }));
});
afterAll(() => place.close());
const stored = () => projectTokens(null, `${place.folder}/.identity`);

test("a token is made and shown once; the list has everything but the token", async () => {
  const commands = place.here();
  const made = await commands.json(["token", "create", "anna", "--expires", "90d"]);
  expect(stored().find(made.token)).toMatchObject({ id: made.id, owner: "anna", kind: "person" });
  const { tokens } = await commands.json(["token", "list"]);
  expect(tokens).toMatchObject([{ id: made.id, owner: "anna", kind: "person", expires: made.expires }]);
  const said = await commands.run(["token", "list"]);
  expect(said.stdout).toContain(made.id);
  const secret = made.token.slice(-43);
  expect(
    [said.stdout, JSON.stringify(tokens)].filter((text) => text.includes(secret) || text.includes("sha256")),
  ).toEqual([]);
});

test("a token of a service, and its end", async () => {
  const commands = place.here();
  const { token, id } = await commands.json(["token", "create", "mcp", "--service"]);
  expect(stored().find(token)).toMatchObject({ owner: "mcp", kind: "service" });
  expect((await commands.run(["token", "revoke", id])).stdout).toBe(`Token ${id} of "mcp" counts no more.\n`);
  expect(stored().find(token)).toBeNull();
});

test.each([
  [["create", "ben"], "person_not_found"],
  [["create", "mcp"], "person_not_found"],
  [["create", "dora"], "person_not_found"],
  [["create", "anna", "--service"], "person_not_found"],
  [["create", "constructor"], "person_not_found"],
  [["create", "anna", "--expires", "soon"], "invalid_argument"],
  [["revoke", "0123456789abcdef"], "token_not_found"],
  [["revoke", "../x"], "token_not_found"],
  [["create"], "missing_argument"],
])("token %j is refused as %s, and nothing is made", async (args, code) => {
  const before = stored().list().length;
  expect((await place.here().refused(["token", ...args])).code).toBe(code);
  expect(stored().list().length).toBe(before);
});
