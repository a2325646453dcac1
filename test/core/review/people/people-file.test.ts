import { actsAs, authorityOf } from "../../../../src/core/review/people/authority";
import { hasPeople, parsePeople, unsignedPolicy } from "../../../../src/core/review/people/people-file";
import { isReservedName } from "../../../../src/core/review/people/principal";
import { newKey, peopleOf, publicKey } from "../../../support/test-keys";

const key = newKey();

/** The same bytes in base64url, with another last character. */
function otherSpelling(text: string): string {
  const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return `${text.slice(0, -1)}${last[last.indexOf(text.slice(-1)) + 1]}`;
}

describe("the people file", () => {
  test("an empty file is a project without people: names are taken as they are given", () => {
    const file = peopleOf(null);
    expect(hasPeople(file)).toBe(false);
    expect(unsignedPolicy(file)).toBe("always");
    expect(unsignedPolicy(peopleOf({ people: { anna: {} } }))).toBe("reversible");
    expect(unsignedPolicy(peopleOf({ people: { anna: {} }, policy: { unsigned: "never" } }))).toBe("never");
  });

  test.each<[string, unknown, string]>([
    ["a key of two people", { people: { anna: { keys: [publicKey(key)] }, ben: { keys: [publicKey(key)] } } }, "anna"],
    [
      "a key of a person and a service",
      { people: { anna: { keys: [publicKey(key)] } }, services: { page: { keys: [publicKey(key)] } } },
      "anna",
    ],
    ["a member who is not there", { groups: { finance: { members: ["anna"] } } }, '"anna"'],
    [
      "a delegation to nobody",
      { people: { anna: { delegations: [{ to: "ben", until: "2026-01-01T00:00:00Z" }] } } },
      '"ben"',
    ],
    ["a name of the system", { people: { Timer: {} } }, "name of the system"],
    ["a word for a group as a name", { people: { "group:finance": {} } }, "must be a name"],
    ["a service with a person's name", { people: { anna: {} }, services: { anna: {} } }, "name of a person"],
    [
      "a key that stands twice, once revoked",
      { people: { anna: { keys: [publicKey(key, "2026-05-01T00:00:00Z"), publicKey(key)] } } },
      "twice",
    ],
    ["two names that look alike", { people: { anna: {}, ANNA: {} } }, 'looks like "anna"'],
    ["two names in wide and narrow letters", { people: { anna: {}, ａｎｎａ: {} } }, 'looks like "anna"'],
    ["two names of which one has ß", { people: { straße: {}, STRASSE: {} } }, 'looks like "straße"'],
    ["two names in small letters for one large", { people: { νικος: {}, νικοσ: {} } }, 'looks like "νικος"'],
    ["a dotless i", { people: { mia: {}, mıa: {} } }, 'looks like "mia"'],
    ["a character that nobody sees", { people: { mia: {}, "mia\u3164": {} } }, 'looks like "mia"'],
    ["a person and a service that look alike", { people: { page: {} }, services: { Page: {} } }, 'looks like "page"'],
    [
      "two groups that look alike",
      { people: { anna: {} }, groups: { ops: { members: ["anna"] }, OPS: { members: ["anna"] } } },
      'groups.OPS looks like "ops"',
    ],
    ["a name of the system in wide letters", { people: { ｔｉｍｅｒ: {} } }, "name of the system"],
    ["a name that every map has", { people: { constructor: {} } }, "people.constructor is a name of the system"],
    ["a prototype as a service", { services: { prototype: {} } }, "services.prototype is a name of the system"],
    [
      "a file whose only person is __proto__",
      JSON.parse('{"people": {"__proto__": {"keys": []}}}'),
      "people.__proto__ is a name of the system",
    ],
    [
      "an id that is not that of its key",
      { people: { anna: { keys: [{ ...publicKey(key), kid: "A".repeat(16) }] } } },
      `people.anna.keys.0.kid is not the id of this key, which is ${key.kid}`,
    ],
    [
      "another spelling of a key",
      { people: { anna: { keys: [{ ...publicKey(key), public: otherSpelling(key.x) }] } } },
      "people.anna.keys.0.public is no base64url of 32 bytes",
    ],
    ["one OIDC subject twice", { people: { anna: { oidc: "s" }, ben: { oidc: "s" } } }, "OIDC subject"],
    ["an unknown field", { peoples: {} }, "peoples"],
  ])("%s is refused, and named", (_, raw, named) => {
    const parsed = parsePeople(raw);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) {
      expect(parsed.fail.reason).toBe("bad_project");
      expect(parsed.fail.message).toContain(named);
    }
  });

  test("names of the system are reserved in any spelling", () => {
    for (const name of ["timer", "TIMER", " Quorum ", "ｔｉｍｅｒ", "tımer", "time\u200br"])
      expect(isReservedName(name)).toBe(true);
    expect(isReservedName("tim")).toBe(false);
  });

  test("an assignee is a person, a group, a lead, or who delegated to the person", () => {
    const file = peopleOf({
      people: {
        anna: { delegations: [{ to: "ben", from: "2026-02-01T00:00:00Z", until: "2026-03-01T00:00:00Z" }] },
        ben: {},
        carl: {},
      },
      groups: { finance: { members: ["anna", "carl"], lead: "carl" } },
    });
    const within = Date.parse("2026-02-15T00:00:00Z");
    const before = Date.parse("2026-01-31T00:00:00Z");
    expect(actsAs(authorityOf(file, "carl", within), ["lead:finance"])).toEqual({ word: "lead:finance" });
    expect(actsAs(authorityOf(file, "ben", within), ["group:finance"])).toEqual({
      word: "group:finance",
      from: "anna",
    });
    expect(actsAs(authorityOf(file, "ben", before), ["group:finance"])).toBeNull();
    expect(actsAs(authorityOf(file, "ben", within), ["carl"])).toBeNull();
  });
});
