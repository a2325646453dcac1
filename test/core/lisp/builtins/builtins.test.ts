import { BUILTINS } from "../../../../src/core/lisp/builtins";
import { ended, evaluate } from "../run";

/** `program => printed value`, or `program => !! code` for a failure. */
const rows = (table: string): [string, string][] =>
  table
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => line.split(" => ") as [string, string]);

const family = (name: string, table: string) =>
  describe(name, () =>
    test.each(rows(table))("%s gives %s", (program, text) => expect(evaluate(program).text).toBe(text)),
  );

family(
  "filtering",
  `
  (filter odd? [1 2 3]) => [1 3]
  (filter :a [{:a 1} {:b 2} {"a" 3}]) => [{:a 1} {"a" 3}]
  (filter #{1 2} [1 2 3]) => [1 2]
  (filter {:a true} [:a :b]) => [:a]
  (filter (fn [[k v]] (> v 1)) {:a 1 :b 2}) => [[:b 2]]
  (filter odd? nil) => []
  (filter odd? 5) => !! type_error
  (filter [:a] [1]) => !! type_error
  (remove nil? [1 nil 2]) => [1 2]
  (find even? [1 2 3 4]) => 2
  (find :x []) => nil
  (some :active [{:active "yes"}]) => true
  (some #{3} [1 2 3]) => 3
  (every? pos? []) => true
  (not-any? neg? [1 -1]) => false
  (contains? {"a" nil} :a) => true
  (contains? [1 2] 2) => true
  (contains? [1 2] 2.0) => false
  (contains? #{:a} "a") => false
  (contains? "abc" "a") => !! type_error
  (empty? "") => true
  (not-empty []) => nil
  (empty? 5) => !! type_error
`,
);

family(
  "transforming",
  `
  (map inc [1 2]) => [2 3]
  (map :a [{:a 1} {}]) => [1 nil]
  (map {:a 1} [:a :b]) => [1 nil]
  (map vector "ab" "xy" [1 2]) => [["a" "x" 1] ["b" "y" 2]]
  (map (fn [a b c d] (+ a b c d)) [1] [2] [3] [4]) => [10]
  (map :k {:k 1}) => !! type_error
  (map inc ["a"]) => !! type_error
  (map (fn [a b] a) [1]) => !! arity_mismatch
  (map-indexed vector [:a :b]) => [[0 :a] [1 :b]]
  (mapcat :xs [{:xs [1 2]} {} {:xs 3}]) => [1 2 3]
  (mapcat inc [1]) => !! type_error
  (pluck [:a :b] [{:a {:b 1}} {:a 2}]) => [1 nil]
  (pluck "a" [{:a 1}]) => [1]
  (select-keys {"a" 1 :b 2} [:a :b :c]) => {:a 1 :b 2}
  (reduce + []) => nil
  (reduce (fn [a x] (conj a (* x x))) [] [1 2 3]) => [1 4 9]
  (reduce (fn [m [k v]] (assoc m v k)) {} {:a 1}) => {1 :a}
  (interleave [1 2 3] [:a :b]) => [1 :a 2 :b]
  (interpose 0 [1 2]) => [1 0 2]
  (zip [1 2] ["a" "b"]) => [[1 "a"] [2 "b"]]
  (flatten [1 [2 [3 {:a [4]}]] #{5}]) => [1 2 3 {:a [4]} #{5}]
  (partition 2 2 [9 9] [1 2 3]) => [[1 2] [3 9]]
  (partition 3 3 [] [1 2]) => [[1 2]]
  (partition 0 [1]) => !! type_error
  (partition-all 3 1 [1 2 3 4]) => [[1 2 3] [2 3 4] [3 4]]
  (combinations [1 2 3] -1) => []
  (walk (fn [[k v]] [k (inc v)]) identity {:a 1}) => {:a 2}
  (prewalk (fn [x] (if (number? x) (inc x) x)) {:a [1 #{2}]}) => {:a [2 #{3}]}
  (postwalk (fn [x] (if (vector? x) (count x) x)) [[1 2] 3]) => 2
  (prewalk (fn [x] [x]) 1) => !! type_error
  (map :id (tree-seq :kids :kids {:id 1 :kids [{:id 2}]})) => [1 2]
`,
);

