import { ended, evaluate, told } from "../run";

/** Defaults in map patterns are expressions, as in Clojure: evaluated only for a key that is absent, names before them in sight. */
test.each([
  ["(let [{:keys [a b] :or {a 1 b (+ a 1)}} {}] [a b])", "[1 2]"],
  ["(let [{:keys [a b] :or {a 1 b (+ a 1)}} {:a 5}] [a b])", "[5 6]"],
  ["(let [{:keys [a] :or {a (/ 1 0)}} {:a nil}] a)", "nil"],
  ['(let [{a "x" :or {a [1 2]}} {}] a)', "[1 2]"],
  ["(let [k 3 {:keys [a] :or {a #(* k %)}} {}] (a 2))", "6"],
  ["((fn [{:keys [n] :or {n (count (range 4))}}] n) nil)", "4"],
  ["(defn f [{:keys [n] :or {n (inc m)}} m] n) (f {} 2)", "3"],
  ["(let [{:keys [a] :or {a (nowhere 1)}} {:a 1}] a)", "!! unbound_var"],
  ["(let [{:keys [a] :or [a 1]} {}] a)", "!! invalid_form"],
  ["(let [{:keys [a] :or {:a 1}} {}] a)", "!! invalid_form"],
])("%s gives %s", (program, text) => expect(evaluate(program).text).toBe(text));

test("a default's tool call happens only when the key is absent", () => {
  const calls: unknown[] = [];
  const program = "(map (fn [{:keys [a] :or {a (:n (tool/echo {:n 7}))}}] a) [{:a 1} {} {:a 2}])";
  const end = ended(program, {
    answers: (_, args) => {
      calls.push(args);
      return { ok: true, value: args };
    },
  });
  expect(told(end).text).toBe("[1 7 2]");
  expect(calls).toEqual([{ n: 7 }]);
});
