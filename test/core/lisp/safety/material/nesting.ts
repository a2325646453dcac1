import fc from "fast-check";

/** Everything that can stand in itself, as deep as a source text allows: brackets, forms, functions, patterns, values. */

/** What goes around, with `_` for what is inside. */
const AROUND = [
  ...["(_)", "[_]", "{:a _}", "{_ 1}", "#{_}", "#(_)", "#(do _ %)", "(fn [] _)", "((fn [x] _) 1)", "(do _)"],
  ...["(if true _ 1)", "(if _ 1 2)", "(when _ 1)", "(let [x _] x)", "(let [x 1] _)", "(cond _ 1 :else 2)", "(and _ 1)"],
  ...["(or _ 1)", "(-> _ inc)", "(->> 1 (+ _))", "(-> 1 (vector _))", "(loop [x _] x)", "(for [x [1]] _)"],
  ...[
    "(for [x _] x)",
    "(doseq [x [1]] _)",
    '(task "t" _)',
    "(task _ 1)",
    "(return _)",
    "(fail _)",
    "(pmap (fn [x] _) [1])",
  ],
  ...["(pcalls (fn [] _))", "(map (fn [x] _) [1])", "(reduce (fn [a x] _) 0 [1])", "(juxt _)", "(all-of _ _)"],
  ...["(where :a = _)", "(def x _)", "(defn f [] _)", "(tool/echo {:v _})", "(inc _)", "(str _)", "(apply vector [_])"],
  ...[
    "(let [[x] _] x)",
    "(let [{:keys [a] :or {a 1}} _] a)",
    "(fnil _ 1)",
    "(conj [] _)",
    "(walk identity identity _)",
  ],
  ...["(if-let [x _] _ 1)", "(step-done :s _)", "(update {:a 1} :a (fn [x] _))", "(sort-by (fn [x] _) [2 1])"],
];

/** The same in the place of a pattern. */
const PATTERNS = ["[_]", "[x _]", "[& _]", "{_ :a}", "{:keys [_]}", "{a _}"].concat(
  // A default is a form, in which there may be patterns.
  [
    "{:keys [x] :or {x (loop [_ {}] x)}}",
    "{:keys [x x] :or {x (let [_ nil] x)}}",
    "[x {:keys [y] :or {y (fn [_] y)}}]",
  ],
);

/** What builds a value of depth n when it runs. `N` is the depth. */
const BUILT = [
  "(reduce (fn [a _] [a]) 1 (range N))",
  "(reduce (fn [a _] {:a a}) 1 (range N))",
  "(reduce (fn [a _] {a 1}) 1 (range N))",
  "(reduce (fn [a _] #{a}) 1 (range N))",
  "(reduce (fn [a _] (fn [] a)) 1 (range N))",
  "(reduce (fn [a _] (juxt a)) inc (range N))",
  "(reduce (fn [a _] (fnil a 1)) inc (range N))",
  "(reduce (fn [a _] (assoc-in {} [:x :y] a)) {} (range N))",
];

/** The same with shared parts: as a tree, such a value has more of them than there are atoms. */
const SHARED = [
  "(reduce (fn [a _] [a a a a]) 1 (range N))",
  "(reduce (fn [a _] {:a a :b [a a]}) 1 (range N))",
  "(reduce (fn [a _] (all-of a a)) number? (range N))",
];

/** What is done with it. */
const USES = [
  ...[
    "_",
    "(str _)",
    "(println _)",
    "(count (pr-str _))",
    "(= _ _)",
    "{_ 1}",
    "#{_ [_]}",
    "(sort [_ 1 _])",
    "(flatten _)",
  ],
  ...["(tool/echo {:v _})", '(task "t" _)', "(return _)", "(fail _)", "(def kept _)", "(postwalk identity _)"],
  ...["(prewalk identity _)", "(_ 1)", "(get-in _ [:a :b])", "(compare _ _)", "(let [v _] (= v (conj [] v)))"],
  ...[
    "(tree-seq vector? identity _)",
    "(step-done _ _)",
    "(distinct [_ _])",
    "(max _ 1)",
    "(frequencies [_ _])",
    "(pmap _ [1])",
  ],
  ...[
    "(let [v _ m {v 1}] (m v))",
    "(contains? #{_} _)",
    "(apply _ [1])",
    "(group-by _ [1 2])",
    "(filter (where :a = _) [{:a 1}])",
  ],
];

const depth = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 40, max: 600 }),
  fc.constantFrom(199, 200, 201, 499, 500, 501, 3_000),
);

const inSource = fc
  .tuple(
    fc.array(fc.constantFrom(...AROUND), { minLength: 1, maxLength: 3 }),
    depth,
    fc.constantFrom("1", "x", "", "[]"),
  )
  .map(([around, count, core]) => {
    // Two holes would double the text with each level.
    const once = around.map((one) => one.replace(/_(?=.*_)/g, "1"));
    let [before, after] = ["", ""];
    for (let i = 0; i < count && before.length < 100_000; i++) {
      const [left, right] = (once[i % once.length] as string).split("_") as [string, string];
      [before, after] = [before + left, right + after];
    }
    return before + core + after;
  });

const inPattern = fc
  .tuple(
    fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 2 }),
    depth,
    fc.constantFrom("let", "fn", "for"),
  )
  .map(([around, count, form]) => {
    let pattern = "x";
    for (let i = 0; i < count && pattern.length < 20_000; i++)
      pattern = (around[i % around.length] as string).replace("_", pattern);
    if (form === "fn") return `((fn [${pattern}] x) [1])`;
    return form === "let" ? `(let [${pattern} nil] x)` : `(for [${pattern} [nil {} []]] x)`;
  });

const built = fc.oneof(
  { arbitrary: fc.constantFrom(...BUILT), weight: 60 },
  { arbitrary: fc.constantFrom(...SHARED), weight: 1 },
);

const inValue = fc
  .tuple(built, depth, fc.constantFrom(...USES))
  .map(([value, count, use]) => use.replaceAll("_", value.replace("N", String(count)).replaceAll("_", "k")));

/** What a chain of -> is made of: each step stands around the one before it. */
const STEPS = [
  ...[
    "inc",
    "(vector)",
    "[]",
    "str",
    "(let [y 1])",
    '(task "a")',
    "(cond true)",
    "(if true)",
    "(and 1)",
    "(do 1)",
    "(def x)",
  ],
  ...[
    "(fn [x])",
    "(defn f [x])",
    "(#(inc %))",
    "(loop [x 1])",
    "(loop [[x] 1])",
    "(for [x [1]])",
    "(for [a [1] b [2] c [3]])",
  ],
  ...["(if-let [x 1] 2)", "(Math/max 1)", "(where :a =)", "(pmap inc)", "(map (fn [x] x))", "(tool/echo :v)"],
];

const chain = fc
  .tuple(fc.constantFrom("->", "->>"), fc.constantFrom(...STEPS), depth)
  .map(([form, step, count]) => `(${form} 1 ${`${step} `.repeat(count)})`);

/** Brackets alone, most of them never closed. */
const brackets = fc
  .tuple(
    fc.constantFrom("(", "[", "{", "#{", "#(", '#"', '"', "\\", "#'"),
    fc.constantFrom("", ")", "]", "}", '"'),
    fc.constantFrom(1, 150, 250, 9_000),
  )
  .map(([open, close, count]) => open.repeat(count) + close.repeat(count));

export const nested: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: inSource, weight: 6 },
  { arbitrary: inValue, weight: 8 },
  { arbitrary: inPattern, weight: 2 },
  { arbitrary: chain, weight: 1 },
  { arbitrary: brackets, weight: 1 },
);
