/** What is evaluated on every side. The other Lisp is given the very text that ours is given. */
export interface LispProgram {
  name: string;
  lisp: string;
  /** The same in plain JavaScript, a text too: every side reads, prepares and runs it each time. */
  javascript: string;
  /** What all of them must give. */
  value: number;
  /** ms listed for the language's original on its own runtime. Measured elsewhere, by others. */
  listed_ms?: number;
  /** Evaluations for one measurement. */
  times: number;
}

const JS_RANGE = "Array.from({ length: 100000 }, (_, i) => i)";

const fib = (n: number, value: number, listed_ms: number): LispProgram => ({
  name: `recursive fib ${n}`,
  lisp: `(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib ${n})`,
  javascript: `{ const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); fib(${n}); }`,
  value,
  listed_ms,
  times: 10,
});

export const LISP_PROGRAMS: LispProgram[] = [
  { name: "(+ 1 2)", lisp: "(+ 1 2)", javascript: "1 + 2", value: 3, listed_ms: 0.042, times: 2000 },
  {
    name: "(reduce + (range 100000))",
    lisp: "(reduce + (range 100000))",
    javascript: `${JS_RANGE}.reduce((a, x) => a + x)`,
    value: 4999950000,
    listed_ms: 9.4,
    times: 10,
  },
  {
    name: "filter even?, map square, reduce +",
    lisp: "(->> (range 100000) (filter even?) (map #(* % %)) (reduce +))",
    javascript: `${JS_RANGE}.filter((x) => x % 2 === 0).map((x) => x * x).reduce((a, x) => a + x)`,
    value: 166661666700000,
    listed_ms: 71,
    times: 10,
  },
  {
    name: "sum of squares by reduce and fn",
    lisp: "(reduce (fn [a x] (+ a (* x x))) 0 (range 100000))",
    javascript: `${JS_RANGE}.reduce((a, x) => a + x * x, 0)`,
    value: 333328333350000,
    listed_ms: 143,
    times: 10,
  },
  fib(20, 6765, 45),
  fib(22, 17711, 117),
  {
    name: "filter, map, sort, group of 100,000",
    lisp: `(->> (range 100000)
                (filter odd?)
                (map (fn [x] (mod (* 7919 x) 100003)))
                (sort)
                (group-by (fn [x] (mod x 1000)))
                (count))`,
    javascript: `{
      const groups = new Map();
      const rows = ${JS_RANGE}.filter((x) => x % 2 !== 0).map((x) => (7919 * x) % 100003).sort((a, b) => a - b);
      for (const x of rows) {
        const group = groups.get(x % 1000);
        if (group === undefined) groups.set(x % 1000, [x]);
        else group.push(x);
      }
      groups.size;
    }`,
    value: 1000,
    times: 5,
  },
  {
    name: "a text of 100,000 parts",
    lisp: '(count (clojure.string/join "," (map (fn [i] (str "item-" i)) (range 100000))))',
    javascript: `${JS_RANGE}.map((i) => "item-" + i).join(",").length`,
    value: 1088889,
    times: 5,
  },
];
