import fc from "fast-check";

/** Numbers at the edges: of 2^53, of 10,000 digits, of the exponent, and the texts that say them. */

const EDGES = [
  ...["0", "-0", "1", "-1", "2", "9007199254740991", "9007199254740992", "-9007199254740993", "18446744073709551616"],
  ...[
    "0.0",
    "-0.0",
    "0.1",
    "1e308",
    "1e309",
    "-1e309",
    "5e-324",
    "1e-400",
    "1e99999",
    "4503599627370497.5",
    "0.5",
    "-0.5",
  ],
  ...["##Inf", "##-Inf", "##NaN", "(/ 1 3)", "(- 0.0)", "(quot 1e300 1)", "(int 1e308)", "nil", '"7"'],
];

const digits = fc
  .tuple(
    fc.constantFrom(1, 15, 16, 17, 19, 20, 63, 64, 310, 9_999, 10_000, 10_001, 100_000),
    fc.constantFrom("1", "9", "5", "10"),
    fc.boolean(),
  )
  .map(([count, digit, minus]) => (minus ? "-" : "") + digit.repeat(count).slice(0, count));

/** Of any width: 2^n, 10^n and their neighbours, without as many digits in the source. */
const powers = fc
  .tuple(
    fc.constantFrom("2", "3", "7", "10", "-2", "4294967296"),
    fc.integer({ min: 0, max: 14 }),
    fc.constantFrom("", "inc", "dec", "-"),
  )
  .map(([base, doublings, then]) => {
    const power = `(reduce (fn [a _] (* a a)) ${base} (range ${doublings}))`;
    return then === "" ? power : `(${then} ${power})`;
  });

const number: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...EDGES), weight: 5 },
  { arbitrary: digits, weight: 2 },
  { arbitrary: powers, weight: 3 },
  { arbitrary: fc.integer().map(String), weight: 1 },
  {
    arbitrary: fc.double().map((n) => (Number.isFinite(n) ? n.toExponential().replace("e+", "e") : "##NaN")),
    weight: 1,
  },
);

const ONE = [
  ...[
    "inc",
    "dec",
    "-",
    "abs",
    "floor",
    "ceil",
    "round",
    "trunc",
    "int",
    "double",
    "float",
    "sqrt",
    "even?",
    "odd?",
    "zero?",
  ],
  ...[
    "pos?",
    "neg?",
    "str",
    "pr-str",
    "range",
    "java.util.Date.",
    "number?",
    "hash-map",
    "vector",
    "parse-long",
    "count",
  ],
];
const TWO = [
  ...["+", "-", "*", "/", "mod", "rem", "quot", "pow", "max", "min", "<", ">=", "=", "not=", "compare", "range"],
  ...["Math/pow", "Math/max", "sort", "take", "drop", "nth", "get", "partition", "combinations"],
];

const written = number.chain((n) =>
  fc.constantFrom(`"${n}"`, `(str ${n})`, `(str ${n} "e" ${n})`, `"+${n}"`, `" ${n}"`, `"${n}."`),
);

const calculation = fc.oneof(
  { arbitrary: fc.tuple(fc.constantFrom(...ONE), number).map(([f, a]) => `(${f} ${a})`), weight: 4 },
  { arbitrary: fc.tuple(fc.constantFrom(...TWO), number, number).map(([f, a, b]) => `(${f} ${a} ${b})`), weight: 8 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom("parse-long", "parse-double", "parse-int"), written)
      .map(([f, s]) => `(${f} ${s})`),
    weight: 3,
  },
  { arbitrary: number, weight: 1 },
);

const USES = [
  ...[
    "_",
    "[_ _]",
    "{_ 1}",
    "#{_ 1 1.0}",
    "(str _)",
    "(= _ _)",
    "(tool/echo {:v _})",
    "(task _ _)",
    "(def kept _)",
    "(return _)",
  ],
  ...[
    "(sort [_ 1 ##NaN 2.5 _])",
    "(sum [_ _])",
    "(avg [_ 1])",
    "(get [1 2] _)",
    "(assoc [1] _ 2)",
    '(subs "abc" _)',
    "(pmap inc [_])",
  ],
  ...[
    "(nth [1 2] _ 3)",
    "(loop [n _] (if (pos? n) (recur (quot n 10)) n))",
    "(reduce + _ (range 5))",
    "(range _ (+ 3 _))",
  ],
  ...[
    "(step-done _ _)",
    '(index-of "aaa" "a" _)',
    "(sort-by :v [{:v _} {:v 1}])",
    "(max-by :v [{:v _} {:v 1.0}])",
    "(distinct [_ _ 1 1.0])",
  ],
  ...[
    "(fail {:reason :n :message _})",
    "(println _)",
    "(where :a > _)",
    '(take _ "abc")',
    '(extract-int #"\\d+" (str _) 0)',
  ],
];

export const numeric: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...USES), calculation, calculation)
  .map(([use, a, b]) => {
    let first = true;
    return use.replace(/(?<![\w-])_(?![\w-])/g, () => {
      const one = first ? a : b;
      first = false;
      return one;
    });
  });
