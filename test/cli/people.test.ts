import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type Commands, openPlace, type Place } from "../support/cli";
import { isDeep } from "../support/run/deep";
import { newKey } from "../support/test-keys";
import { whereOf } from "../support/where-of";

/** Who the user is, and the people of the project: without a server. */

let place: Place;
let nav: Commands;
beforeEach(async () => {
  place = await openPlace("people", { NAVIGATOR_PROJECT: "shop" });
  nav = place.here();
});
afterEach(() => place.close());

const people = () => readFileSync(path.join(place.folder, "people.yaml"), "utf8");
const keyFile = (name: string) => path.join(place.folder, ".identity", "people", `${name}.json`);

describe("navigator login", () => {
  test("makes a key once, keeps it private, and prints what the project's maintainer runs", async () => {
    const first = await nav.run(["login", "--as", "anna"]);
    const { public: key, known } = await nav.json(["whoami"]);
    expect(known).toBe(false);
    expect(first.stdout).toContain(`navigator people add anna --key ${key}`);
    expect(statSync(keyFile("anna")).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(place.folder, ".identity")).mode & 0o777).toBe(0o700);
    expect(await nav.json(["login"])).toMatchObject({ person: "anna", public: key, made: false });
    await nav.json(["people", "add", "anna", "--key", key]);
    expect(await nav.json(["whoami"])).toMatchObject({ project: "shop", person: "anna", public: key, known: true });
    expect((await nav.run(["login"])).stdout).toContain("The project knows this key.");
  });

  test("--add writes the person into people.yaml, and never over somebody's entry", async () => {
    await nav.json(["login", "--as", "anna", "--add"]);
    const before = people();
    expect(await nav.json(["login", "--add"])).toMatchObject({ known: true });
    expect(people()).toBe(before);
    const error = await nav.refused(["login", "--new", "--add"]);
    expect(error).toMatchObject({
      code: "already_exists",
      details: { path: "anna", kind: "person" },
      hint: expect.stringContaining("people key NAME add"),
    });
    expect(people()).toBe(before);
    const { public: key } = await nav.json(["whoami"]);
    expect((await nav.run(["whoami"])).stdout).toContain(`navigator people key anna add ${key}`);
  });

  test("a file that names no people is mended before anybody is added", async () => {
    place.write("people.yaml", "people:\n  anna: { mail: x }\n");
    const error = await nav.refused(["login", "--as", "anna", "--add"]);
    expect(error.code).toBe("bad_project");
    expect(error.message).toContain("people.yaml:2:");
    expect(existsSync(keyFile("anna"))).toBe(false);
  });

  test("a key that others can read is not used, and --new makes another", async () => {
    await nav.json(["login", "--as", "anna"]);
    chmodSync(keyFile("anna"), 0o644);
    expect((await nav.refused(["whoami"])).code).toBe("invalid_input");
    expect((await nav.refused(["login"])).code).toBe("invalid_input");
    expect(await nav.json(["login", "--new"])).toMatchObject({ person: "anna", made: true });
  });

  test("logout leaves the key, and says who it was", async () => {
    await nav.json(["login", "--as", "anna"]);
    expect(await nav.json(["logout"])).toEqual({ project: "shop", person: "anna" });
    expect(await nav.json(["logout"])).toEqual({ project: "shop", person: null });
    expect(await nav.json(["whoami"])).toEqual({ project: "shop", person: null });
    expect(existsSync(keyFile("anna"))).toBe(true);
  });

  test("a person may be somebody else in another project", async () => {
    await nav.json(["login", "--as", "anna"]);
    await nav.json(["login", "--as", "ann", "--project", "bank"]);
    expect((await nav.json(["whoami", "--project", "bank"])).person).toBe("ann");
    expect((await nav.json(["whoami", "--project", "shop"])).person).toBe("anna");
    expect((await nav.refused(["login", "--project", "all"])).code).toBe("bad_project");
  });
});

