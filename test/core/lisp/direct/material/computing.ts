import fc from "fast-check";

/**
 * Programs that call functions of their own often enough for a translation, and now and then do something that only the
 * evaluator can.
 */

type Expression = fc.Arbitrary<string>;

const WILD = ["nil", "true", '"ab"', ":a", "1.5", "9007199254740991", "[1 2]", "{:a 1 :b 2}", "data/n"];

function expression(depth: number, names: readonly string[]): Expression {
  const atom = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 4, arbitrary: fc.constantFrom("0", "1", "2", "-3", "7") },
    { weight: 1, arbitrary: fc.constantFrom(...WILD) },
  );
  if (depth === 0) return atom;
  const inner = fc.oneof(atom, expression(depth - 1, names));
  const within = (...more: string[]) => expression(depth - 1, [...names, ...more]);
  const form = (parts: (string | Expression)[]): Expression =>
    fc
      .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
      .map((texts) => texts.join(""));
  /** What it gives, as a number: so most programs get to their end. */
  const number = (one: Expression): Expression => one.map((text) => `(let [w ${text}] (if (number? w) w 1))`);
  const two = fc.constantFrom("+", "-", "*", "+", "-");
  const order = fc.constantFrom("<", ">", "<=", ">=", "=", "not=");
  const one = fc.constantFrom("inc", "dec", "not", "even?", "odd?", "str", "abs", "nil?", "count", "zero?", "type");
  const list = fc.constantFrom("(range 5)", "[1 2 3]", "(range 2 9 3)", "(range 12)");
  const walk = fc.constantFrom("map", "filter", "sort-by", "group-by", "some", "every?", "map-indexed", "distinct-by");
  const own = fc.constantFrom("f", "g", "h");
  return fc.oneof(
    form(["(", two, " ", number(inner), " ", number(inner), ")"]),
    form(["(", order, " ", number(inner), " ", number(inner), ")"]),
    form(["(if ", inner, " ", inner, " ", inner, ")"]),
    form(["(let [p ", inner, "] ", within("p"), ")"]),
    form(["(", fc.constantFrom("and", "or"), " ", inner, " ", inner, " ", inner, ")"]),
    form(["(cond (< ", number(inner), " 3) ", inner, " (number? ", inner, ") ", inner, " :else ", inner, ")"]),
    form(["(", one, " ", number(inner), ")"]),
    form(["(", fc.constantFrom("mod", "quot", "rem", "max", "str"), " ", number(inner), " ", number(inner), ")"]),
    form(["(get {:a ", inner, " :b 3} :a)"]),
    form(["[", inner, " ", inner, "]"]),
    form(["(", walk, " (fn [x] ", within("x"), ") ", list, ")"]),
    form(["(reduce (fn [acc x] ", within("acc", "x"), ") ", inner, " ", list, ")"]),
    form(["(loop [i 0 acc ", inner, "] (if (< i 6) (recur (inc i) ", within("i", "acc"), ") acc))"]),
    form(["(if (< a 1) ", inner, " (", own, " (- a 1) ", inner, "))"]),
    form(["((fn [x] ", within("x"), ") ", inner, ")"]),
    form([
      "(let [[u v] [",
      inner,
      " ",
      inner,
      "] {:keys [k] :or {k 4}} {:k ",
      inner,
      "}] ",
      within("u", "v", "k"),
      ")",
    ]),
    fc.oneof(
      form(["(tool/echo {:v ", inner, "})"]),
      form(["(do (println ", inner, ") ", inner, ")"]),
      form(["(do (def z ", inner, ") ", inner, ")"]),
    ),
  );
}

const body = expression(2, ["a", "b"]);

export const computing: fc.Arbitrary<string> = fc
  .tuple(body, body, body)
  .map(([f, g, h]) =>
    [
      "(def z 1)",
      ...[f, g, h].map((text, i) => `(defn ${"fgh"[i]} [a b] (if (and (number? a) (< a 1)) b ${text}))`),
      "[(map (fn [i] (f (mod i 4) 2)) (range 110))",
      " (reduce (fn [acc i] (let [v (g (mod i 3) 3)] (if (number? v) (+ acc 1) acc))) 0 (range 105)) (h 5 2)]",
    ].join("\n"),
  );
