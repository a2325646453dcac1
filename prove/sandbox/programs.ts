import type { Json, JsonObject } from "../../src/core/base/json";
import { LISP_LIMITS } from "../../src/core/base/limits";
import { BUILTINS } from "../../src/core/lisp/builtins";
import type { Random } from "../frame/random";
import type { SandboxCase } from "./judge";

/**
 * Programs made of everything there is, most of them well-formed and many of them ill-wanted: forms, functions with any
 * arguments, names that mean something to JavaScript, depth, large numbers, hard patterns, calls in branches, and lost or
 * swapped pieces of text.
 */
export function sandboxCase(random: Random): SandboxCase {
  const kind = random.pick(KINDS);
  const { source, setting = {} } = PROGRAMS[kind](random);
  return {
    source: random.chance(0.15) ? garbled(random, source) : source,
    setting: {
      data: { rows: [{ a: 1, b: "x" }, { a: 2 }, null] },
      tools: { cached: { cache: true }, strange: {} },
      answers: random.list(random.int(1, 3), () => random.pick(ANSWERS)),
      picks: random.list(random.int(1, 5), () => random.int(0, 20)),
      ...setting,
    },
  };
}

type Kind = "forms" | "names" | "nested" | "numbers" | "patterns" | "calls";
type Made = Pick<SandboxCase, "source"> & { setting?: SandboxCase["setting"] };

const PROGRAMS: Record<Kind, (random: Random) => Made> = {
  forms: (random) => ({ source: `${DEFINED}${random.list(random.int(1, 3), () => form(random, 4)).join("\n")}` }),
  names: (random) => ({
    source: random.list(random.int(1, 3), () => withNames(random, random.pick(NAMED))).join(" "),
    setting: { data: hostileData(random), answers: [hostileData(random)] },
  }),
  nested: (random) => ({ source: nested(random) }),
  numbers: (random) => ({ source: filled(random.pick(NUMERIC), () => random.pick(NUMBERS)) }),
  patterns: (random) => ({ source: searching(random) }),
  calls: (random) => ({
    source: `(def x 7) ${filled(random.pick(CALLING), () => (random.chance(0.7) ? random.pick(PLAIN) : form(random, 2)))}`,
    setting: {
      limits: { max_parallel: random.pick([1, 2, 8]), max_tool_calls: random.pick([LISP_LIMITS.max_tool_calls, 0, 3]) },
    },
  }),
};
const KINDS: Kind[] = [...(Object.keys(PROGRAMS) as Kind[]), "calls", "calls"];

const DEFINED = '(def x 1) (def y [1 nil "a"]) (def z {:a 1 "b" [2]}) (def n 3) (def f (fn [& v] (first v)))\n';

const ATOMS = [
  ...["nil", "true", "false", "x", "y", "z", "f", "*1", "data/rows", "data/none", "(budget/remaining)", "##NaN", "0"],
  ...["-1", "1.5", "-0.0", "1e300", "9007199254740993", '""', '"abc"', '"a,b,,c"', '"2024-02-29"', "[]", "[1 2 3]"],
  ...["[[1 2] [3 4]]", "(range 12)", "[nil]", "{}", "{:a 1 :b [1 2]}", '{"a" {:b 2}}', "#{}", "#{1 2}", "inc", "str"],
  ...["(fn [a] a)", "(fn [a b] (= a b))", "(fn [& r] r)", "#(vector % %2)", "(where :a > 1)", "(juxt :a :b)", ":a"],
  ...['#"(a)|b"', '#"\\\\d+"', "(java.util.Date. 0)", '(LocalDate/parse "2024-01-01")', "#'z", "\\a", "(fnil inc 0)"],
];

