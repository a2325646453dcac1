import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const folder = path.join(__dirname, "cases");

/** The areas of the language: the case files without `.lisp`. */
export const AREAS = readdirSync(folder)
  .map((file) => path.parse(file).name)
  .sort();

export interface Case {
  program: string;
  /** The printed lines. */
  prints: string;
  /** `=>` and the value as printed, `!!` and the code of the error, or `!! fail` and the value of `fail`. */
  answer: string;
}

/**
 * The programs of an area with their answers. The answer (`;=>`, `;!!`) ends the line of a short program. After a program
 * of several lines it has a line of its own, below the lines that the program prints (`;>>`).
 */
export function casesOf(area: string): Case[] {
  const cases: Case[] = [];
  let program: string[] = [];
  let prints: string[] = [];
  for (const line of readFileSync(path.join(folder, `${area}.lisp`), "utf8").split("\n")) {
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
  if (program.length > 0) throw new Error(`${area}: a case without its answer: ${program.join("\n")}`);
  return cases;
}
