import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { entries, entryLists, entryNames } from "../../scripts/docs/api";

/** What a user of the package sees of a name: its docstring, in the editor and in docs/exports.md. */

const root = path.join(__dirname, "../..");

test.each(entryNames())("every name that %s exports has a docstring right above its declaration", (name) => {
  const entry = entries().find((one) => one.name === name);
  const bare = entry?.names.filter(({ summary }) => summary === "").map((one) => `${name}: ${one.name}`);
  expect(entry?.names.length).toBeGreaterThan(0);
  expect(bare).toEqual([]);
});

test("a docstring is a sentence: it begins with a word and ends with a stop", () => {
  const unfinished = entries().flatMap(({ name, names }) =>
    names.filter(({ summary }) => !/^\W*\w[\s\S]*\.$/.test(summary)).map((one) => `${name}: ${one.name}`),
  );
  expect(unfinished).toEqual([]);
});

test("the lists of docs/exports.md have a name and a text in every item", () => {
  const document = readFileSync(path.join(root, "docs/exports.md"), "utf8");
  const begin = document.indexOf("<!-- generated: entries -->");
  const list = document.slice(begin, document.indexOf("<!-- end -->", begin));
  expect(itemsWithGaps(list)).toEqual([]);
  expect(itemsWithGaps(entryLists())).toEqual([]);
});

test("an item without a text is noticed", () =>
  expect(itemsWithGaps("- `Step`:\n- `Turn`: One turn.\n")).toEqual(["- `Step`:"]));

test.each(["agent", "graph", "plan", "lisp"])("navigator-agents/%s loads nothing of Temporal", (name) => {
  const script = `require("./src/entries/${name}.ts");
    console.log(Object.keys(require.cache).filter((file) => file.includes("@temporalio")).join("\\n"));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-r", "./scripts/register-ts.cjs", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  expect([stdout.trim(), stderr]).toEqual(["", ""]);
});

test("every name of src/core that another folder imports has a docstring right above its declaration", () => {
  const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join("src", file.split(path.sep).join("/")))
    .filter((file) => file.endsWith(".ts"));
  const texts = new Map(sources.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
  const imported = new Set<string>();
  for (const [file, text] of texts)
    for (const [, list, from] of text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\} from "(\.[^"]+)";/gm)) {
      const target = `${path.posix.join(path.posix.dirname(file), from as string)}.ts`;
      if (!texts.has(target) || path.posix.dirname(target) === path.posix.dirname(file)) continue;
      for (const one of (list as string).split(","))
        imported.add(
          `${target}: ${
            one
              .trim()
              .replace(/^type /, "")
              .split(" as ")[0]
          }`,
        );
    }
  const declared = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/gm;
  const documented = new RegExp(String.raw`\*/\n(?://.*\n)*${declared.source}`, "gm");
  const namesIn = (text: string, form: RegExp) => new Set([...text.matchAll(form)].map(([, name]) => name as string));
  const bare = [...texts]
    .filter(([file]) => file.startsWith("src/core/"))
    .flatMap(([file, text]) =>
      [...namesIn(text, declared)]
        .filter((name) => !namesIn(text, documented).has(name))
        .map((name) => `${file}: ${name}`),
    );
  expect(imported.size).toBeGreaterThan(500);
  expect(bare.filter((name) => imported.has(name))).toEqual([]);
});

/** Items of Markdown lists that lack a name or a text. */
function itemsWithGaps(markdown: string): string[] {
  const items = markdown.split("\n").filter((line) => line.startsWith("-"));
  if (items.length === 0) throw new Error("There is no list.");
  return items.filter((item) => !/^- `\w+`: \S/.test(item));
}