describe("navigator people", () => {
  const [anna, ben, page] = [newKey(), newKey(), newKey()];
  const add = (name: string, ...more: string[]) => nav.json(["people", "add", name, ...more]);

  test("people, groups, delegations and services, as the worker reads them", async () => {
    place.write("people.yaml", "# Ours\npeople: {}\n");
    await add("anna", "--key", anna.x, "--email", "anna@example.com", "--group", "finance", "--group", "ops");
    await add("ben", "--key", ben.x, "--oidc", "auth0|ben");
    expect(await nav.json(["people", "group", "finance", "--add", "ben", "--lead", "ben"])).toEqual({
      name: "finance",
      members: ["anna", "ben"],
      lead: "ben",
    });
    await nav.json(["people", "group", "ops", "--remove", "anna"]);
    const { delegations } = await nav.json(["people", "delegate", "anna", "ben", "--until", "2999-12-24"]);
    expect(delegations).toEqual([{ to: "ben", until: "2999-12-25T00:00:00Z" }]);
    await nav.json(["people", "service", "page", "--key", page.x, "--may", "vouch"]);
    await nav.json(["people", "service", "page", "--key", page.x, "--may", "sign_ledger"]);

    const list = await nav.json(["people", "list"]);
    expect(list).toMatchObject({
      version: expect.stringMatching(/^[\w-]{43}$/),
      people: {
        anna: { email: "anna@example.com", keys: [{ kid: anna.kid, public: anna.x }] },
        ben: { oidc: "auth0|ben" },
      },
      groups: { finance: { members: ["anna", "ben"], lead: "ben" } },
      services: { page: { keys: [{ kid: page.kid }], may: ["vouch", "sign_ledger"] } },
    });
    expect(Object.keys(list.groups)).toEqual(["finance"]);
    expect(people()).toMatch(/^# Ours\n/);
    const { stdout } = await nav.run(["people", "list"]);
    for (const text of ["finance (leads)", "ben may decide until 2999-12-25", "vouch, sign_ledger"])
      expect(stdout).toContain(text);
  });

  test("of commands that run at once none is lost", async () => {
    const names = Array.from({ length: isDeep ? 10 : 4 }, (_, n) => `person-${n}`);
    const ends = await Promise.all(names.map((name) => place.run(["people", "add", name, "--group", "all"])));
    expect(ends.map(({ code, stderr }) => (code === 0 ? "" : stderr))).toEqual(names.map(() => ""));
    const list = await nav.json(["people", "list"]);
    expect(Object.keys(list.people).sort()).toEqual(names);
    expect([...list.groups.all.members].sort()).toEqual(names);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("people.yaml"))).toEqual(["people.yaml"]);
  });

  test("a service gets the key of this machine unless another is named", async () => {
    await nav.json(["people", "service", "page", "--may", "vouch"]);
    const { services } = await nav.json(["people", "list"]);
    const file = path.join(place.folder, ".identity", "services", "page.json");
    expect(JSON.parse(readFileSync(file, "utf8")).kid).toBe(services.page.keys[0].kid);
  });

  test("keys are added and revoked, and what is revoked stays known", async () => {
    await add("anna", "--key", anna.x);
    await nav.json(["people", "key", "anna", "add", ben.x]);
    await nav.json(["people", "key", "anna", "revoke", anna.kid]);
    const { keys } = await nav.json(["people", "key", "anna"]);
    expect(keys).toMatchObject([{ kid: anna.kid, revoked: expect.stringMatching(/Z$/) }, { kid: ben.kid }]);
    expect((await nav.run(["people", "list"])).stdout).toContain("1, 1 revoked");
    expect((await nav.refused(["people", "key", "anna", "add", anna.x])).code).toBe("already_exists");
  });

  test("a key that is taken: its owner makes a new one", async () => {
    await add("anna", "--key", anna.x);
    await nav.json(["people", "key", "anna", "revoke", anna.kid]);
    const made = (name: string) =>
      `"${name}" makes a new one, on the machine where it is to stay: navigator login --as ${name} --new`;
    expect((await nav.refused(["people", "add", "cleo", "--key", anna.x])).hint).toBe(made("cleo"));
    expect((await nav.refused(["people", "key", "anna", "add", anna.x])).hint).toBe(made("anna"));
    const page = await nav.refused(["people", "service", "page", "--key", anna.x, "--may", "vouch"]);
    expect(page.hint).toBe("Name another one: --key PUBLIC");
  });

  test("somebody who was removed keeps the entry, and comes back without the keys of before", async () => {
    await add("anna", "--key", anna.x, "--group", "finance");
    await nav.json(["people", "group", "finance", "--lead", "anna"]);
    const removed = await nav.run(["people", "remove", "anna"]);
    expect(removed.stderr).toContain("anna leads finance");
    const left = (await nav.json(["people", "list"])).people.anna;
    expect(left).toMatchObject({ removed: expect.any(String), keys: [{ kid: anna.kid }] });
    expect(whereOf(await nav.refused(["people", "remove", "anna"]))).toBe("not_found person anna");
    await add("anna", "--key", ben.x);
    const back = (await nav.json(["people", "list"])).people.anna;
    expect(back.removed).toBeUndefined();
    expect(back.keys).toMatchObject([{ kid: anna.kid, revoked: left.removed }, { kid: ben.kid }]);
  });

  test.each<[string, string[], string]>([
    ["a name of the system", ["add", "Quorum"], "invalid_input name"],
    ["a name with a colon", ["add", "group:finance"], "invalid_input name"],
    ["a person who is there", ["add", "anna"], "already_exists person anna"],
    ["a service's name", ["add", "page"], "already_exists person page"],
    ["a name that looks like another", ["add", "Anna"], "bad_project people.yaml"],
    ["the key of another", ["add", "carl", "--key", anna.x], `already_exists key ${anna.x}`],
    ["the key of a service", ["key", "anna", "add", page.x], `already_exists key ${page.x}`],
    ["a text that is no key", ["add", "carl", "--key", "abc"], "invalid_input key"],
    ["no e-mail address", ["add", "carl", "--email", "carl"], "bad_project people.yaml"],
    ["nobody", ["remove", "carl"], "not_found person carl"],
    ["nobody's keys", ["key", "carl"], "not_found person carl"],
    ["what is no person at all", ["key", "constructor"], "not_found person constructor"],
    ["an unknown key", ["key", "anna", "revoke", "AAAAAAAAAAAAAAAA"], "not_found key AAAAAAAAAAAAAAAA"],
    ["an unknown action", ["key", "anna", "drop", anna.kid], "bad_usage ACTION"],
    ["no key", ["key", "anna", "add"], "bad_usage KEY"],
    ["an unknown group", ["group", "ops", "--lead", "anna"], "not_found group ops"],
    ["no change of a group", ["group", "ops"], "bad_usage --add"],
    ["a member who is not there", ["group", "ops", "--add", "carl"], "not_found person carl"],
    ["a delegation to oneself", ["delegate", "anna", "anna", "--until", "2999-01-01"], "invalid_input to"],
    ["a delegation to nobody", ["delegate", "anna", "carl", "--until", "2999-01-01"], "not_found person carl"],
    ["a delegation that is over", ["delegate", "anna", "ben", "--until", "2020-01-01"], "bad_usage --until"],
    ["a day that does not exist", ["delegate", "anna", "ben", "--until", "2999-02-30"], "bad_usage --until"],
    ["a date in words", ["delegate", "anna", "ben", "--until", "friday"], "bad_usage --until"],
    [
      "a delegation to somebody who left",
      ["delegate", "anna", "dora", "--until", "2999-01-01"],
      "not_found person dora",
    ],
    [
      "a delegation of somebody who left",
      ["delegate", "dora", "anna", "--until", "2999-01-01"],
      "not_found person dora",
    ],
    ["a member who left", ["group", "ops", "--add", "dora"], "not_found person dora"],
    ["a lead who left", ["group", "ops", "--add", "anna", "--lead", "dora"], "not_found person dora"],
    ["a key of somebody who left", ["key", "dora", "add", newKey().x], "not_found person dora"],
    ["an unknown right", ["service", "page", "--may", "decide"], "bad_usage --may"],
    ["a person as a service", ["service", "anna", "--key", newKey().x], "already_exists person anna"],
  ])("%s is refused, and the file stays as it is", async (_, args, where) => {
    await add("anna", "--key", anna.x);
    await add("ben");
    await add("dora");
    await nav.json(["people", "remove", "dora"]);
    await nav.json(["people", "service", "page", "--key", page.x]);
    const before = people();
    const { code, details } = await nav.refused(["people", ...args]);
    expect(whereOf({ code, details }).replace(`${place.folder}/`, "")).toBe(where);
    expect(people()).toBe(before);
  });
});

test("a hand-over to a name that the project does not have is refused before anything is sent", async () => {
  await nav.json(["people", "add", "anna", "--group", "finance"]);
  const handOver = (to: string) => nav.refused(["review", "hand-over", "agent/x/pay/1", "--to", to, "--by", "anna"]);
  expect(await handOver("ana")).toMatchObject({ code: "not_found", message: expect.stringContaining("anna?") });
  expect(await handOver("group:fin")).toMatchObject({
    code: "not_found",
    message: expect.stringContaining("There are: finance."),
  });
});
