import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LispSession } from "../../src/cli/lisp/lisp-session";
import { printValue } from "../../src/core/lisp";
import { BUILTINS } from "../../src/core/lisp/builtins";
import { SPECIAL_FORM_DOCS } from "../../src/core/lisp/compile/special-form-docs";

/** The pages about the language say nothing that the interpreter does not do. */
const docs = path.join(__dirname, "../../docs");
const file = path.join(docs, "ptc-lisp.md");
const reference = path.join(docs, "reference/lisp.md");
const MARK = "<!-- builtins -->";

interface Example {
  block: number;
  program: string;
  /** As written behind `;=>` or `;!!`. */
  says: string;
}

/** The examples of each block share a session: what one line defines, the next may use. */
function examples(text: string): Example[][] {
  return [...text.matchAll(/```clojure\n(.*?)```/gs)].map((match, block) => {
    const found: Example[] = [];
    let program = "";
    for (const line of (match[1] as string).trim().split("\n")) {
      const [code, says] = line.split(/ ;(?==>|!!)/);
      program += `${code}\n`;
      if (says === undefined) continue;
      found.push({ block, program: program.trim(), says: says.trim() });
      program = "";
    }
    if (program !== "") throw new Error(`an example without its value: ${program}`);
    return found;
  });
}

const blocks = [file, reference].flatMap((page) =>
  examples(readFileSync(page, "utf8")).map((lines, i) => ({
    name: `${path.relative(docs, page)}, block ${i + 1}`,
    lines,
  })),
);

describe.each(blocks)("$name", ({ lines }) => {
  const session = new LispSession(() => 0);
  test.each(lines)("$program $says", ({ program, says }) => {
    const { outcome } = session.run(program);
    if (outcome.kind === "value" || outcome.kind === "return") expect(`=> ${printValue(outcome.value)}`).toBe(says);
    else if (outcome.kind === "fail") expect(says).toBe(`!! ${reasonOf(printValue(outcome.value))}`);
    else expect([outcome.fail.reason, outcome.fail.details?.code]).toContain(says.replace("!! ", ""));
  });
});

const reasonOf = (text: string): string => /:reason :(\S+)/.exec(text)?.[1]?.replace("}", "") ?? text;

test("there are examples", () => expect(blocks.flatMap(({ lines }) => lines).length).toBeGreaterThan(40));

test("the tables of functions are those of the interpreter", () => {
  const text = readFileSync(file, "utf8");
  const before = text.slice(0, text.indexOf(MARK) + MARK.length);
  const whole = `${before}\n${tables()}`;
  if (process.env.NAVIGATOR_WRITE_DOCS === "1") writeFileSync(file, whole);
  expect(plain(text)).toBe(plain(whole));
});

/** The formatter aligns columns; that is no difference. */
const plain = (text: string): string => text.replace(/[ -]+/g, " ").trim();

function tables(): string {
  const forms = Object.entries(SPECIAL_FORM_DOCS).map(([name, doc]) => [`\`${name}\``, code(doc.usage), doc.text]);
  const families = new Map<string, string[][]>([["special forms", forms]]);
  for (const { name, doc } of BUILTINS.values()) {
    families.set(doc.family, [...(families.get(doc.family) ?? []), [`\`${name}\``, code(doc.usage), doc.text]]);
  }
  return [...families]
    .map(
      ([family, rows]) =>
        `\n### ${family[0]?.toUpperCase()}${family.slice(1)}\n\n${aligned([["name", "use", "gives"], ["", "", ""], ...rows])}`,
    )
    .join("");
}

const code = (forms: readonly string[]): string => forms.map((form) => `\`${form}\``).join(", ");

/** The second row is the rule below the head. */
function aligned(rows: string[][]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[], i: number) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!, i === 1 ? "-" : " ")).join(" | ")} |\n`;
  return rows.map(line).join("");
}
