import { evaluate } from "./run";

/** Special forms (lisp reference, section 7): shapes of the special forms that the collected cases do not have. */
const table = (rows: [string, string][]) =>
  test.each(rows)("%s is %s", (source, text) => expect(evaluate(source).text).toBe(text));

describe("definitions", () =>
  table([
    ['(def x "doc" 2) x', "2"],
    ["(def x 1 2)", "!! invalid_arity"],
    ['(def x "doc" 2 3)', "!! invalid_arity"],
    ["(def x)", "!! invalid_arity"],
    ["(def 5 1)", "!! invalid_form"],
    ["(defonce x)", "!! invalid_arity"],
    ['(defonce x 1) (defonce x (fail "evaluated")) x', "1"],
    ["(defn f)", "!! invalid_arity"],
    ["(defn f [x])", "!! invalid_arity"],
    ['(defn f "doc" [x])', "!! invalid_arity"],
    ['(defn f "doc" [] "body") (f)', '"body"'],
    ["(defn f ([x] x))", "!! invalid_form"],
    ["(defn f ([x] x) ([x y] y))", "!! invalid_form"],
    ["(defn f x x)", "!! invalid_form"],
    ["(defn :f [x] x)", "!! invalid_form"],
    ["(defn f [] (def y 5)) (f) y", "5"],
    ["(loop [i 0] (def z i) (if (< i 3) (recur (inc i)) z))", "3"],
    ["(doseq [i [1 2 3]] (def z i)) z", "3"],
    ["(map (fn [i] (def z i) z) [1 2]) (or z 0)", "0"],
    ["(pmap (fn [i] (def z i) z) [1 2]) (or z 0)", "0"],
    ["(def f (fn [] x)) (def x 7) (f)", "7"],
  ]));

describe("functions", () =>
  table([
    ["(fn ([x] x))", "!! invalid_form"],
    ["(fn name [x] x)", "!! invalid_form"],
    ["(fn [x])", "!! invalid_arity"],
    ["(fn [x &] x)", "!! invalid_form"],
    ["(fn [x & a b] x)", "!! invalid_form"],
    ["((fn [& [a b]] [a b]) 1)", "[1 nil]"],
    ["[(#()) (#(7)) (#(%) 5) (#(do [% {:a %2} #{%1}]) 1 2)]", "[nil 7 5 [1 {:a 2} #{1}]]"],
    ["(defn g [] 9) [(#(g)) (#((g)))]", "[9 9]"],
    ["(#(vector %3) 1 2 3)", "[3]"],
    ["(let [p1 10] (#(+ p1 %) 1))", "11"],
    ["(map #(map (fn [x] (+ x %)) [1]) [1 2])", "[[2] [3]]"],
    ["(#(#(+ %)) 1)", "!! invalid_form"],
    ["(pr-str #(+ %1 %2) (fn [a [b] {:keys [c]} & r] a))", '"#fn[p1 p2] #fn[a _ _ & r]"'],
    ["((fn [n & r] (if (= n 0) r (recur (dec n) (conj r n)))) 3)", "[3 2 1]"],
    ["((fn [n & r] (recur n)) 3)", "!! arity_mismatch"],
    ["(map #(if (< % 5) (recur (inc %)) %) [1 7])", "[5 7]"],
    ["(map (fn [f] (f)) (for [x [1 2]] (fn [] x)))", "[1 2]"],
    ["(loop [i 0 fs []] (if (< i 3) (recur (inc i) (conj fs (fn [] i))) (map (fn [f] (f)) fs)))", "[0 1 2]"],
  ]));

describe("recur", () =>
  table([
    ["(loop [x 0] (cond (< x 3) (recur (inc x)) :else x))", "3"],
    ["(loop [x 0] (or (>= x 3) (recur (inc x))))", "true"],
    ["(loop [x 0] (and (< x 3) (recur (inc x))))", "false"],
    ["(loop [x 0] (when-let [y (< x 3)] (recur (inc x))))", "nil"],
    ["(loop [x 0] (if (> x 3) x (-> x inc (recur))))", "4"],
    ["(loop [[a & r] [1 2 3] n 0] (if a (recur r (+ n a)) n))", "6"],
    ...["[(recur 1)]", "(return (recur 1))", '(task "a" (recur 1))', "(for [y [1]] (recur 1))", "(inc (recur 1))"].map(
      (body): [string, string] => [`(loop [x 0] ${body})`, "!! invalid_form"],
    ),
    ["(recur 1)", "!! invalid_form"],
    ["(loop [x (recur 1)] x)", "!! invalid_form"],
  ]));

