/** Programs that keep all they make: what one expression gives is paid for, or the host runs out of memory. */

const BIG = "(def big (reduce (fn [a _] (* a a)) 7 (range 13)))";
const MAP =
  "(def m (into {} (map vector (range 4000) (range 4000)))) (def s (into {} (map vector (range 3990 5000) (range 1010))))";
const TEXT = '(def t (reduce (fn [t _] (str t t)) "abc,d" (range 12))) (def u (str t "\u{1f600}"))';
const ROUNDS = "(def rr (range 1000))";

/** What is evaluated again and again, each value being kept; what it needs comes first. */
const EXPRESSIONS: [before: string, expression: string][] = [
  ...[
    "(/ i 3)",
    '(parse-double "1.5")',
    "(range 0 5 0.5)",
    "(range 1)",
    "(range 3)",
    '(parse-long "123456789012345678901234567890")',
  ].map(plain),
  ...[
    "(java.util.Date. i)",
    '(LocalDate/parse "2024-01-01")',
    "(budget/remaining)",
    "#'rr",
    "(fn [] i)",
    "[i]",
    "#{i}",
  ].map(plain),
  ...["{:a i}", '{:a i :b {:c [i i] "d" #{i}}}', "(let [a i b i c i] (fn [] [a b c]))", "((fn [& r] r) 1 2 3)"].map(
    plain,
  ),
  ...[
    "(juxt :a :b)",
    "(fnil inc i)",
    "(where :a = i)",
    "(all-of inc inc)",
    "(let [[a & r] [1 2 3]] r)",
    "(for [x [1 2]] x)",
  ].map(plain),
  ...['(subs "abcdefghijklmnopqrstuvwxyz" 1)', "(str i)", '(upcase "abc")', '(trim " abc ")', '(join "," [1 2])'].map(
    plain,
  ),
  ...[
    '(split "a,b,c" ",")',
    '(split "abc" "")',
    '(replace "abc" "b" "c")',
    '(seq "h\u00e9e\u0301")',
    "(pr-str {:a 1})",
  ].map(plain),
  ...['(re-pattern (str i "[a-z][0-9]abcdefghijklmnop(?=x)"))', '(re-pattern "a{1999}")', '(re-seq #"a" "aaaa")'].map(
    plain,
  ),
  ...[
    '(re-find #"(a)(b)" "ab")',
    '(re-split #"," "a,b,c")',
    '(replace "abc" #"b" "&&")',
    "(range 99999999999999999 99999999999999999999 33333333333333333333)",
  ].map(plain),
  ...[
    "(map inc [1 2 3])",
    "(map (fn [x] (/ x 3)) [1 2 3])",
    "(sort [3 2 1])",
    "(sort-by :a [{:a 2} {:a 1}])",
    "(reverse [1 2])",
  ].map(plain),
  ...["(combinations [1 2 3 4] 2)", "(partition 1 [1 2 3 4])", "(zip [1 2 3] [4 5 6])", "(interleave [1 2] [3 4])"].map(
    plain,
  ),
  ...[
    "(take 2 rr)",
    "(rest rr)",
    "(drop-last rr)",
    "(seq {:a i :b i})",
    "(entries {:a 1})",
    "(keys {:a 1})",
    "(distinct [1 1 2])",
  ].map(plain),
  ...[
    "(frequencies [1 2 3 i])",
    "(group-by odd? [1 2 3 i])",
    "(select-keys {:a 1 :b 2} [:a :b])",
    "(flatten [1 [2 [3]]])",
  ].map(plain),
  ...[
    "(assoc-in {} [:a :b] i)",
    "(update-in {} [:a :b] (fn [x] i))",
    "(update {:a 1} :a inc)",
    "(merge {:a 1} {:b 2})",
  ].map(plain),
  ...["(postwalk identity {:a [1 {:b 2}]})", "(tree-seq vector? identity [1 [2]])", "(map-indexed vector [1 2])"].map(
    plain,
  ),
  ...[
    "(conj #{1 2 3 4 5 6 7 8 9} i)",
    "(into (set (range 100)) [i])",
    "(union #{1} #{i})",
    "(vec #{1 2})",
    "(apply vector [1 2])",
  ].map(plain),
  ...[
    "(pmap (fn [x] x) [1 2 3])",
    "(pcalls (fn [] i) (fn [] i))",
    "(tool/echo {:a i})",
    "(tool/echo {:a [{:b 1} {:c i} {}]})",
  ].map(plain),
  ...[
    "(task (str i) {:a [1 2 {:b i}]})",
    "(task (str i) #{[i]})",
    "(tool/rows {})",
    "(task (str i) (tool/rows {}))",
  ].map(plain),
  ...["(+ big i)", "(abs (- big))", "(mod (* big big) big)", "(quot big 3)", "(parse-long (subs (str big) 1 i))"].map(
    (one) => pair(BIG, one),
  ),
  ...[
    "(assoc m i 1)",
    "(dissoc m i)",
    "(conj m [i i])",
    "(merge m s)",
    "(merge s m)",
    "(update-vals m inc)",
    "(into {} m)",
  ].map((one) => pair(MAP, one)),
  ...[
    "(let [v (update-vals m inc)] (get v 1) v)",
    "(for [p m] p)",
    "(doseq [p m] p)",
    "(keys m)",
    "(set (vals m))",
  ].map((one) => pair(MAP, one)),
  ...[
    "(select-keys m (range 100))",
    "(group-by first m)",
    "(vec m)",
    "(filter (fn [x] true) m)",
    "(sort-by first m)",
  ].map((one) => pair(MAP, one)),
  ...[
    "(for [c t] c)",
    "(seq u)",
    "(subs u 1)",
    '(split t ",")',
    '(split u "")',
    '(replace t "a" "")',
    "(frequencies u)",
  ].map((one) => pair(TEXT, one)),
  ...[
    '(re-seq #"[a-c]" t)',
    '(re-find #"(?:a|b|c|,|d)*$" t)',
    '(re-split #"" t)',
    '(split-lines (replace t "," "\\n"))',
  ].map((one) => pair(TEXT, one)),
];

