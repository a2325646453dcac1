import { stringify } from "yaml";
import { projectTokens } from "../../src/node/identity/token-store";
import { openPlace, type Place } from "../support/cli";
import { newKey, publicKey } from "../support/test-keys";
import { whereOf } from "../support/where-of";

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
  expect(stored().find(token)).toMatchObject({ owner: "mcp", kind: "service", scopes: ["metrics"] });
  const wide = await commands.json(["token", "create", "mcp", "--service", "--scope", "start", "--scope", "read"]);
  expect(wide.scopes).toEqual(["read", "start"]);
  expect((await commands.run(["token", "list"])).stdout).toMatch(/service +mcp +read, start +created/);
  expect((await commands.run(["token", "revoke", id])).stdout).toBe(`Token ${id} of "mcp" counts no more.\n`);
  expect(stored().find(token)).toBeNull();
});

test.each([
  [["create", "ben"], "not_found person ben"],
  [["create", "mcp"], "not_found person mcp"],
  [["create", "dora"], "not_found person dora"],
  [["create", "anna", "--service"], "not_found person anna"],
  [["create", "constructor"], "not_found person constructor"],
  [["create", "anna", "--expires", "soon"], "bad_usage --expires"],
  [["create", "mcp", "--service", "--scope", "all"], "bad_usage --scope"],
  [["revoke", "0123456789abcdef"], "not_found token 0123456789abcdef"],
  [["revoke", "../x"], "not_found token ../x"],
  [["create"], "bad_usage name"],
])("token %j is refused as %s, and nothing is made", async (args, where) => {
  const before = stored().list().length;
  expect(whereOf(await place.here().refused(["token", ...args]))).toBe(where);
  expect(stored().list().length).toBe(before);
});
