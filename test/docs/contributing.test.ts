import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { NODE_TYPES } from "../../src/core/graph/nodes";
import { TOOLS } from "../../src/mcp/tools";

/** The pages for contributors name files, commands and folders that are there. */
const root = path.join(__dirname, "../..");
const read = (page: string) => readFileSync(path.join(root, page), "utf8");
const files = ["src", "test", "docs"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
    path.posix.join(folder, file.split(path.sep).join("/")),
  ),
);

/** Whether something is at a path; `<name>` stands for any one name. */
function exists(named: string): boolean {
  if (!named.includes("<")) return existsSync(path.join(root, named));
  const pattern = named.replace(/[.]/g, "\\.").replace(/<\w+>/g, "[\\w-]+");
  return files.some((file) => new RegExp(`^${pattern}$`).test(file));
}

describe.each(["CONTRIBUTING.md", "AGENTS.md"])("%s", (page) => {
  const text = read(page);
  const code = [...text.matchAll(/`([^`\n]+)`/g)].flatMap((match) => (match[1] as string).split(" "));
  const named = code.filter((word) => /^(?:(?:src|test|docs|scripts)\/|[\w.-]+\.(?:md|json|cjs)$)/.test(word));

  test("names many files", () => expect(named.length).toBeGreaterThan(15));
  test.each([...new Set(named)])("%s exists", (file) => {
    // A name of tests may stop before the end: `npx jest test/docs/tools`.
    expect(exists(file) || files.some((other) => other.startsWith(`${file}.`))).toBe(true);
  });

  test("names existing scripts", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
    const used = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script as string);
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test.each(Object.keys(NODE_TYPES))("the node type %s has its own file", (type) =>
  expect(exists(`src/core/graph/nodes/${type}.ts`)).toBe(true),
);

test.each(TOOLS)("the constant of the MCP tool $name has its name", ({ name }) => {
  const constant = `${name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}Tool`;
  const areas = files.filter((file) => /^src\/mcp\/tools\/[\w-]+\.ts$/.test(file)).map(read);
  expect(areas.filter((text) => text.includes(`export const ${constant} = tool({\n  name: "${name}"`))).toHaveLength(1);
});

test("a missing file would be noticed", () => expect(exists("src/mcp/tools/<area>-nothing.ts")).toBe(false));

test("the README has at most 150 lines, AGENTS.md at most 60", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
  expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(60);
});