function plain(expression: string): [string, string] {
  return ["", expression];
}
function pair(before: string, expression: string): [string, string] {
  return [before, expression];
}

/** Stacks, copies of definitions and branches that are open at the same time: all at once. */
const AT_ONCE: [string, string][] = [
  [
    "branches that wait deep in their calls",
    `(defn down [n] (if (= n 0) (count (tool/echo {:n n})) (inc (down (dec n)))))
     (defn wide [d] (pmap (fn [i] (if (= d 0) (down 900) (wide (dec d)))) (range 8))) (wide 3)`,
  ],
  [
    "calls with very many slots",
    `(defn down [n] (let [${"x n ".repeat(3_000)}] (if (= n 0) 1 (inc (down (dec n)))))) (down 9000)`,
  ],
  ["functions in functions", "((reduce (fn [f _] (fnil f 1)) inc (range 9000)) 1)"],
  [
    "branches with definitions of their own",
    `${Array.from({ length: 3_000 }, (_, i) => `(def d${i} 1)`).join("")}
     (defn wide [d] (pmap (fn [i] (if (= d 0) (do (def own i) (tool/echo {:n i})) (wide (dec d)))) (range 8))) (wide 3)`,
  ],
  ["one text that grows", '(reduce (fn [s _] (str s s)) "0123456789" (range 40))'],
  ["one text that is quoted again and again", '(reduce (fn [s _] (pr-str [s s])) "\\"" (range 40))'],
  ["prints of what grows", "(reduce (fn [v _] (println v) [v v]) [1] (range 40))"],
  [
    "functions with many parameters, printed",
    `(def f (fn [${"a ".repeat(9_000)}] 1)) (count (str (map (fn [_] f) (range 100000))))`,
  ],
  [
    "a very long name, printed",
    `(def ${"v".repeat(99_999)} 1) (count (str (map (fn [_] #'${"v".repeat(99_999)}) (range 9999))))`,
  ],
];

export const HOARDS: [string, string][] = [
  ...EXPRESSIONS.map(([before, one]): [string, string] => [
    one,
    `${ROUNDS} ${before} (count (for [_ rr i rr] ${one}))`,
  ]),
  ...AT_ONCE,
];
