/**
 * The rules of the language that one expression can show: what it prints, or the code of its error. One table for both hosts
 * (lisp reference).
 */
export interface LispRow {
  section: string;
  rule: string;
  program: string;
  /** The printed value, or `!! code`. */
  gives: string;
  /** An expression without definitions and errors: many of them fit in one program. */
  plain: boolean;
}

const rows = (section: string, list: readonly (readonly [rule: string, program: string, gives: string])[]): LispRow[] =>
  list.map(([rule, program, gives]) => ({
    section,
    rule,
    program,
    gives,
    // Text that is only tolerated at the end of a program cannot stand inside of another.
    plain:
      section !== "3.6" &&
      !gives.startsWith("!!") &&
      !/\((?:def|defn|defonce|println|return|task|step-done)\b/.test(program),
  }));

export const LISP_ROWS: LispRow[] = [
  ...rows("1", [
    ["the last form is the value", "1 2 3", "3"],
    ["an empty text is nil", "; nothing", "nil"],
  ]),
  ...rows("3.1", [
    ["a comma is a blank", "[1, 2,3]", "[1 2 3]"],
    ["a comment goes to the end of its line", "[1 ; one\n 2]", "[1 2]"],
  ]),
  ...rows("3.2", [
    ["special floats have literals", "[##Inf ##-Inf ##NaN]", "[##Inf ##-Inf ##NaN]"],
    ["a number with an exponent is a float", "1e3", "1000.0"],
    ["integers have any size", "12345678901234567890", "12345678901234567890"],
    ["a minus sign is part of a number", "(- 5 -3)", "8"],
    ["tokens need no blank between them", "[:a:b]", "[:a :b]"],
    ["a keyword may begin with a digit", ":2fa", ":2fa"],
    ["a named character is a text of length 1", '(= \\newline "\\n")', "true"],
    ["any character is a text of length 1", '(= \\q "q")', "true"],
  ]),
  ...rows("3.3", [
    ["escapes of texts", '(count "a\\n\\t\\"")', "4"],
    ["a backslash before another character stays", '(= "\\d" "\\\\d")', "true"],
    ["a bad pattern is refused before anything runs", '#"("', "!! invalid_form"],
  ]),
  ...rows("3.6", [
    ["surplus closing brackets are skipped", "(* 6 7)))", "42"],
    ["an odd number of forms in a map is refused", "{:a}", "!! parse_error"],
    ["a quote is refused", "'(1 2)", "!! parse_error"],
    ["an at sign before a name is refused", "@x", "!! parse_error"],
    ["an unclosed list is refused", "(+ 1 2", "!! parse_error"],
  ]),
  ...rows("4.1", [
    [
      "type names the kind of a value",
      '(map type [true 1 1.5 "a" :a [1] {:a 1} #{1}])',
      "[:boolean :number :number :string :keyword :vector :map :set]",
    ],
    ["the type of nil is nil", "(type nil)", "nil"],
  ]),
  ...rows("4.2", [
    ["only nil and false are false", '(map (fn [x] (if x 1 0)) [nil false 0 "" [] {} ##NaN])', "[0 0 1 1 1 1 1]"],
  ]),
  ...rows("4.3", [
    ["integers stay integers", "[(+ 1 2) (* 2 3) (quot 7 2) (mod -7 2) (rem -7 2)]", "[3 6 3 1 -1]"],
    ["a float makes the result a float", "(+ 1 2.0)", "3.0"],
    ["a division is always a float", "(/ 8 2)", "4.0"],
    ["a division of one argument gives it back", "(/ 4)", "4"],
    [
      "a division by zero is infinity, as in the original's interpreter",
      "[(/ 1 0) (/ -1 0) (/ 0 0)]",
      "[##Inf ##-Inf ##NaN]",
    ],
    ["mod, rem and quot by zero are errors", "(mod 1 0)", "!! arithmetic_error"],
    [
      "halves are rounded away from zero",
      "[(round 2.5) (round -2.5) (floor 1.7) (ceil 1.2) (trunc -1.7) (int 3.9)]",
      "[3 -3 1 2 -1 3]",
    ],
    ["sqrt, pow, double and float give floats", "[(sqrt 9) (pow 2 3) (double 2) (float 2)]", "[3.0 8.0 2.0 2.0]"],
    ["int of infinity is an error", "(int ##Inf)", "!! arithmetic_error"],
  ]),
  ...rows("4.4", [
    ["1 equals 1.0", "[(= 1 1.0) (= [1] [1.0])]", "[true true]"],
    ["a keyword is not its text", '(= :a "a")', "false"],
    ["NaN equals nothing", "(= ##NaN ##NaN)", "false"],
    ["the order of a map does not matter", "(= {:a 1 :b 2} {:b 2 :a 1})", "true"],
    ["1 and 1.0 are two members of a set", "(count #{1 1.0})", "2"],
    ["comparisons take two arguments", "(< 1 2 3)", "!! invalid_arity"],
    ["numbers and texts cannot be compared", '(< 1 "a")', "!! type_error"],
    ["texts can", '(> "b" "a")', "true"],
  ]),
  ...rows("4.5", [
    ["a keyword finds a text key", '[(:a {"a" 1}) (get {"a" 1} :a) (get-in {"a" {"b" 2}} [:a :b])]', "[1 1 2]"],
    ["the form that was asked for wins", '(:a {"a" 1 :a 2})', "2"],
    ["hyphens are not underscores", '(:user-id {"user_id" 1})', "nil"],
    ["select-keys gives the keys as they were asked for", '(select-keys {"a" 1 "b" 2} [:a])', "{:a 1}"],
  ]),
  ...rows("4.6", [
    [
      "nil is an empty collection",
      "[(count nil) (map inc nil) (merge nil {:a 1}) (first nil) (rest nil)]",
      "[0 [] {:a 1} nil []]",
    ],
    ["aggregates skip nil", "[(sum [1 nil 2]) (avg [nil]) (sum nil)]", "[3 nil 0]"],
  ]),
  ...rows("4.7", [
    ["a text is a sequence of characters", '[(first "né") (count "né") (map identity "ab")]', '["n" 2 ["a" "b"]]'],
    ["a map is a sequence of pairs", "(map (fn [[k v]] v) {:a 1 :b 2})", "[1 2]"],
    [
      "keys, vals and entries are sorted by key",
      "[(keys {:b 1 :a 2}) (vals {:b 1 :a 2}) (entries {:b 1 :a 2})]",
      "[[:a :b] [2 1] [[:a 2] [:b 1]]]",
    ],
  ]),
  ...rows("5", [
    ["pr-str quotes texts, str does not", '[(pr-str "a" :b) (str "a" :b nil 1)]', '["\\"a\\" :b" "a:b1"]'],
    ["maps are printed with sorted keys", '(pr-str {:b 1 :a 2 "c" 3})', '"{:a 2 :b 1 \\"c\\" 3}"'],
    ["keys that begin with _ are not printed", "(str {:a 1 :_b 2})", '"{:a 1}"'],
    ["floats have a point", '(str 2.0 " " 0.1)', '"2.0 0.1"'],
  ]),
  ...rows("6.1", [
    ["a local name hides a builtin", "(let [count 3] count)", "3"],
    ["a builtin cannot be defined", "(def count 3)", "!! cannot_shadow_builtin"],
    ["an unknown name is refused", "(+ 1 unknown-name)", "!! unbound_var"],
    ["special forms are no values", "(map if [1])", "!! unbound_var"],
  ]),
  ...rows("6.3", [
    [
      "known namespaces are dropped",
      '[(clojure.string/join "," [1 2]) (Math/abs -1) (str/trim " a ")]',
      '["1,2" 1 "a"]',
    ],
    ["other namespaces are refused", "(foo/bar 1)", "!! invalid_form"],
    ["a tool is no value", "(map tool/x [1])", "!! invalid_form"],
  ]),
  ...rows("7.1", [
    ["def defines, and gives its var", "(def x 1)", "#'x"],
    ["defonce does not define again", "(def x 1) (defonce x 2) x", "1"],
    ["defn defines a function, with a docstring too", '(defn twice "Doubles" [x] (* 2 x)) (twice 4)', "8"],
    ["a function may call itself by name", "(defn fact [n] (if (pos? n) (* n (fact (dec n))) 1)) (fact 5)", "120"],
  ]),
  ...rows("7.2", [
    ["fn makes a function", "((fn [a b] (+ a b)) 1 2)", "3"],
    ["a rest parameter takes what is left", "((fn [a & more] [a more]) 1 2 3)", "[1 [2 3]]"],
    ["#() is a short function", "(map #(+ % 1) [1 2])", "[2 3]"],
    ["%1 and %2 are its parameters", "(#(- %1 %2) 5 3)", "2"],
    ["#() inside #() is refused", "#(map #(inc %) %)", "!! invalid_form"],
    ["a wrong number of arguments is an error", "((fn [a] a) 1 2)", "!! arity_mismatch"],
  ]),
  ...rows("7.3", [
    ["let binds one after the other", "(let [a 1 b (+ a 1)] (* a b))", "2"],
    ["do gives its last value", "(do 1 2)", "2"],
    ["let with an odd number of forms is refused", "(let [a] a)", "!! invalid_form"],
  ]),
  ...rows("7.4", [
    ["if without an else is nil", "[(if false 1) (if true 1 2) (if-not true 1 2)]", "[nil 1 2]"],
    ["when and when-not", "[(when true 1 2) (when-not true 1)]", "[2 nil]"],
    [
      "if-let and when-let bind a value that is true",
      "[(if-let [x 1] x 0) (if-let [x nil] x 0) (when-let [x 2] x)]",
      "[1 0 2]",
    ],
    ["cond takes the first true test", "(cond false 1 true 2 :else 3)", "2"],
    ["an odd cond is refused", "(cond 1)", "!! invalid_cond_form"],
    ["and gives the first false value or the last", "[(and 1 2) (and nil 2) (and)]", "[2 nil true]"],
    [
      "or gives the first true value; an unknown name counts as nil",
      "[(or nil 2) (or) (or never-defined 3)]",
      "[2 nil 3]",
    ],
  ]),
  ...rows("7.5", [
    ["loop and recur", "(loop [n 4 acc 1] (if (pos? n) (recur (dec n) (* acc n)) acc))", "24"],
    ["recur outside the tail is refused", "(loop [n 1] (+ 1 (recur n)))", "!! invalid_form"],
    ["for builds a vector", "(for [x [1 2] y [:a :b]] [x y])", "[[1 :a] [1 :b] [2 :a] [2 :b]]"],
    [
      "for takes :when, :while and :let",
      "(for [x (range 9) :when (odd? x) :while (< x 6) :let [y (* x x)]] y)",
      "[1 9 25]",
    ],
    ["doseq gives nil", "(doseq [x [1]] x)", "nil"],
    ["a loop has a limit of 1000 turns", "(loop [n 0] (if (< n 2000) (recur (inc n)) n))", "!! loop_limit_exceeded"],
  ]),
  ...rows("7.6", [
    ["-> puts the value first", "(-> {:a 1} (assoc :b 2) :b)", "2"],
    ["->> puts it last", "(->> [1 2 3] (map inc) (filter odd?))", "[3]"],
    ["special forms are steps, too", "(-> true (if 1 2))", "1"],
    ["nothing to thread is refused", "(->)", "!! invalid_thread_form"],
  ]),
  ...rows("7.7", [
    ["vectors are taken by position", "(let [[a b & r] [1 2 3 4]] [a b r])", "[1 2 [3 4]]"],
    ["missing positions are nil", "(let [[a b] [1]] b)", "nil"],
    ["maps are taken by key", '(let [{:keys [a b] :or {b 9} :as m} {"a" 1}] [a b (count m)])', "[1 9 1]"],
    ["a key may get another name", "(let [{x :a} {:a 1}] x)", "1"],
    ["a text cannot be taken by position", '(let [[a] "x"] a)', "!! destructure_error"],
  ]),
  ...rows("7.8", [
    ["where asks for a field", "(filter (where :ok) [{:ok true} {:ok false}])", "[{:ok true}]"],
    ["where compares a field", '(count (filter (where :n > 1) [{:n 1} {:n 2} {"n" 3} {}]))', "2"],
    ["in and includes", '[((where :s in ["a" "b"]) {:s :a}) ((where :t includes "x") {:t "axb"})]', "[true true]"],
    [
      "all-of, any-of and none-of combine predicates",
      "[((all-of odd? pos?) 3) ((any-of odd? neg?) 2) ((none-of odd?) 2)]",
      "[true false true]",
    ],
    ["a where without its operator is refused", '(where :status "paid")', "!! invalid_where_form"],
    ["an unknown operator is refused", "(where :a like 1)", "!! invalid_where_operator"],
  ]),
  ...rows("7.9", [
    ["juxt gives all results", "((juxt inc dec :a) 1)", "[2 0 nil]"],
    ["apply gives the elements as arguments", "(apply max 1 [5 3])", "5"],
  ]),
  ...rows("8.1", [["return ends the program", "(do (return 1) (mod 1 0))", "return 1"]]),
  ...rows("8.5", [
    ["pmap gives the results in order", "(pmap inc [1 2 3])", "[2 3 4]"],
    ["pcalls gives the results in order", "(pcalls #(+ 1 1) #(+ 2 2))", "[2 4]"],
    ["a failing branch fails the section", "(pmap #(mod 1 %) [1 0])", "!! pmap_error"],
    ["return in a branch is refused", "(pmap (fn [x] (return x)) [1])", "!! pmap_error"],
  ]),
  ...rows("9.5", [["budget/remaining is empty outside of an agent", "(map? (budget/remaining))", "true"]]),
  ...rows("10", [
    ["a keyword is a function of a map, with a default", "[(:a {:a 1}) (:b {:a 1} 2) (:a nil)]", "[1 2 nil]"],
    ["a map is a function of a key", "({:a 1} :a)", "1"],
    ["a set is a function of a member", "[(#{1 2} 1) (#{1 2} 3)]", "[1 nil]"],
    ["a number is no function", "(1 2)", "!! not_callable"],
    ["a builtin with a wrong number of arguments is an error", "(take 1)", "!! arity_error"],
  ]),
  ...rows("11.1", [
    ["filter and remove", "[(filter odd? [1 2 3]) (remove odd? [1 2 3])]", "[[1 3] [2]]"],
    ["find gives the first that fits", "(find even? [1 2 4])", "2"],
    ["some, every? and not-any?", "[(some even? [1 2]) (every? odd? [1 3]) (not-any? odd? [2])]", "[true true true]"],
    [
      "contains? looks for keys, members and elements",
      "[(contains? {:a 1} :a) (contains? #{1} 1) (contains? [5] 5)]",
      "[true true true]",
    ],
    ["empty? and not-empty", "[(empty? []) (not-empty []) (not-empty [1])]", "[true nil [1]]"],
  ]),
  ...rows("11.2", [
    ["map over several collections stops at the shortest", "(map + [1 2 3] [10 20])", "[11 22]"],
    ["map-indexed gives the index", "(map-indexed (fn [i x] [i x]) [:a])", "[[0 :a]]"],
    ["mapcat splices", "(mapcat (fn [x] [x x]) [1 2])", "[1 1 2 2]"],
    ["pluck takes a field", "(pluck :a [{:a 1} {}])", "[1 nil]"],
    ["reduce with and without a start", "[(reduce + [1 2 3]) (reduce + 10 [1]) (reduce + 5 [])]", "[6 11 5]"],
    [
      "interleave, interpose and zip",
      "[(interleave [1 2] [:a :b]) (interpose 0 [1 2]) (zip [1] [2])]",
      "[[1 :a 2 :b] [1 0 2] [[1 2]]]",
    ],
    ["flatten opens vectors", "(flatten [1 [2 [3]] {:a [4]}])", "[1 2 3 {:a [4]}]"],
    ["partition and partition-all", "[(partition 2 [1 2 3]) (partition-all 2 [1 2 3])]", "[[[1 2]] [[1 2] [3]]]"],
    ["combinations", "(combinations [1 2 3] 2)", "[[1 2] [1 3] [2 3]]"],
    [
      "prewalk and postwalk",
      "[(postwalk #(if (number? %) (inc %) %) [1 [2]]) (prewalk identity {:a 1})]",
      "[[2 [3]] {:a 1}]",
    ],
    ["tree-seq gives all nodes", "(tree-seq vector? identity [1 [2]])", "[[1 [2]] 1 [2] 2]"],
  ]),
  ...rows("11.3", [
    [
      "sort with and without a comparator",
      "[(sort [3 1 2]) (sort > [3 1 2]) (sort :desc [1 2])]",
      "[[1 2 3] [3 2 1] [2 1]]",
    ],
    [
      "sort-by takes key, comparator, collection",
      "[(sort-by :n [{:n 2} {:n 1}]) (sort-by :n > [{:n 1} {:n 2}])]",
      "[[{:n 1} {:n 2}] [{:n 2} {:n 1}]]",
    ],
    [
      "first, second, last and nth",
      "[(first [1 2]) (second [1 2]) (last [1 2]) (nth [1 2] 5) (nth [1 2] -1)]",
      "[1 2 2 nil 2]",
    ],
    ["rest, next and butlast", "[(rest [1]) (next [1]) (butlast [1])]", "[[] nil []]"],
    [
      "take and drop; a negative number counts from the end",
      "[(take 2 [1 2 3]) (drop 2 [1 2 3]) (take -2 [1 2 3]) (drop -1 [1 2 3])]",
      "[[1 2] [3] [2 3] [1 2]]",
    ],
    ["take-last and drop-last", "[(take-last 1 [1 2]) (drop-last [1 2])]", "[[2] [1]]"],
    ["take-while and drop-while", "[(take-while pos? [1 -1 1]) (drop-while pos? [1 -1 1])]", "[[1] [-1 1]]"],
    [
      "distinct, reverse and seq",
      "[(distinct [1 1 2]) (reverse [1 2]) (seq []) (seq {:a 1})]",
      "[[1 2] [2 1] nil [[:a 1]]]",
    ],
    ["range", "[(range 3) (range 1 3) (range 0 10 4) (range 3 1)]", "[[0 1 2] [1 2] [0 4 8] []]"],
  ]),
  ...rows("11.4", [
    [
      "conj adds to each kind",
      "[(conj [1] 2) (conj #{1} 1) (conj {:a 1} [:b 2]) (conj nil 1)]",
      "[[1 2] #{1} {:a 1 :b 2} [1]]",
    ],
    ["concat and into", "[(concat [1] nil [2]) (into {} [[:a 1]]) (into #{} [1 1])]", "[[1 2] {:a 1} #{1}]"],
    ["count of each kind", '[(count [1]) (count "ab") (count {:a 1}) (count #{1})]', "[1 2 1 1]"],
    [
      "union, intersection and difference",
      "[(union #{1} #{2}) (intersection #{1 2} #{2}) (difference #{1 2} #{2})]",
      "[#{1 2} #{2} #{1}]",
    ],
    ["frequencies and group-by", "[(frequencies [:a :a]) (group-by odd? [1 2 3])]", "[{:a 2} {false [2] true [1 3]}]"],
    ["distinct-by", "(distinct-by :k [{:k 1 :n 1} {:k 1 :n 2}])", "[{:k 1 :n 1}]"],
  ]),
  ...rows("11.5", [
    [
      "sum, avg, sum-by and avg-by",
      "[(sum [1 2]) (avg [1 2]) (sum-by :n [{:n 1} {:n nil}]) (avg-by :n [{:n 2} {}])]",
      "[3 1.5 1 2.0]",
    ],
    ["min-by and max-by", "[(min-by :n [{:n 2} {:n 1}]) (max-by :n [{:n 2} {:n 1}])]", "[{:n 1} {:n 2}]"],
    ["min-key and max-key", '[(min-key count "aa" "b") (max-key count "aa" "b")]', '["b" "aa"]'],
  ]),
  ...rows("11.6", [
    ["get with a default", "[(get {:a nil} :a 1) (get {} :a 1) (get [5] 0)]", "[nil 1 5]"],
    ["assoc and assoc-in", "[(assoc {} :a 1) (assoc [1] 1 2) (assoc-in {} [:a :b] 1)]", "[{:a 1} [1 2] {:a {:b 1}}]"],
    ["update and update-in", "[(update {:a 1} :a + 2) (update-in {:a {:b 1}} [:a :b] inc)]", "[{:a 3} {:a {:b 2}}]"],
    ["update-vals takes the map first", "(update-vals {:a 1} inc)", "{:a 2}"],
    ["dissoc and merge", "[(dissoc {:a 1 :b 2} :a) (merge {:a 1} {:a 2 :b 3})]", "[{:b 2} {:a 2 :b 3}]"],
    ["an index out of bounds is an error", "(assoc [1] 5 1)", "!! type_error"],
  ]),
  ...rows("11.7", [
    ["identity, fnil, not and boolean", "[(identity 1) ((fnil + 0) nil 2) (not nil) (boolean 0)]", "[1 2 true true]"],
  ]),
  ...rows("11.8", [
    ["sums and products of nothing", "[(+) (*) (-)]", "[0 1 0]"],
    ["inc, dec, abs, max and min", "[(inc 1) (dec 1) (abs -1) (max 1 2) (min 1 2)]", "[2 0 1 2 1]"],
    ["a root of a negative number is NaN", "(sqrt -1)", "##NaN"],
    ["compare", '[(compare 1 2) (compare "b" "a") (compare 1 1)]', "[-1 1 0]"],
    ["adding a text is an error", '(+ 1 "a")', "!! type_error"],
  ]),
  ...rows("11.9", [
    [
      "zero?, pos?, neg?, even? and odd?",
      "[(zero? 0.0) (pos? 1) (neg? -1) (even? 2) (odd? 1)]",
      "[true true true true true]",
    ],
  ]),
  ...rows("11.10", [
    [
      "type predicates never fail",
      '[(nil? nil) (some? 1) (boolean? true) (number? 1) (string? "a") (keyword? :a) (vector? []) (map? {}) (set? #{}) (coll? []) (char? "a") (regex? #"a")]',
      "[true true true true true true true true true true true true]",
    ],
  ]),
  ...rows("11.11", [
    ["subs, join and split", '[(subs "hello" 1 3) (join "-" [1 2]) (split "a,b," ",")]', '["el" "1-2" ["a" "b" ""]]'],
    ["subs is clamped", '(subs "abc" 1 99)', '"bc"'],
    [
      "trim, replace, upper-case and lower-case",
      '[(trim " a ") (replace "aab" "a" "c") (upper-case "a") (lower-case "A")]',
      '["a" "ccb" "A" "a"]',
    ],
    [
      "starts-with?, ends-with? and includes?",
      '[(starts-with? "ab" "a") (ends-with? "ab" "b") (includes? "abc" "b")]',
      "[true true true]",
    ],
    [
      "index-of and last-index-of",
      '[(index-of "abab" "b") (last-index-of "abab" "b") (index-of "a" "z")]',
      "[1 3 nil]",
    ],
    [
      "parse-long and parse-double give nil for other texts",
      '[(parse-long "+5") (parse-long "5x") (parse-double "7") (parse-double ".5")]',
      "[5 nil 7.0 nil]",
    ],
    ["split-lines drops the empty lines at the end", '(split-lines "a\\r\\nb\\n\\n")', '["a" "b"]'],
  ]),
  ...rows("11.12", [
    [
      "re-find gives the match, or the match and its groups",
      '[(re-find #"\\\\d+" "a12") (re-find #"(a)(b)" "ab") (re-find #"z" "a")]',
      '["12" ["ab" "a" "b"] nil]',
    ],
    ["re-matches takes the whole text", '[(re-matches #"a+" "aa") (re-matches #"a" "aa")]', '["aa" nil]'],
    ["re-seq and re-split", '[(re-seq #"\\\\d" "1a2") (re-split #"," "a,b")]', '[["1" "2"] ["a" "b"]]'],
    ["extract and extract-int", '[(extract "id=(\\\\w+)" "id=x7") (extract-int "n=(\\\\d+)" "n=42")]', '["x7" 42]'],
  ]),
  ...rows("12", [
    [
      "dates are read from ISO text",
      '[(str (LocalDate/parse "2031-05-04")) (.getTime (java.util.Date. "2031-05-04"))]',
      '["2031-05-04" 1935619200000]',
    ],
    [
      "an integer is seconds or milliseconds",
      "[(.getTime (java.util.Date. 1)) (.getTime (java.util.Date. 1000000000000))]",
      "[1000 1000000000000]",
    ],
    ["indexOf gives -1", '[(.indexOf "abc" "c") (.indexOf "abc" "z") (.lastIndexOf "aba" "a")]', "[2 -1 2]"],
    ["a bad date is an error", '(LocalDate/parse "x")', "!! type_error"],
    ["the clock is a number", "(pos? (System/currentTimeMillis))", "true"],
  ]),
  ...rows("17", [
    ["what does not exist is refused with what to use instead", "(case 1 1 2)", "!! unbound_var"],
    ["there is no randomness", "(rand)", "!! unbound_var"],
    ["there is no try", "(try 1)", "!! unbound_var"],
  ]),
];

/** One program that gives the printed values of many rows. */
export const programOfRows = (list: readonly LispRow[]): string =>
  `(return [${list.map(({ program }) => `(pr-str (do ${program}\n))`).join("\n")}])`;