family(
  "ordering",
  `
  (sort [3 1 2]) => [1 2 3]
  (sort > [3 1 2]) => [3 2 1]
  (sort :desc ["b" "a"]) => ["b" "a"]
  (sort (fn [a b] (- b a)) [1 3 2]) => [3 2 1]
  (sort (fn [a b] (< a b)) [1 3 2]) => [1 2 3]
  (sort [3 "a" nil :k [1] {}]) => [3 :k nil {} [1] "a"]
  (sort #{1}) => !! type_error
  (sort {:a 1}) => !! type_error
  (sort-by :a > [{:a 1} {:a 3} {:a 2}]) => [{:a 3} {:a 2} {:a 1}]
  (sort-by first (fn [a b] (> a b)) [[1 :x] [2 :y] [1 :z]]) => [[2 :y] [1 :x] [1 :z]]
  (sort-by val {:b 2 :a 1}) => [[:a 1] [:b 2]]
  (sort-by :a [{:a 1}] >) => !! type_error
  (sort-by :a > nil) => []
  (map second (sort-by first [[1 :a] [0 :b] [1 :c] [0 :d]])) => [:b :d :a :c]
  (reverse "abc") => ["c" "b" "a"]
  (first nil) => nil
  (first #{1}) => !! type_error
  (first {:a 1}) => !! type_error
  (last "héé") => "é"
  (nth [1 2 3] -1) => 3
  (nth [1] 5) => nil
  (butlast []) => []
  (take -2 [1 2 3]) => [2 3]
  (drop -1 [1 2 3]) => [1 2]
  (take 1 {:a 1 :b 2}) => [[:a 1]]
  (take 1.0 [1]) => !! type_error
  (take 9 nil) => []
  (take-last 2 [1 2 3]) => [2 3]
  (drop-last [1 2]) => [1]
  (drop-last 5 [1 2]) => []
  (take-while pos? [1 2 -1 3]) => [1 2]
  (drop-while :a [{:a 1} {:b 1}]) => [{:b 1}]
  (distinct [1 1.0 1 "a" :a "a"]) => [1 1.0 "a" :a]
  (seq "") => nil
  (seq {:a 1}) => [[:a 1]]
  (range 3) => [0 1 2]
  (range 5 0 -2) => [5 3 1]
  (range 0 1 0.25) => [0 0.25 0.5 0.75]
  (range 0 5 0) => []
  (range 0 "a") => []
  (range "a") => !! type_error
  (range 1 99999999) => !! memory_exceeded
`,
);

family(
  "building",
  `
  (conj [1] 2 3) => [1 2 3]
  (conj nil 1) => [1]
  (conj {:a 1} [:b 2] {:c 3}) => {:a 1 :b 2 :c 3}
  (conj #{1} 1 2) => #{1 2}
  (conj {} 5) => !! type_error
  (concat [1] nil #{2} {:a 3}) => [1 2 [:a 3]]
  (concat "ab" [1]) => !! type_error
  (into {} [[:a 1] [:b 2]]) => {:a 1 :b 2}
  (into {} [1]) => !! type_error
  (into #{} [1 1]) => #{1}
  (into [0] {:a 1}) => [0 [:a 1]]
  (set [1 1.0]) => #{1 1.0}
  (count nil) => 0
  (count "né") => 2
  (count {:a 1}) => 1
  (union #{1} #{2 1}) => #{1 2}
  (union) => #{}
  (intersection #{1 2} #{2 3}) => #{2}
  (difference #{1 2 3} #{1} #{3}) => #{2}
  (union #{1} [2]) => !! type_error
  (frequencies "aab") => {"a" 2 "b" 1}
  (group-by odd? [1 2 3]) => {false [2] true [1 3]}
  (group-by [:a :b] [{:a {:b 1}}]) => {1 [{:a {:b 1}}]}
  (distinct-by :k [{:k 1 :v 1} {:k 1 :v 2}]) => [{:k 1 :v 1}]
`,
);

