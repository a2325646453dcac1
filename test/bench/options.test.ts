import { readOptions } from "../../bench/options";
import { COMPARISONS } from "../../bench/rows";

/** Which rows a benchmark runs. */
const rowsOf = (...args: string[]) => readOptions(args).comparisons.map(({ name }) => name);

test("a quick benchmark leaves out the rows that take minutes, unless one is asked for by name", () => {
  const all = COMPARISONS.map(({ name }) => name);
  expect(rowsOf()).toEqual(all);
  const quick = rowsOf("--quick");
  expect(quick).toEqual(expect.arrayContaining(["chain", "recovery", "advance", "lisp"]));
  expect(all.filter((name) => !quick.includes(name))).toEqual(expect.arrayContaining(["memory", "queue"]));
  expect(rowsOf("--quick", "--only", "memory,chain")).toEqual(["chain", "memory"]);
  expect(() => rowsOf("--only", "chains")).toThrow('There is no row "chains". Rows: chain,');
});
