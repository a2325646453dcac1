import { BUILTINS, CONSTANTS } from "../../../../src/core/lisp/builtins";
import { SPECIAL_FORMS } from "../../../../src/core/lisp/compile/special-forms";
import { evaluate } from "../run";

/** The names of lisp reference, section 18; `parse` and `currentTimeMillis` only with their namespace. */
const FUNCTIONS = `* + - / < <= = > >= abs apply assoc assoc-in avg avg-by boolean boolean? butlast ceil char? coll?
  combinations compare concat conj contains? count System/currentTimeMillis dec difference dissoc distinct distinct-by
  double downcase drop drop-last drop-while empty? ends-with? entries even? every? extract extract-int ffirst filter find
  first flatten float floor fnext fnil frequencies get get-in .getTime group-by identity inc includes? index-of .indexOf
  int interleave interpose intersection into java.util.Date. join key keys keyword? last last-index-of .lastIndexOf
  lower-case map map-indexed map? mapcat mapv max max-by max-key merge min min-by min-key mod neg? next nfirst nil? nnext
  not not-any? not-empty not= nth number? odd? LocalDate/parse parse-double parse-int parse-long partition partition-all
  pluck pos? postwalk pow pr-str prewalk println quot range re-find re-matches re-pattern re-seq re-split reduce regex?
  rem remove replace rest reverse round second select-keys seq seq? sequential? set set? some some? sort sort-by split
  split-lines sqrt starts-with? str string? subs sum sum-by take take-last take-while tree-seq trim trunc type union
  upcase update update-in update-vals upper-case val vals vec vector vector? walk zero? zip`.split(/\s+/);
const FORMS =
  `-> ->> all-of and any-of cond def defn defonce do doseq fail fn for if if-let if-not juxt let loop none-of or
  pcalls pmap recur return step-done task task-reset when when-let when-not where`.split(/\s+/);

test("the language has exactly these functions and forms", () => {
  expect([...BUILTINS.keys()].filter((name) => name !== "java.time.LocalDate/parse").sort()).toEqual(FUNCTIONS.sort());
  expect([...SPECIAL_FORMS.keys()].sort()).toEqual(FORMS.sort());
  expect([...CONSTANTS.keys()]).toEqual(["POSITIVE_INFINITY", "NEGATIVE_INFINITY", "NaN"]);
  expect([FUNCTIONS.length, FORMS.length]).toEqual([172, 33]);
});

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
