import { readFileSync } from "node:fs";
import path from "node:path";
import { BUILTINS, CONSTANTS } from "../../../../src/core/lisp/builtins";
import { SPECIAL_FORMS } from "../../../../src/core/lisp/compile/special-forms";
import { evaluate } from "../run";

const reference = readFileSync(path.join(__dirname, "../../../../docs/reference/lisp.md"), "utf8");
/** The index of names (lisp reference, section 18): a line for each section; `*` after a name marks special forms. */
const index = reference.slice(reference.indexOf("\n## 18. Index"), reference.indexOf("\nOther notations"));
const lines = [...index.matchAll(/^- ([\d.]+): (.*)$/gm)].map(([, section, listed]) => ({
  section,
  listed: listed as string,
}));
const names = lines
  .flatMap(({ listed }) => [...listed.matchAll(/`(\S+)`(\\\*)?/g)])
  .map(([, name, star]) => ({ name, isForm: star !== undefined }));
const listed = (isForm: boolean) => names.filter((one) => one.isForm === isForm).map(({ name }) => name);

test("the functions, constants and forms are those in the index of the lisp reference, section 18", () => {
  expect([...BUILTINS.keys(), ...CONSTANTS.keys()].sort()).toEqual(listed(false).sort());
  expect([...SPECIAL_FORMS.keys()].sort()).toEqual(listed(true).sort());
});

test("every section in the index exists", () =>
  expect(
    lines.filter(({ section }) => !reference.includes(`\n### ${section} `) && !reference.includes(`\n## ${section}. `)),
  ).toEqual([]));

test.each([
  ["builtin functions", BUILTINS.size],
  ["builtin constants", CONSTANTS.size],
  ["special forms", SPECIAL_FORMS.size],
])("below the index the reference counts the %s", (what, count) =>
  expect(new RegExp(`^\\| ${what} +\\| (\\d+)`, "m").exec(reference)?.[1]).toBe(`${count}`),
);

/** Names that models write and that do not exist (lisp reference, section 17): refused before the program runs, with advice. */
const ABSENT = `case condp as-> some-> cond-> doto if-some when-some letfn comp partial complement constantly every-pred
  keep keep-indexed zipmap subvec split-at list cons quote reduce-kv merge-with format printf name keyword symbol int?
  integer? float? fn? list? true? false? NaN? dotimes while repeat repeatedly cycle iterate lazy-seq reduced rand shuffle
  uuid Thread/sleep Integer/parseInt Math/random capitalize clojure.string/capitalize blank? atom swap! reset! deref ref
  try catch throw eval read-string defmacro require ns slurp defrecord defmulti defprotocol transduce meta json/parse
  parse currentTimeMillis`.split(/\s+/);

test.each(ABSENT)("%s is refused with advice", (name) => {
  const { text, message } = evaluate(`(println 1) (${name} 1)`);
  expect(text).toBe(name.includes("/") ? "!! invalid_form" : "!! unbound_var");
  expect(message).toMatch(/ is not available: \S/);
});

test.each([
  ["(map if [1])", "if is a special form: use it with parentheses, as in (if ...)"],
  ["(fliter odd? [1])", "did you mean filter?"],
  ["(empty [1])", "did you mean empty?"],
  ["(group_by odd? [1])", "use hyphens, not underscores: group-by"],
  ["(when_let [x 1] x)", "use hyphens, not underscores: when-let"],
  ["(str/uppercase 1)", "did you mean upper-case? Functions of this kind: str,"],
  ["[:a/b]", "keywords and names have no namespace part: write :a-b for :a/b"],
  ["(+ 1/2 1)", "there are no ratios: write (/ 1 2) for 1/2"],
  ["(-> [1] (filter odd?))", "in a chain use ->> instead of ->"],
  ["(includes? [1] 1)", "for elements use contains?"],
])("%s is refused: %s", (program, part) => {
  const { text, message } = evaluate(program);
  expect(text).toMatch(/^!! /);
  expect(message).toContain(part);
});

test.each([
  ["(pr-str #(+ % %2))", '"#fn[p1 p2]"'],
  ["(pr-str (fn [a [b] & r] a))", '"#fn[a _ & r]"'],
])("%s gives %s", (program, text) => expect(evaluate(program).text.replaceAll("\\", "")).toBe(text));
