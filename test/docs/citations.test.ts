import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { readText } from "./citations";

/**
 * Comments, test titles and pages cite sections of docs/reference. Every citation must lead to a section that is there,
 * and every link between pages to a file and a heading.
 */
const root = path.join(__dirname, "../..");

/** Recorded data, and these tests' own examples of broken citations. */
const SKIPPED = ["node_modules", "histories", "citations.ts", "citations.test.ts"];
const READ = [".ts", ".cts", ".mts", ".js", ".cjs", ".mjs", ".md", ".yaml", ".yml"];

function filesIn(place: string): string[] {
  const absolute = path.join(root, place);
  if (SKIPPED.includes(path.basename(place)) || !existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return READ.includes(path.extname(place)) ? [place] : [];
  return readdirSync(absolute).flatMap((name) => filesIn(path.join(place, name)));
}

const files = [
  ...["src", "test", "bench", "examples", "docs", "lint", "scripts", "docker"].flatMap(filesIn),
  ...["README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"].flatMap(filesIn),
];

const repository = {
  text: (file: string) => readFileSync(path.join(root, file), "utf8"),
  exists: (file: string) => existsSync(path.join(root, file)),
};

const found = files.map((file) => readText(file, repository));
const citations = found.reduce((sum, { citations: count }) => sum + count, 0);
const links = found.reduce((sum, { links: count }) => sum + count, 0);

describe("the repository", () => {
  test(`${citations} cited sections and ${links} links of ${files.length} files are there`, () =>
    expect(found.flatMap(({ problems }) => problems)).toEqual([]));

  test("cites and links, because otherwise this test would read the wrong files", () => {
    expect(citations).toBeGreaterThan(400);
    expect(links).toBeGreaterThan(120);
  });
});

describe("a text", () => {
  const pages: { [file: string]: string } = {
    "docs/reference/agent.md":
      "# Agent reference\n\n## 1. Runs\n\nAs in section 2.1.\n\n## 2. Tools\n\n### 2.1 Calls `now`\n\n## 3. Ends\n",
    "docs/other.md": "# Other\n\n## Same name\n\n## Same name\n\n```md\n## In an example\n```\n",
  };
  const pagesOnly = { text: (file: string) => pages[file] as string, exists: (file: string) => file in pages };
  const read = (text: string, file = "src/a.ts") =>
    readText(file, { ...pagesOnly, text: (name) => (name === file ? text : pagesOnly.text(name)) });

  test.each([
    { text: "/** Calls (agent reference, section 2.1). */", citations: 1 },
    { text: "/** Calls (agent reference, sections 1, 2.1 and 3). */", citations: 3 },
    { text: "/** All of it (agent reference, sections 1-3). */", citations: 3 },
    { text: "/**\n * Calls and ends (agent\n * reference, sections 2.1\n * and 3): both.\n */", citations: 2 },
    { text: "// One (agent reference, section 1),\n// two (agent reference, section 2).", citations: 2 },
    { text: "a reference to 3 things; a cross section 12 wide; RFC 6570, section 3.2.3", citations: 0 },
  ])("$text: $citations citation(s) resolve", ({ text, citations: expected }) =>
    expect(read(text)).toEqual({ citations: expected, links: 0, problems: [] }),
  );

  test.each([
    { text: "// agent reference, section 4", problem: "the agent reference has no section 4" },
    { text: "// agent reference, section 2.2", problem: "the agent reference has no section 2.2" },
    { text: "// agent reference, sections 1 and 9", problem: "the agent reference has no section 9" },
    { text: "// agent reference, sections 2-5", problem: "the agent reference has no section 4" },
    { text: "// agent\n// reference, section 4", problem: "the agent reference has no section 4" },
    { text: "// plan reference, section 1", problem: "there is no docs/reference/plan.md" },
    { text: "// reference, section 2", problem: "does not say of which document" },
    { text: "// navigator reference, section 2", problem: "does not say of which document" },
    { text: "// language reference 11.5", problem: "does not say of which document" },
    { text: "// design section 9", problem: "does not say of which document" },
    { text: "// (section 7)", problem: "does not say of which document" },
    { text: "// see temporal-notes", problem: "is not in the repository" },
    { text: "// spec/agent.md", problem: "is not in the repository" },
    { text: "// agent.md 4.2", problem: "does not say of which document" },
  ])("$text is refused: $problem", ({ text, problem }) =>
    expect(read(text)).toMatchObject({ problems: [expect.stringMatching(new RegExp(`^src/a\\.ts:1: .*${problem}`))] }),
  );

  test("the line of a problem is the line where its citation begins", () =>
    expect(read("\n\n/**\n * Ends (agent\n * reference, section 4).\n */").problems).toEqual([
      "src/a.ts:4: the agent reference has no section 4",
    ]));

  test("a reference's own sections need no name, but must exist", () => {
    expect(read("## 1. One\n\nAs section 1 says.", "docs/reference/plan.md")).toMatchObject({
      citations: 1,
      problems: [],
    });
    expect(read("## 1. One\n\nAs section 2 says.", "docs/reference/plan.md").problems).toEqual([
      "docs/reference/plan.md:3: the plan reference has no section 2",
    ]);
  });

  test.each([
    "[a](other.md)",
    "[a](other.md#same-name)",
    "[a](other.md#same-name-1)",
    "[a](reference/agent.md#21-calls-now)",
    "[a](#here)\n\n# Here",
    "[a](https://example.com/none.md)",
    "`[a](none.md)`",
    "```md\n[a](none.md)\n```",
  ])("the link in %j is valid", (text) => expect(read(text, "docs/a.md").problems).toEqual([]));

  test.each([
    { text: "[a](none.md)", problem: "docs/a.md:1: there is no docs/none.md" },
    { text: "\n[a](other.md#none)", problem: "docs/a.md:2: docs/other.md has no heading #none" },
    { text: "[a](other.md#same-name-2)", problem: "docs/a.md:1: docs/other.md has no heading #same-name-2" },
    { text: "[a](other.md#in-an-example)", problem: "docs/a.md:1: docs/other.md has no heading #in-an-example" },
    { text: "[a](#none)", problem: "docs/a.md:1: docs/a.md has no heading #none" },
    { text: "[a][b]\n\n[b]: none.md", problem: "docs/a.md:3: there is no docs/none.md" },
  ])("the link in $text is refused", ({ text, problem }) =>
    expect(read(text, "docs/a.md").problems).toEqual([problem]),
  );
});
