import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createProgram } from "../../src/cli/main";
import { createIo } from "../../src/cli/terminal/io";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { type Commands, openPlace, type Place } from "../support/cli";

/** docs/workflows.md and docs/catalog.md show commands that run, in the order in which they stand there. */

const docs = path.join(__dirname, "../../docs");
const textOf = (page: string) => readFileSync(path.join(docs, page), "utf8");
const blocks = (page: string, language: string) =>
  [...textOf(page).matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map((match) => match[1] as string);

/** The lines of a shell block as arguments. */
const commandsOf = (page: string) =>
  blocks(page, "sh")
    .join("")
    .trim()
    .split("\n")
    .map((line) => wordsOf(line.replace(/ +#.*$/, "")));
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain) as string);

const TOKEN = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

let place: Place;
/** Most commands, in this process. */
let here: Commands;
let worker: Awaited<ReturnType<Place["worker"]>>;
beforeAll(async () => {
  place = await openPlace("docs-workflows");
  here = place.here();
  worker = await place.worker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

test.each(["workflows.md", "catalog.md"])("the commands of %s run", async (page) => {
  const [list, ...definitions] = blocks("workflows.md", "json");
  place.write("tasks.json", list);
  const commands = commandsOf(page);
  expect(commands.length).toBeGreaterThan(2);
  // A page shows the token of some claim; each claim has a new one.
  let token = "";
  for (const [program, ...words] of commands) {
    expect(program).toBe("navigator");
    const args = words.map((word) => word.replace(TOKEN, () => token));
    const ran = await here.run(args);
    expect({ args, ...ran }).toMatchObject({ args, code: 0 });
    token = TOKEN.exec(ran.stdout)?.[0] ?? token;
  }
  for (const definition of definitions)
    expect(parseDefinition(JSON.parse(definition))).toMatchObject({ ok: true, value: { warnings: [] } });
});

test("the walk-through ends where the page says, and everything is confirmed", async () => {
  expect((await here.json(["task", "show", "cart-7"])).task).toMatchObject({
    currentStep: "done",
    status: "COMPLETED",
  });
  expect(await here.json(["sync", "list"])).toMatchObject({ pending: [] });
});

test("commands that the text mentions exist", () => {
  const silent = { write: () => {} };
  const program = createProgram(createIo({ stdout: silent, stderr: silent }, {}), () => {});
  const named = [...textOf("workflows.md").matchAll(/`(?:navigator )?((?:workflow|task|sync|review) [a-z]+)/g)].map(
    (match) => (match[1] as string).split(" "),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const [group, name] of named) {
    const found = program.commands.find((one) => one.name() === group)?.commands.map((one) => one.name());
    expect(found).toContain(name);
  }
});

test("links lead to existing pages", () => {
  for (const page of readdirSync(docs).filter((name) => name.endsWith(".md")))
    for (const [, target] of textOf(page).matchAll(/\]\(([\w./-]+)(?:#[\w-]*)?\)/g))
      expect({ page, target, there: existsSync(path.join(docs, target as string)) }).toMatchObject({ there: true });
});