family(
  "aggregates",
  `
  (sum [1 nil 2.5]) => 3.5
  (sum nil) => 0
  (sum [1 "a"]) => !! arithmetic_error
  (sum [##Inf]) => !! arithmetic_error
  (avg [1 2]) => 1.5
  (avg []) => nil
  (sum-by :n [{:n 1} {"n" 2} {}]) => 3
  (avg-by :n nil) => nil
  (max-by :n [{:n 1} {:n 3 :first true} {:n 3} {}]) => {:first true :n 3}
  (min-by :n [{}]) => nil
  (min-by count "abc" "a") => "a"
  (max-key count [1] [1 2]) => [1 2]
  (max-key count) => !! arity_error
`,
);

family(
  "maps",
  `
  (get {"a" 1} :a) => 1
  (get {:a nil} :a 5) => nil
  (get [1 2] 1) => 2
  (get #{1} 1) => nil
  (get "abc" 0) => !! type_error
  (get-in {:a {"b" [10 20]}} [:a :b 1]) => 20
  (get-in {:a nil} [:a] 7) => 7
  (get-in {:a 1} [:a :b]) => nil
  (assoc {"a" 1} :a 2) => {"a" 2}
  (assoc [1 2] 2 3) => [1 2 3]
  (assoc [1] 5 0) => !! type_error
  (assoc {} :a) => !! arity_error
  (assoc nil :a 1) => {:a 1}
  (assoc-in {} [:a :b] 1) => {:a {:b 1}}
  (assoc-in {"a" {"b" 1}} [:a :b] 2) => {"a" {"b" 2}}
  (assoc-in {:a 1} [:a :b] 2) => !! type_error
  (assoc-in {:a 1} [] 2) => 2
  (update {:n 1} :n + 10) => {:n 11}
  (update {} :n (fnil inc 0)) => {:n 1}
  (update [1 2] 1 inc) => [1 3]
  (update [1] 1 inc) => !! type_error
  (update {} :n inc 0) => !! arity_error
  (update {} :n (fn [a] a) 0) => !! arity_error
  (update-in {:a {:b 1}} [:a :b] inc) => {:a {:b 2}}
  (update-in {} [:a :b] (fnil conj []) 1) => {:a {:b [1]}}
  (update-vals {:a [1]} count) => {:a 1}
  (update-vals inc {:a 1}) => !! type_error
  (dissoc {:a 1 "b" 2} :a :b) => {}
  (merge {:a 1} nil {:a 2}) => {:a 2}
  (merge {:a 1} [1]) => !! type_error
  (keys {"b" 1 :c 2 :a 3}) => [:a :c "b"]
  (vals {:b 1 :a 2}) => [2 1]
  (entries {:b 1 :a 2}) => [[:a 2] [:b 1]]
  (keys nil) => []
  (key [1]) => !! type_error
`,
);