/** `A` and `B` stand for any form. */
const FORMS = [
  ...["(let [[a b & r] A {:keys [c] :or {c 5} :as m} B] [a b r c m])", "(if A B A)", "(when-let [q A] B)", "(and A B)"],
  ...["(cond A B :else A)", "(or A B)", "(do (def k A) (defonce l B) A)", "(do (defn g [v & w] A) (g B A))", "(A B)"],
  ...["(for [q A :when B] q)", "(for [q A w B :let [e [q w]] :while A] e)", "(doseq [q A] (println q B))", "[A B]"],
  ...["(loop [q A i 0] (if (< i 3) (recur B (inc i)) q))", "(task A B)", '(task "t" A)', '(step-done "s" A)', "{A B}"],
  ...['(do (task "t" A) (task-reset "t") (task "t" B))', "(pmap (fn [q] A) B)", "(pcalls #(do A) (fn [] B))", "#{A B}"],
  ...["(tool/echo {:v A :w B})", "(tool/echo :v A)", "(tool/cached {:v A})", "(map (fn [q] A) B)", "(reduce f A B)"],
  ...[
    "(sort-by (fn [q] A) B)",
    "(postwalk (fn [q] A) B)",
    "(update {:a A} :a (fn [q] B))",
    "(apply A B)",
    "(-> A (B))",
  ],
  ...["(->> A (map B))", "(return {:v A})", "(fail {:reason :no :message A})", "(println A B)", "(group-by A B)"],
  ...["(tool-try (tool/echo {:v A}))", "(str A B)", "(pr-str A)", "(= A B)", "(get-in A [B B])", "(assoc A B A)"],
];

const FUNCTIONS = [...BUILTINS.keys()];

/** One form, at most so deep. */
function form(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.2)) return random.pick(ATOMS);
  if (random.chance(0.5)) return filled(random.pick(FORMS), () => form(random, depth - 1));
  const args = random.list(random.int(0, 3), () => form(random, depth - 1));
  return `(${[random.pick(FUNCTIONS), ...args].join(" ")})`;
}

const filled = (text: string, part: () => string): string => text.replace(/\b[AB]\b/g, part);

/** Names that mean something to JavaScript, or to Node. */
const NAMES = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "toJSON", "then", "length"],
  ...["__defineGetter__", "__lookupSetter__", "get", "set", "tag", "process", "require", "globalThis", "Function"],
  ...["eval", "import", "this", "arguments", "caller", "exports", "module", "undefined", "name", "global", "Reflect"],
];
const FIELDS = [...NAMES, "$fn", "$native", "$map", "$set", "$kw", "$int", "$regex", "$text", "$float", "", "a b"];

/** `N` stands for a name, `V` for a value that has names in it. */
const NAMED = [
  ...[
    "(get V V)",
    "(V V)",
    "(get-in V [V V])",
    "(assoc V V V)",
    "(assoc-in {} [V V] V)",
    "(dissoc V V)",
    "(merge V V)",
  ],
  ...["(update V V (fn [q] V))", "(into {} [[V V] [V V]])", "(select-keys V [V V])", "(keys V)", "(group-by V [V V])"],
  ...["(let [{:keys [N] :or {N 1} :as all} V] [N all])", "(let [{N V} V] N)", "((fn [N & more] N) V V)", "N", "(N V)"],
  ...["(do (def N V) N)", "(do (defn N [q] q) (N V))", "#'N", "(.N V)", "(N. V)", "V.N", "(. V N)", "N/N", "(N/N V)"],
  ...["data/N", "(tool/N V)", "(tool/strange {V V})", "(tool/echo :N V)", "(task V V)", '(task "N" V)', "(return V)"],
  ...[
    "(fail {:reason V :message V})",
    "(where :N = V)",
    "(map V [V V])",
    "(zip [V] [V])",
    "(type V)",
    "(sort-by V [V])",
  ],
  ...['(re-find #"[[:N:]]" "a")', '(re-find #"(?<N>a)" "a")', "(java.util.Date. V)", "(loop [N V] N)", "(apply N [V])"],
];
const NAMED_VALUES = [
  ...[":N", '"N"', "{:N 1}", '{"N" {"N" 2}}', '#{"N"}', '["N"]', "data/N", '(tool/echo {"N" 1})', "(tool/strange {})"],
  ...['(get data/all "N")', "(fn [N] N)", "nil", "1"],
];

const withNames = (random: Random, text: string): string =>
  text
    .replace(/(?<![A-Za-z])V(?![A-Za-z])/g, () => random.pick(NAMED_VALUES))
    .replace(/(?<![A-Za-z])N(?![A-Za-z])/g, () => random.pick(NAMES));

function hostileData(random: Random): JsonObject {
  const value = (depth: number): Json =>
    depth === 0 || random.chance(0.5)
      ? random.pick<Json>([null, 1, 1e300, 2 ** 60, "", "__proto__", "constructor", [], true])
      : object(depth - 1);
  // fromEntries makes an ordinary key of __proto__, as JSON.parse does.
  const object = (depth: number): JsonObject =>
    Object.fromEntries(random.list(random.int(0, 4), () => [random.pick(FIELDS), value(depth)]));
  return { ...object(2), all: object(2) };
}