describe("for and doseq", () =>
  table([
    ["(for [x [1 2 3] y [1 2 3] :while (< y x)] [x y])", "[[2 1] [3 1] [3 2]]"],
    ["(for [x [1 2 3] :let [[a b] [x x]] :when (> a 1)] b)", "[2 3]"],
    ['(for [[k v] {:a 1} c "xy"] [k v c])', '[[:a 1 "x"] [:a 1 "y"]]'],
    ["(for [x nil] x)", "[]"],
    ["(count (for [x (range 3000)] x))", "3000"],
    ["(for [] 1)", "!! invalid_form"],
    ["(for [x 1.5] x)", "!! invalid_arity"],
    ["(for [x :k] x)", "!! invalid_arity"],
    ["(let [k :k] (doseq [x k] x))", "!! type_error"],
    ["(for [x [1] :let 5] x)", "!! invalid_form"],
    ["(for [x [1] :let [a]] x)", "!! invalid_form"],
    ["(for [1 [2]] 3)", "!! unsupported_pattern"],
  ]));

describe("threading inserts, then reads the form", () =>
  table([
    ["(-> 5)", "5"],
    ["(->)", "!! invalid_thread_form"],
    ["(-> {:a 1} :a)", "1"],
    ["(-> :a {:a 1})", "1"],
    ["(-> 5 #(+ % 1))", "6"],
    ["(->> [1 2] (pmap inc))", "[2 3]"],
    ["(-> {:a 1} (tool/echo))", '{"a" 1}'],
    ["(-> {:a 1} tool/echo)", '{"a" 1}'],
    ["(-> true (if 1 2))", "1"],
    ["((-> :k (where = 1)) {:k 1})", "true"],
    ["(->> 5 (let [x 1]))", "5"],
    ["(->> [1 5 3] (apply max))", "5"],
    ["(-> 5 ())", "!! invalid_form"],
    ['(-> 5 "x")', "!! not_callable"],
  ]));

describe("conditionals", () =>
  table([
    ["(if-let [x nil] x [:else x])", "[:else nil]"],
    ["(if-let [x 1] x)", "!! invalid_arity"],
    ["(if-let [[a] [1]] a 2)", "!! invalid_form"],
    ["(when-let [x 1 y 2] 3)", "!! invalid_form"],
    ["(cond :else 1 true 2)", "1"],
    ["(cond false 1 nil 2)", "nil"],
    ["(cond)", "!! invalid_cond_form"],
    ["(cond true 1 2)", "!! invalid_cond_form"],
    ["[(and) (or) (and 1 nil 2) (or nil false)]", "[true nil nil false]"],
    ['(if ##NaN (if 0 (if "" (if [] 1))))', "1"],
  ]));

describe("patterns", () =>
  table([
    ['(let [{x :a y "b" z c} {:a 1 "b" 2 :c 3}] [x y z])', "[1 2 3]"],
    ["(let [{[p q] :a {r :r} :b} {:a [1 2] :b {:r 3}}] [p q r])", "[1 2 3]"],
    ["(let [{:keys [a :b] :or {a 1 b 2}} {:a nil}] [a b])", "[nil 2]"],
    ["(let [{x :a :or {x -5.5} :as m} {}] [x m])", "[-5.5 {}]"],
    ["(let [[a & [b & c]] [1 2 3 4]] [a b c])", "[1 2 [3 4]]"],
    ["(let [[a & r] nil {:keys [b]} nil] [a r b])", "[nil [] nil]"],
    ["(let [{:as m} {}] m)", "!! unsupported_pattern"],
    ["(let [[a :as v] [1]] v)", "!! unsupported_pattern"],
    ["(let [{:strs [a]} {}] 1)", "!! unsupported_pattern"],
    ["(let [{a 5} {}] a)", "!! unsupported_pattern"],
    ["(let [(a) 2] 3)", "!! unsupported_pattern"],
    ["(let [{:keys [a] :or [a 1]} {}] a)", "!! invalid_form"],
    ["(let [{:keys a} {}] 1)", "!! invalid_form"],
    ["(let [[a & b c] [1]] 3)", "!! invalid_form"],
    ["(loop [& 1] 1)", "!! invalid_form"],
    ['(let [[a] "ab"] a)', "!! destructure_error"],
    ["(let [[a] #{1}] a)", "!! destructure_error"],
    ["(let [{:keys [a]} [1]] a)", "!! destructure_error"],
  ]));

describe("apply", () =>
  table([
    ["(apply +)", "!! invalid_arity"],
    ["(map apply [+])", "!! arity_error"],
    ["(apply vector {:a 1})", "[[:a 1]]"],
    ["(apply + 1 nil)", "!! type_error"],
    ['(apply str "ab")', "!! type_error"],
  ]));

describe("evaluation is from left to right, the operator first", () => {
  const note = (n: number | string) => `(do (println ${n}) ${n})`;
  test.each([
    `(${note("+")} ${note(1)} ${note(2)})`,
    `{${note(1)} ${note(2)} ${note(3)} ${note(4)}}`,
    `[${note(1)} #{${note(2)} ${note(3)}}]`,
    `(${note(1)} ${note(2)})`,
    `(+ ${note(1)} ${note('"two"')} ${note(3)})`,
  ])("%s", (source) => {
    const noted = [...source.matchAll(/println (\S+)\)/g)].map(([, n]) => n!.replaceAll('"', ""));
    expect(evaluate(source).prints.map((line) => line.replace("#<builtin>", "+"))).toEqual(noted);
  });
});