family(
  "arithmetic",
  `
  (+ 9007199254740991 1) => 9007199254740992
  (- -9007199254740992 1) => -9007199254740993
  (- 9007199254740993 2) => 9007199254740991
  (* 99999999999 99999999999) => 9999999999800000000001
  (+ 1 2.0) => 3.0
  (/ 8 2) => 4.0
  (/ 1 0) => ##Inf
  (/ 4) => 4
  (mod -7 3) => 2
  (mod 7 -3) => -2
  (rem -7 3) => -1
  (quot -7 2) => -3
  (quot 7.5 2) => 3
  (mod 5.5 2) => 1.5
  (mod 5 0) => !! arithmetic_error
  (quot 100000000000000000000 -3) => -33333333333333333333
  (* 0 -5) => 0
  (inc nil) => !! type_error
  (abs -3) => 3
  (round 2.5) => 3
  (round -2.5) => -3
  (round 0.49999999999999994) => 0
  (floor -1.5) => -2
  (ceil 1.2) => 2
  (trunc -1.9) => -1
  (floor ##Inf) => ##Inf
  (int 3.9) => 3
  (int 1e20) => 100000000000000000000
  (double 3) => 3.0
  (sqrt -1) => ##NaN
  (pow 2 3) => 8.0
  (pow -8 0.5) => !! arithmetic_error
  (max 1 2.5 2) => 2.5
  (max 1 ##NaN 2) => ##NaN
  (min "a" 1) => 1
  (= 1 1.0) => true
  (= {:a [1]} {:a [1.0]}) => true
  (not= 1 2) => true
  (< 1 2.5) => true
  (< "a" "b") => true
  (< 1 nil) => !! type_error
  (> :b :a) => !! type_error
  (compare 2 1) => 1
  (compare "a" "a") => 0
  (compare ##NaN 1) => !! type_error
  (zero? 0.0) => true
  (pos? "a") => false
  (even? 100000000000000000000) => true
  (odd? -3) => true
  (even? 2.0) => !! arithmetic_error
  (reduce * (range 1 4000)) => !! arithmetic_error
`,
);

family(
  "predicates and functions",
  `
  (map type [1 1.5 "a" :a true [] {} #{} inc #"a" nil]) => [:number :number :string :keyword :boolean :vector :map :set :function :regex nil]
  (char? "é") => true
  (coll? #{}) => true
  (boolean 0) => true
  (not nil) => true
  (apply + 1 2 [3 4]) => 10
  (apply max #{1 3 2}) => 3
  (apply :a [{:a 1}]) => 1
  (apply + 5) => !! type_error
  ((fnil + 5) nil 1) => 6
  (identity 1 2) => !! arity_error
`,
);

family(
  "strings",
  `
  (str "a" nil :k 1.0 1.5e20 [1 "b"] ##NaN) => "a:k1.01.5e20[1 \\"b\\"]NaN"
  (str (LocalDate/parse "2031-05-04")) => "2031-05-04"
  (pr-str "a" :b nil) => "\\"a\\" :b nil"
  (subs "hello" 1 3) => "el"
  (subs "hello" -5 99) => "hello"
  (subs "hello" 3 1) => ""
  (subs nil 1) => !! type_error
  (join ", " [1 nil "a"]) => "1, , a"
  (join #{1}) => "1"
  (join [1] ",") => !! type_error
  (split "a,,b," ",") => ["a" "" "b" ""]
  (split "ab" "") => ["a" "b"]
  (split "a.b" ".") => ["a" "b"]
  (split-lines "a\\r\\nb\\n\\n") => ["a" "b"]
  (split-lines "") => []
  (trim "  a ") => "a"
  (replace "a.a" "." "$&") => "a$&a"
  (replace "ab" #"(a)(b)" "\\\\2\\\\1 &") => "ba ab"
  (upper-case "é") => "É"
  (index-of "hello" "l" -3) => 2
  (index-of "abc" "" 9) => 3
  (last-index-of "🍎a🍎" "🍎") => 2
  (last-index-of "abc" "c" 1) => nil
  (parse-long "+5") => 5
  (parse-long "5.0") => nil
  (parse-long 5) => nil
  (parse-double "7") => 7.0
  (parse-double ".5") => nil
  (parse-double "1e3") => 1000.0
  (upcase nil) => !! type_error
`,
);