/** What goes around, with `_` for what is inside. */
const AROUND = [
  ...[
    "(_)",
    "[_]",
    "{:a _}",
    "{_ 1}",
    "#{_}",
    "#(_)",
    "(fn [] _)",
    "((fn [q] _) 1)",
    "(do _)",
    "(if _ 1 2)",
    "(-> _ inc)",
  ],
  ...["(let [q _] q)", "(->> 1 (+ _))", "(loop [q _] q)", "(for [q [1]] _)", '(task "t" _)', "(return _)", "(str _)"],
  ...["(pmap (fn [q] _) [1])", "(juxt _)", "(where :a = _)", "(tool/echo {:v _})", "(conj [] _)", "(let [[q] _] q)"],
  ...["(let [{:keys [a] :or {a _}} nil] a)", "(fnil _ 1)", "(update {:a 1} :a (fn [q] _))", "(inc _)", "(and _ 1)"],
];
/** What builds a value of depth n when it runs; the last ones have parts that are shared. */
const BUILT = [
  ...[
    "(reduce (fn [a _] [a]) 1 (range N))",
    "(reduce (fn [a _] {a 1}) 1 (range N))",
    "(reduce (fn [a _] #{a}) 1 (range N))",
  ],
  ...["(reduce (fn [a _] (fn [] a)) 1 (range N))", "(reduce (fn [a _] (juxt a)) inc (range N))"],
  ...['(reduce (fn [a _] (str a a)) "ab" (range N))', "(reduce (fn [a _] (* a a)) 7 (range N))"],
  ...["(reduce (fn [a _] [a a a]) 1 (range N))", "(reduce (fn [a _] {:a a :b [a a]}) 1 (range N))"],
];

function nested(random: Random): string {
  const depth = random.pick([2, 12, 60, 199, 201, 600]);
  if (random.chance(0.5)) {
    const use = random.pick([
      "_",
      "(str _)",
      "(= _ _)",
      "(return _)",
      "(tool/echo {:v _})",
      '(task "t" _)',
      "(count (pr-str _))",
    ]);
    return use.replaceAll("_", random.pick(BUILT).replace("N", String(depth)).replaceAll("_", "k"));
  }
  const around = random.list(random.int(1, 3), () => random.pick(AROUND));
  let [before, after] = ["", ""];
  for (let i = 0; i < depth && before.length < 20_000; i++) {
    const [left, right] = (around[i % around.length] as string).split("_") as [string, string];
    [before, after] = [before + left, right + after];
  }
  return before + random.pick(["1", "x", "", "[]"]) + after;
}

const NUMBERS = [
  ...[
    "0",
    "-0.0",
    "1",
    "-1",
    "9007199254740991",
    "9007199254740993",
    "1e308",
    "1e309",
    "5e-324",
    "0.1",
    "##Inf",
    "##NaN",
  ],
  ...[
    "(/ 1 3)",
    "(- 0.0)",
    "(quot 1e300 1)",
    '"7"',
    "nil",
    "9".repeat(400),
    "(reduce * 1 (range 1 60))",
    "18446744073709551616",
  ],
  ...["(reduce (fn [a _] (* a a)) 3 (range 11))", '(parse-long "-99999999999999999999")', '(parse-double "1e-400")'],
];
const NUMERIC = [
  ...["(+ A B)", "(- A B)", "(* A B)", "(/ A B)", "(quot A B)", "(rem A B)", "(mod A B)", "(max A B)", "(compare A B)"],
  ...[
    "(= A B)",
    "(< A B)",
    "[A (str B)]",
    "(sort [A 1 ##NaN 2.5 B])",
    "(task A B)",
    "(range A (+ 3 B))",
    "(nth [1 2] A B)",
  ],
  ...[
    '(subs "abc" A)',
    "(avg [A B])",
    "(reduce + A (range 5))",
    "(return {A B})",
    "(tool/echo {:v A})",
    "(take A [1 2])",
  ],
];

