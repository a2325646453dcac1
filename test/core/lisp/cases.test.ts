import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { printValue } from "../../../src/core/lisp";
import { ended } from "./run";
import { DATA, shopTools, TOOLS } from "./shop";

/**
 * The case files: programs with their answers. An answer is the value, as printed (`;=>`), the code of the error
 * (`;!!`), or the value of `fail` (`;!! fail ...`). It ends the line of a short program. After a program of several
 * lines it has a line of its own, below the lines that the program prints (`;>>`). Each program has the data and the
 * tools of the shop, and an empty journal.
 */
const folder = path.join(__dirname, "cases");
const files = readdirSync(folder).sort();

/** How many programs each area has at least. */
const AT_LEAST: Record<string, number> = {};

interface Case {
  program: string;
  prints: string;
  answer: string;
}

function casesOf(file: string): Case[] {
  const cases: Case[] = [];
  let program: string[] = [];
  let prints: string[] = [];
  for (const line of readFileSync(path.join(folder, file), "utf8").split("\n")) {
    if (program.length === 0 && (line === "" || line.startsWith(";;"))) continue;
    if (line.startsWith(";>> ")) {
      prints.push(line.slice(4));
      continue;
    }
    const at = Math.max(...[";=> ", ";!! "].map((mark) => ` ${line}`.lastIndexOf(` ${mark}`)));
    program.push(line.slice(0, at < 0 ? undefined : at).trimEnd());
    if (at < 0) continue;
    cases.push({ program: program.join("\n").trimEnd(), prints: prints.join("\n"), answer: line.slice(at + 1) });
    program = [];
    prints = [];
  }
  if (program.length > 0) throw new Error(`${file}: a case without its answer: ${program.join("\n")}`);
  return cases;
}

function run(program: string): Omit<Case, "program"> {
  const { outcome, prints } = ended(program, { data: DATA, tools: TOOLS, answers: shopTools(), journal: new Map() });
  const text = (): string => {
    if (outcome.kind === "error") return `!! ${outcome.fail.details?.code}`;
    return `${outcome.kind === "fail" ? "!! fail" : "=>"} ${printValue(outcome.value)}`;
  };
  return { answer: text(), prints: prints.join("\n") };
}

describe.each(files)("%s", (file) => {
  const cases = casesOf(file).map((one) => ({ ...one, title: `${one.program} ${one.answer}`.replace(/\s+/g, " ") }));
  test.each(cases)("$title", ({ program, answer, prints }) => expect(run(program)).toEqual({ answer, prints }));
});

describe("the case files", () => {
  const all = files.flatMap(casesOf);

  test("have the areas of the table, each with its number of programs", () => {
    expect(files.map((file) => path.parse(file).name)).toEqual(Object.keys(AT_LEAST).sort());
    const few = files.filter((file) => casesOf(file).length < AT_LEAST[path.parse(file).name]!);
    expect(few).toEqual([]);
  });

  test("have at least 600 programs, 150 of them over several lines, and none twice", () => {
    const programs = all.map(({ program }) => program.replace(/[\s,]+/g, " "));
    expect(programs.length).toBeGreaterThanOrEqual(600);
    expect(all.filter(({ program }) => program.includes("\n")).length).toBeGreaterThanOrEqual(150);
    expect(programs.filter((program, at) => programs.indexOf(program) !== at)).toEqual([]);
  });
});
