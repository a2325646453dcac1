import fc from "fast-check";
import { BUILTINS } from "../../../../../src/core/lisp/builtins";

/** Programs made of everything there is. Most calls are given what they ask for, so that programs get somewhere. */

const ATOMS: Record<string, string[]> = {
  any: ["nil", "true", "false", "x", "y", "z", "*1", "*3", "data/rows", "data/none", "(budget/remaining)", "##NaN"],
  number: [
    "0",
    "-1",
    "1",
    "3",
    "7",
    "1.5",
    "-0.0",
    "1e300",
    "##-Inf",
    "9007199254740993",
    "-99999999999999999999",
    "n",
  ],
  text: ['""', '"abc"', '"a,b,,c"', '"12"', '"é\u{1f468}\u200d\u{1f469}"', '"2024-02-29"', '"\\n"', "(str x y)", "\\a"],
  list: ["[]", "[1 2 3]", "[[1 2] [3 4]]", '["b" "a"]', "(range 12)", "(take 2 [1 2 3])", "[[:a 1] [:b 2]]", "[nil]"],
  map: ["{}", "{:a 1 :b [1 2]}", '{"a" {:b 2}}', "{1 2 nil 3 [1] 4 1.0 5}", '{:a {"b" {:c 1}}}', "{:_hidden 1 :b 2}"],
  set: ["#{}", "#{1 2}", "(set (range 10))", "#{#{1} [1] nil}"],
  fn: [
    ...["inc", "str", "+", "conj", "first", "(fn [a] a)", "(fn [a b] (= a b))", "(fn [& r] r)", "#(vector % %2)"],
    ...["(where :a > 1)", "(juxt :a :b)", "(fnil inc 0)", "(all-of number? pos?)", ":a", "#{1 2}", "{1 2}", "number?"],
    ...["(fn [v] (def seen v) v)", "(fn [v] (tool/echo {:v v}))", "(fn [v] (task (str v) v))", "f", "<", "identity"],
  ],
  pattern: ['#"(a)|b"', '#"\\d+"', '#""', '#"(?i)[a-c]*"', '(re-pattern "a|b")'],
  time: ["(java.util.Date. 0)", '(LocalDate/parse "2024-01-01")', '(java.util.Date. "2024-02-29T12:00:00Z")'],
  key: [":a", '"a"', "0", ":b", "[:a :b]", '[:a "b" 0]', "nil"],
  var: ["#'z", "(def z 1)", "(def x [1 2])", "(def f (fn [v] (inc v)))"],
};
const KINDS = Object.keys(ATOMS);

/** What the words in usages such as `(map f coll)` stand for. */
const WANTED: Record<string, string[]> = {
  f: ["fn"],
  fn: ["fn"],
  pred: ["fn"],
  key: ["key", "fn"],
  comparator: ["fn"],
  coll: ["list", "map", "set", "text"],
  colls: ["list"],
  c1: ["list"],
  c2: ["list"],
  m: ["map"],
  maps: ["map"],
  s: ["text"],
  part: ["text"],
  separator: ["text", "pattern"],
  n: ["number"],
  x: ["any", "number", "list"],
  numbers: ["number"],
  index: ["number"],
  path: ["key"],
  re: ["pattern"],
  pattern: ["pattern", "text"],
  d: ["time"],
};

/** For each usage of each function what its arguments should be. */
const USAGES = [...BUILTINS.values()].flatMap(({ name, doc }) =>
  doc.usage.map((usage) => ({
    name,
    words: (/^\(\S+ ?(.*)\)$/.exec(usage)?.[1] ?? "").split(" ").filter((word) => word !== "" && word !== "&"),
  })),
);

const FORMS = [
  "(let [[a b & r] A {:keys [c] :or {c 5} :as m} B] [a b r c m])",
  "(let [x A y B] C)",
  "(if A B C)",
  "(when-let [x A] B)",
  "(if-let [x A] B C)",
  "(cond A B :else C)",
  "(and A B C)",
  "(or undefined-yet A B)",
  "(do (def x A) (defonce y B) C)",
  "(do (defn f [v & w] A) (f B C))",
  "(for [x A :when B] C)",
  "(for [x A y B :let [z [x y]] :while C] z)",
  "(doseq [x A] (println x B))",
  "(loop [x A n 0] (if (< n 3) (recur B (inc n)) x))",
  "(task A B)",
  '(task "t" A)',
  '(do (task "t" A) (task-reset "t") (task "t" B))',
  '(step-done "s" A)',
  "(pmap A B)",
  "(pmap (fn [x] A) B)",
  "(pcalls #(do A) (fn [] B))",
  "(tool/echo {:v A :w B})",
  "(tool/echo :v A)",
  "(tool/cached {:v A})",
  "(map (fn [x] A) B)",
  "(filter (fn [x] A) B)",
  "(reduce (fn [x y] A) B C)",
  "(sort-by (fn [x] A) B)",
  "(postwalk (fn [x] A) B)",
  "(update {:a A} :a (fn [x] B))",
  "(group-by (fn [x] A) B)",
  "(apply A B)",
  "(-> A (B) C)",
  "(->> A (map B) C)",
  "(A B)",
  "(A B C)",
  "[A B]",
  "{:k A B C}",
  "#{A B}",
  "(return {:v A})",
  "(fail {:reason :no :message A})",
  "(fn [x {:keys [y] :or {y 2}} [z]] A)",
  "(#(vector % A) B)",
  "(where [:a :b] includes A)",
  "(all-of A B)",
];

/** One form, as deep as it happens to get. */
export const form: fc.Arbitrary<string> = fc.letrec<{ form: string; call: string }>((tie) => {
  const some = tie("form");
  const atom = fc.constantFrom(...KINDS).chain((kind) => fc.constantFrom(...(ATOMS[kind] as string[])));
  const call = fc.constantFrom(...USAGES).chain(({ name, words }) => {
    const wanted = words.map((word) => {
      const fitting = (WANTED[word] ?? KINDS).flatMap((kind) => ATOMS[kind] as string[]);
      return fc.oneof({ arbitrary: fc.constantFrom(...fitting), weight: 3 }, some);
    });
    return fc
      .tuple(fc.tuple(...wanted), fc.integer({ min: -30, max: 2 }))
      .map(([args, more]) => [name, ...args, ...args.slice(0, Math.max(0, more))])
      .map((items) => `(${items.join(" ")})`);
  });
  const special = fc.tuple(fc.constantFrom(...FORMS), some, some, some).map(([text, ...parts]) => filled(text, parts));
  return {
    form: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { arbitrary: atom, weight: 2 },
      { arbitrary: tie("call"), weight: 5 },
      { arbitrary: special, weight: 5 },
    ),
    call,
  };
}).form;

/** The letters A, B, C of a form replaced. */
const filled = (text: string, parts: readonly string[]): string =>
  text.replace(/\b[ABC]\b/g, (letter) => parts["ABC".indexOf(letter)] as string);

// Without them most programs would not get past the check of names.
const NAMES = '(def x 1) (def y [1 nil "a"]) (def z {:a 1 "b" [2]}) (def n 3) (def f (fn [& v] (first v)))\n';

/** One form, or a few of them that share their definitions. */
export const program: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 0, max: 15 }), fc.array(form, { minLength: 1, maxLength: 3 }))
  .map(([bare, forms]) => (bare === 0 ? "" : NAMES) + forms.join("\n"));