family(
  "regex",
  `
  (re-find #"(\\d+)-(x)?(\\d)?" "a12-") => ["12-" "12"]
  (re-find #"(x)?(y)" "y") => ["y" "" "y"]
  (re-find #"b" "abc") => "b"
  (re-find "b" "abc") => !! type_error
  (re-matches #"a+" "aab") => nil
  (re-matches #"a|ab" "ab") => "ab"
  (re-seq #"\\w+" "né 🍎 b") => ["né" "b"]
  (re-split #"," "a,,b") => ["a" "" "b"]
  (re-split #"(-)" "a-b") => ["a" "-" "b"]
  (re-find #"(?i)HELLO" "say Hello") => "Hello"
  (re-find #"(?i:a)B" "aB") => "aB"
  (re-find #"(?s)a.b" "a\\nb") => "a\\nb"
  (re-find #"a.b" "a\\nb") => nil
  (re-seq #"(?m)^\\w" "ab\\ncd") => ["a" "c"]
  (re-find #"\\Aab\\z" "ab") => "ab"
  (re-find #"ab$" "ab\\n") => "ab"
  (re-seq #"[[:alpha:]_-]+" "a-b_c1") => ["a-b_c"]
  (re-find #"\\p{Lu}\\p{Ll}+" "xÄrger") => "Ärger"
  (re-find #"[^\\s,]+" " ,ab") => "ab"
  (re-find #"a{2,3}?" "aaaa") => "aa"
  (re-find #"a{,2}" "a{,2}") => "a{,2}"
  (re-find #"(?<year>\\d{4})" "in 2031") => ["2031" "2031"]
  (re-find #"\\d+(?= EUR)" "5 USD 7 EUR") => "7"
  (re-find #"(?<=\\$)\\d+" "7 $42") => "42"
  (re-find #"(?<!\\$)\\b\\d+" "$42 7") => "7"
  (re-seq #"a*" "ba") => ["" "a" ""]
  (re-find #"(a*)*b" "b") => ["b"]
  (re-find #"x*y|z" "xxz") => "z"
  (re-find #"(a)\\1" "aa") => !! invalid_form
  (re-find #"a++" "aa") => !! invalid_form
  (re-find #"a(" "aa") => !! invalid_form
  (re-find #"((a{99}){99}){99}" "aa") => !! invalid_form
  (re-pattern "[a") => !! type_error
  (extract "x" "x") => nil
  (extract "(a)(b)?" "a" 2) => nil
  (extract-int "(\\\\d+)" "n 042") => 42
  (extract-int #"(x)" "y" 1 -1) => -1
`,
);

family(
  "time",
  `
  (.getTime (java.util.Date.)) => 1000
  (System/currentTimeMillis) => 1000
  (java.util.Date. 0) => "1970-01-01T00:00:00Z"
  (java.util.Date. 1767860276937) => "2026-01-08T08:17:56.937Z"
  (java.util.Date. "2031-05-04T10:00:00+02:00") => "2031-05-04T08:00:00Z"
  (java.util.Date. "Tue, 3 Jun 2031 07:05:00 +0200") => "2031-06-03T05:05:00Z"
  (java.util.Date. "2031-02-30") => !! type_error
  (java.util.Date. nil) => !! type_error
  (LocalDate/parse "2031-05-04") => "2031-05-04"
  (LocalDate/parse "2031-5-4") => !! type_error
  (java.time.LocalDate/parse "2031-13-01") => !! type_error
  (.getTime (LocalDate/parse "2031-05-04")) => !! type_error
  (.indexOf "🍎x" "x") => 1
  (def parse 3) parse => 3
`,
);

test.each([
  ["(take 1)", /^take expects 2 argument\(s\), got 1$/],
  ["(subs nil 1)", /^subs: invalid argument types: nil, number$/],
  ["(first #{1})", /sets are unordered/],
  ["(sort {:a 1})", /keys, vals or entries/],
  ["(filter [:a] [1])", /expected predicate, got vector \[:a\] - use :a instead/],
  ["(map :k {:k 1})", /use \(:k m\)/],
  ["(update {} :n (fn [a] a) 0)", /fnil/],
  ["(update-vals inc {:a 1})", /use -> instead of ->>/],
  ["(assoc [1 2 3] 9 0)", /index 9 out of bounds for vector of length 3/],
  ['(re-pattern "ab(")', /missing \) for the group at position 2/],
])("the message of %s helps", (program, message) => expect(evaluate(program).message).toMatch(message));

