import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { changePeople, loadPeople, peopleFileOf, readPeople } from "../../../src/node/identity/people-on-disk";
import { temporaryFolder } from "../../support/environment";
import { newKey, publicKey } from "../../support/test-keys";

const { path: folder, remove } = temporaryFolder("people");
const file = peopleFileOf(folder);
afterAll(remove);

const anna = newKey();
const WITH_COMMENTS = `# The people of the shop
people:
  anna: # since 2024
    email: anna@example.com
  # ben is on leave
  ben: {}
groups:
  finance: { members: [anna, ben] }
`;

const thrownBy = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("nothing was thrown");
};

beforeEach(() => writeFileSync(file, WITH_COMMENTS));

describe("the file of a project's people", () => {
  test("no file is a project without people", () => {
    rmSync(file);
    expect(loadPeople(file).people).toEqual({});
    expect(readPeople(file)().people).toEqual({});
  });

  test.each<[string, string, string, string]>([
    ["an unknown field", "people:\n  anna:\n    mail: x\n", "bad_project", ":2:3: "],
    ["a member who is not there", "people: {}\ngroups:\n  finance: { members: [anna] }\n", "bad_project", ":3:3: "],
    ["a tab", "people:\n\tanna: {}\n", "invalid_input", ":2:1: "],
    ["a name that stands twice", "people:\n  anna: {}\n  anna: {}\n", "invalid_input", ":3:"],
    [
      "an id that is not its key's",
      `people:\n  anna:\n    keys:\n      - { kid: ${newKey().kid}, public: ${anna.x}, added: 2026-01-01T00:00:00Z }\n`,
      "bad_project",
      `is not the id of this key, which is ${anna.kid}`,
    ],
  ])("%s is refused with file and line", (_, text, code, place) => {
    writeFileSync(file, text);
    const error = thrownBy(() => loadPeople(file));
    expect(error.code).toBe(code);
    expect(error.message).toContain(file);
    expect(error.message).toContain(place);
  });

  test("a change keeps comments and what it does not touch", () => {
    changePeople(file, (document) =>
      document.setIn(["people", "carl"], document.createNode({ email: "c@example.com" })),
    );
    const text = readFileSync(file, "utf8");
    for (const line of ["# The people of the shop", "# since 2024", "# ben is on leave", "email: c@example.com"])
      expect(text).toContain(line);
    expect(Object.keys(loadPeople(file).people)).toEqual(["anna", "ben", "carl"]);
  });

  test("a change that would make the file invalid changes nothing", () => {
    const error = thrownBy(() => changePeople(file, (document) => document.setIn(["people", "timer"], {})));
    expect(error).toMatchObject({ code: "bad_project", details: { path: file } });
    expect(readFileSync(file, "utf8")).toBe(WITH_COMMENTS);
  });

  test("a change keeps the rights of the file", () => {
    const mode = statSync(file).mode;
    changePeople(file, (document) => document.setIn(["people", "carl"], document.createNode({})));
    expect(statSync(file).mode).toBe(mode);
  });
});

describe("the people of a worker", () => {
  const keyOf = (revoked?: string) => ({ people: { anna: { keys: [publicKey(anna, revoked)] } } });
  const write = (content: unknown) =>
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));

  test("a key that was revoked counts no more at the next look, also if length and time of the file are equal", () => {
    write(keyOf("2999-01-01T00:00:00Z"));
    utimesSync(file, 1_000, 1_000);
    const people = readPeople(file);
    expect(people().people.anna?.keys[0]?.revoked).toBe("2999-01-01T00:00:00Z");
    write(keyOf("2026-01-01T00:00:00Z"));
    utimesSync(file, 1_000, 1_000);
    expect(people().people.anna?.keys[0]?.revoked).toBe("2026-01-01T00:00:00Z");
  });

  test.each<[string, () => void]>([
    ["with a mistake", () => write("people: [")],
    ["that is gone", () => rmSync(file)],
    ["that is empty", () => write("")],
    ["without people", () => write({ people: {} })],
  ])("a file %s is an error at every look until it is mended: never a project without people", (_, spoil) => {
    write(keyOf());
    const people = readPeople(file);
    expect(Object.keys(people().people)).toEqual(["anna"]);
    spoil();
    expect(thrownBy(people).code).toMatch(/^(bad_project|invalid_input)$/);
    expect(thrownBy(people).code).toMatch(/^(bad_project|invalid_input)$/);
    write(keyOf());
    expect(Object.keys(people().people)).toEqual(["anna"]);
  });
});
