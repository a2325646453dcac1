import { printValue } from "../../../src/core/lisp";
import { AREAS, type Case, casesOf } from "./read-cases";
import { ended } from "./run";
import { DATA, shopTools, TOOLS } from "./shop";

/** How many programs each area has at least. */
const AT_LEAST: Record<string, number> = {
  access: 100,
  aggregates: 50,
  building: 70,
  comparison: 90,
  conditions: 50,
  data: 50,
  destructuring: 60,
  ends: 40,
  errors: 90,
  filtering: 160,
  functions: 80,
  grouping: 50,
  "higher-order": 60,
  invoices: 25,
  joins: 30,
  keywords: 90,
  limits: 30,
  logs: 25,
  loops: 60,
  maps: 130,
  numbers: 210,
  ordering: 150,
  orders: 30,
  parallel: 40,
  predicates: 70,
  printing: 50,
  regex: 170,
  retries: 25,
  sequences: 80,
  sets: 60,
  strings: 230,
  tasks: 60,
  text: 30,
  time: 130,
  tools: 70,
  vectors: 70,
};

function run(program: string): Omit<Case, "program"> {
  const { outcome, prints } = ended(program, { data: DATA, tools: TOOLS, answers: shopTools(), journal: new Map() });
  const text = (): string => {
    if (outcome.kind === "error") return `!! ${outcome.fail.details?.code}`;
    return `${outcome.kind === "fail" ? "!! fail" : "=>"} ${printValue(outcome.value)}`;
  };
  return { answer: text(), prints: prints.join("\n") };
}

/** Each program has the data and the tools of the shop, and an empty journal. */
test.each(AREAS)("the programs of %s give their answers", (area) => {
  const cases = casesOf(area);
  expect(cases.map(({ program }) => ({ program, ...run(program) }))).toEqual(cases);
});

describe("the case files", () => {
  const all = AREAS.flatMap(casesOf);

  test("have the areas of the table, each with its number of programs", () => {
    expect(AREAS).toEqual(Object.keys(AT_LEAST).sort());
    expect(AREAS.filter((area) => casesOf(area).length < AT_LEAST[area]!)).toEqual([]);
  });

  test("have at least 600 programs, 150 of them over several lines, and none twice", () => {
    const programs = all.map(({ program }) => program.replace(/\s+/g, " "));
    expect(programs.length).toBeGreaterThanOrEqual(600);
    expect(all.filter(({ program }) => program.includes("\n")).length).toBeGreaterThanOrEqual(150);
    expect(programs.filter((program, at) => programs.indexOf(program) !== at)).toEqual([]);
  });
});