test("a tool call inside a callback suspends the builtin and resumes it at the same point", () => {
  expect(evaluate("(map (fn [n] (:n (tool/echo {:n n}))) [1 2 3])").text).toBe("[1 2 3]");
  expect(evaluate("(sort (fn [a b] (< (:a (tool/echo {:a a})) b)) [3 1 2])").text).toBe("[1 2 3]");
  expect(evaluate("(update {:a 1} :a (fn [v] (tool/echo {:v v})))").text).toBe('{:a {"v" 1}}');
});

describe("no builtin can run away", () => {
  test.each([
    ['(reduce (fn [s _] (str s s)) "ab" (range 60))', "!! memory_exceeded"],
    ["(combinations (range 60) 30)", "!! memory_exceeded"],
    ["(count (reduce (fn [a _] [a a]) 1 (range 60)))", "2"],
    ["(pr-str (reduce (fn [a _] [a a]) 1 (range 60)))", "!! timeout"],
    ["(flatten (reduce (fn [a _] [a a]) 1 (range 60)))", "!! memory_exceeded"],
    ["(= (reduce (fn [a _] [a a]) 1 (range 60)) (reduce (fn [a _] [a a]) 1 (range 60)))", "!! timeout"],
    ["(tree-seq identity (fn [x] [x x]) 1)", "!! timeout"],
    ['(let [s (join (map (fn [_] "a") (range 30000)))] (re-find #"(a+)+b" s))', "nil"],
    ['(let [s (join (map (fn [_] "a") (range 30000)))] (re-find #"(a|a)*(a|a)*(a|a)*c" s))', "nil"],
    ['(let [s (join (map (fn [_] "ab" ) (range 15000)))] (count (re-seq #"(?=(.*)c)|a" s)))', "15000"],
    [
      "(let [v (vec (range 100000))] (count (map (fn [i] (conj (take 90000 v) i)) (range 50000))))",
      "!! memory_exceeded",
    ],
    ["(let [v (range 10000)] (count (distinct (map (fn [i] (concat v [i])) (range 300)))))", "!! timeout"],
    ["(let [v (range 10000)] (count (sort (map (fn [i] (concat v [i])) (range 300)))))", "!! timeout"],
    [
      '(let [s (fn [] (reduce (fn [s _] (str s s)) "ab" (range 20))) a (s) b (s)] (reduce (fn [n _] (if (= a b) (inc n) n)) 0 (range 100000)))',
      "!! timeout",
    ],
  ])("%s ends with %s", (program, text) => {
    expect(evaluate(program).text.replace("memory_exceeded", "timeout")).toBe(
      text.replace("memory_exceeded", "timeout"),
    );
  });
});

test.each([...BUILTINS.values()])("$name shows its usage", ({ name, doc, arity }) => {
  expect(doc.text).toMatch(/\S/);
  for (const usage of doc.usage) expect(usage.startsWith(`(${name}`)).toBe(true);
  expect(arity.min).toBeLessThanOrEqual(arity.max);
});

/** A range is computed as it is added up, unless one of its elements was asked for: then it is in an array. */
test.each([
  "0 100",
  "5 -70 -3",
  "9007199254740000 9007199254740900",
  "-9007199254740900 -9007199254740000 7",
  "0 9007199254740000 90071992547400",
  // Farther from its beginning than integers are exact.
  "-9007199254740991 9007199254740989 4503599627370495",
  "0 1",
  "3 3",
])("a range (%s) and its elements have the same sum, at the same cost", (range) => {
  for (const start of ["", "0", "-7", "9007199254740991", "-9007199254740990", "0.5", "90071992547409910"]) {
    const [computed, inArray] = ["other", "all"].map((asked) =>
      ended(
        `(let [all (range ${range}) other [1]] (get ${asked} 0) [(reduce + ${start} all) (reduce + ${start} (rest all))])`,
      ),
    );
    expect(computed).toEqual(inArray);
  }
});
