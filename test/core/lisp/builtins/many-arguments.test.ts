import { evaluate } from "../run";

/** A host function takes about 100,000 arguments before its stack overflows. */
const MANY = "(range 300000)";
const ROWS = `(map (fn [x] [x]) ${MANY})`;

test.each([
  [`(apply :k ${MANY})`, "!! invalid_keyword_call"],
  [`(apply {} ${MANY})`, "!! invalid_map_call"],
  [`(apply #{1} ${MANY})`, "!! arity_error"],
  [`(count (first (apply map vector ${ROWS})))`, "300000"],
  [`(apply map (fn [a] a) ${ROWS})`, "!! arity_mismatch"],
  [`(apply update {:a 1} :a + ${MANY})`, "{:a 44999850001}"],
  [`(apply update-in {:a 1} [:a] + ${MANY})`, "{:a 44999850001}"],
  [`(count (apply interleave ${ROWS}))`, "300000"],
  [`(apply max ${MANY})`, "299999"],
  [`(apply (fn [& xs] (count xs)) ${MANY})`, "300000"],
])("%s gives %s", (source, text) => expect(evaluate(source).text).toBe(text));