const PIECES = [
  ...[
    "a",
    "b",
    ".",
    "\\d",
    "\\w",
    "\\b",
    "^",
    "$",
    "\\z",
    "[a-z]",
    "[^a]",
    "[[:alpha:]]",
    "\\p{L}",
    "\\p{constructor}",
  ],
  ...[
    "(",
    ")",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<n>",
    "(?i)",
    "|",
    "*",
    "+",
    "?",
    "*?",
    "{2}",
    "{2,}",
    "{0,300}",
    "{9999}",
  ],
  ...["\\1", "\\k<a>", "\\Qa\\E", "\\x{110000}", "\\u0061", "[z-a]", "[", "]", "(*FAIL)", "(?R)", "\u{1f600}", "é"],
];
/** The families that bring a backtracking engine to its knees. */
const HARD = ["(a+)+$", "(a|aa)+$", "(a*)*b", "(?:a?){30}a{30}", "(.*)*x", "([a-z]+)*\\d", "(?=(a+))a*b"];
const TEXTS = [
  '""',
  '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"',
  '(apply str (map (fn [_] "a") (range 2000)))',
  '"AbC é 12"',
];
const SEARCHES = [
  ...["(re-find P T)", "(re-matches P T)", "(re-seq P T)", "(re-split P T)", "(split T P)", '(replace T P "<&>")'],
  ...["(extract P T 1)", "(str P)", "(def kept P)", '(map (fn [t] (re-find P t)) [T "" "b"])'],
];

function searching(random: Random): string {
  const well = random.list(random.int(1, 8), () => random.pick(PIECES)).join("");
  const pattern = (random.chance(0.4) ? random.pick(HARD) : well).replace(/["\\]/g, "\\$&");
  const literal = random.chance(0.5) ? `#"${pattern.replaceAll("\\\\", "\\")}"` : `(re-pattern "${pattern}")`;
  const text = random.pick(TEXTS);
  return random.pick(SEARCHES).replace(/\b[PT]\b/g, (hole) => (hole === "P" ? literal : text));
}

const PLAIN = ["1", "x", "nil", '"a"', "[1 2]", "{:a 1}", "(tool/echo {:n x})", "(tool/cached {:n 1})", "(str x)"];
const CALLING = [
  ...["(pmap (fn [x] A) [1 2 3])", "(pmap #(tool/echo {:n %}) (range 9))", "(pcalls (fn [] A) (fn [] B) #(do A))"],
  ...[
    '(task "a" (tool/echo {:n A}))',
    "(pmap (fn [x] (task (str x) (tool/echo {:n A}))) [1 2])",
    "(tool/cached {:n A})",
  ],
  ...["(loop [x 1] (if (< x 3) (do (tool/echo {:n A}) (recur (inc x))) B))", "(do (tool/strange {}) (def kept A) B)"],
  ...["(map (fn [x] (tool/echo {:n A})) [1 2])", '(do (task "a" A) (task-reset "a") (task "a" (tool/echo {:n B})))'],
  ...["(reduce (fn [x y] (tool/echo {:n A})) B [1 2])", "(sort-by (fn [x] (tool/echo {:n x})) [2 1 A])"],
];

const ANSWERS: Json[] = [
  ...[null, 0, 1.5, 1e21, 2 ** 53, "", "text", "\ud800", true, [], {}, [[]], [1, "a", null], { a: 1, b: { c: [2] } }],
  ...[{ $fail: "not now" }, { $fail: "" }, { $kw: "k" }, { $set: [1, 1] }, { "a-b": 1, a_b: 2 }, "x".repeat(5_000)],
];

const TOKEN = /"(?:[^"\\]|\\.)*"|;[^\n]*|#[({'"_]?|[()[\]{}]|\s+|[^\s()[\]{}";]+/gs;
const NOISE = [
  "\u200b",
  "\u0000",
  "\ud800",
  "\u202e",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  '"',
  "\\",
  ";",
  "#_",
  "##",
  "@",
  "`",
  "~@",
  "1e999",
];

/** A program as people and models write it, with mistakes: tokens lost, doubled, swapped, or none of the language. */
function garbled(random: Random, source: string): string {
  let tokens: string[] = source.match(TOKEN) ?? [];
  for (let changes = random.int(1, 3); changes > 0; changes--) {
    const [at, other] = [random.int(0, tokens.length), random.int(0, tokens.length)];
    const lists = [
      tokens.toSpliced(at, random.int(1, 3)),
      tokens.toSpliced(at, 0, ...tokens.slice(at, at + 4)),
      tokens.toSpliced(at, 1, tokens[other] ?? ""),
      tokens.toSpliced(at, 0, random.pick(NOISE)),
    ];
    tokens = random.pick(lists);
  }
  return tokens.join("");
}
