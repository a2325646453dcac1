import { readFileSync } from "node:fs";
import path from "node:path";
import { LispSession } from "../../src/cli/lisp/session";
import { printValue } from "../../src/core/lisp";

/** The pages about the language say nothing that the interpreter does not do. */
const docs = path.join(__dirname, "../../docs");
const file = path.join(docs, "ptc-lisp.md");
const reference = path.join(docs, "reference/lisp.md");

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
