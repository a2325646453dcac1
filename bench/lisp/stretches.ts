/** Programs that keep a workflow task busy for as long as their limits let them: each ends by one, or is near to it. */
export interface Stretch {
  name: string;
  lisp: string;
}

const repeated = (part: string, doublings: number) => `(reduce (fn [s _] (str s s)) "${part}" (range ${doublings}))`;
const often = (body: string) => `(reduce (fn [_ x] ${body} nil) nil (range 1000000))`;
const withMaps = (body: string) =>
  `(let [m (into {} (map vector (range 50000) (range 50000))) n (into {} (map vector (range 50000) (range 50000)))] ${often(body)})`;
const withSets = (body: string) => `(let [a (set (range 50000)) b (set (range 25000 75000))] ${often(body)})`;
const withFloats = (body: string) => `(let [v (map (fn [i] (/ i 3)) (range 100000))] ${often(body)})`;
const withTexts = (body: string) =>
  `(let [v (map (fn [i] (str "item" (mod (* i 7919) 100003))) (range 100000))] ${often(body)})`;
const withLarge = (body: string) => `(let [n (reduce (fn [a _] (* a a)) 7 (range 13))] ${often(body)})`;

export const STRETCHES: Stretch[] = [
  { name: "nothing but calls", lisp: "(defn f [x] (if (> x 0) (f (- x 1)) 0)) (map (fn [_] (f 9000)) (range 1000))" },
  { name: "adding members to a set", lisp: "(reduce conj #{} (range 1000000))" },
  { name: "adding entries to a map", lisp: "(reduce (fn [m i] (assoc m (str i) i)) {} (range 1000000))" },
  { name: "sets of maps", lisp: `(let [v (map (fn [i] {:a i :b i}) (range 100000))] ${often("(set v)")})` },
  { name: "set union", lisp: withSets("(union a b)") },
  { name: "set intersection", lisp: withSets("(intersection a b)") },
  { name: "equality of maps", lisp: withMaps("(= m n)") },
  { name: "merging maps", lisp: withMaps("(merge m n)") },
  { name: "keys in order", lisp: withMaps("(keys (assoc m :x x))") },
  { name: "printing a map", lisp: withMaps("(pr-str m)") },
  { name: "printing floats", lisp: withFloats("(pr-str v)") },
  { name: "joining floats", lisp: withFloats("(join v)") },
  { name: "frequencies of floats", lisp: withFloats("(frequencies v)") },
  { name: "sorting texts", lisp: withTexts("(sort v)") },
  { name: "sorting by a function", lisp: `(let [v (range 50000)] ${often("(sort (fn [a b] (> a b)) v)")})` },
  { name: "group-by", lisp: `(let [v (range 100000)] ${often("(group-by (fn [x] (mod x 1000)) v)")})` },
  { name: "partition, step 1", lisp: `(let [v (range 100000)] ${often("(partition 10 1 v)")})` },
  { name: "flatten", lisp: `(let [v (map (fn [i] [i [i [i]]]) (range 50000))] ${often("(flatten v)")})` },
  { name: "combinations", lisp: "(combinations (range 40) 20)" },
  {
    name: "destructuring",
    lisp: "(map (fn [{:keys [a b c d e f g h i]}] a) (map (fn [i] {:a i :i i}) (range 200000)))",
  },
  { name: "(apply str (range 1000000))", lisp: "(apply str (range 1000000))" },
  { name: "capitals of rare letters", lisp: `(let [s ${repeated("ßŋaé字", 18)}] ${often("(upcase s)")})` },
  { name: "characters with marks", lisp: `(let [s ${repeated("e\u0301", 18)}] ${often("(subs s 5 6)")})` },
  { name: "searching repetitions", lisp: `(let [s ${repeated("aaaaaaaaaa", 17)}] ${often('(includes? s "aaaaab")')})` },
  { name: "replacing characters", lisp: `(let [s ${repeated("aaaaaaaaaa", 16)}] ${often('(replace s "a" "")')})` },
  { name: "re-seq", lisp: `(let [s ${repeated("abcdefghij", 11)}] ${often('(re-seq #"(?:[a-j]|x)+?" s)')})` },
  { name: "compiling patterns", lisp: often('(re-pattern "(?:(?=(?:(?=a{900})){900})){90}")') },
  { name: "doubling a text", lisp: repeated("abcdefghij", 40) },
  { name: "squaring an integer", lisp: "(reduce (fn [a _] (* a a)) 3 (range 30))" },
  { name: "dividing large integers", lisp: withLarge("(rem n 1234567891234567)") },
  { name: "digits of large integers", lisp: withLarge("(str n)") },
  { name: "10,000 parallel branches", lisp: "(pmap (fn [x] (inc x)) (range 10000))" },
];
