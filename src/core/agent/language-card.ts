/**
 * What a model must be told to write correct programs. Parts between `[[name` and `name]]` are for some agents
 * only: `loop` with several turns, `single` for one, `tools` when there are any, `journal` when journaling is on.
 */
export type CardPart = "loop" | "single" | "tools" | "journal";

/** The language card with the given parts, the same text for the same parts. */
export function languageCard(parts: ReadonlySet<CardPart>): string {
  return CARD.replace(/\[\[(\w+)\n([\s\S]*?)\n\1\]\]\n?/g, (_, name: CardPart, text: string) =>
    parts.has(name) ? `${text}\n` : "",
  )
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const CARD = `You answer by writing ONE program in PTC-Lisp, a small, safe subset of Clojure. Put it in exactly one fenced block tagged \`clojure\`. Text outside the block
is ignored; two blocks are an error. Put comments on lines of their own.

[[single
The value of the last expression is your answer. Do not end with \`println\` or \`doseq\`: they give nil.
single]]

[[loop
You work in turns. After each turn you see only what you printed with \`println\` (about 500 characters in total) and the names you stored. A value you did not
print stays invisible. So: first turn gather and print a little, next turn decide.

\`\`\`clojure
(def tickets (tool/list-tickets {:state "open"}))
(println (count tickets) (keys (first tickets)))
\`\`\`

- \`(def x v)\` keeps x for later turns, functions too (\`defn\`). \`(defonce n 0)\` sets it only the first time.
- \`(return v)\` ends the work with v. \`(fail {:reason :not_found :message "..."})\` gives up. Both stop the program at once.
- Do not print and \`return\` in the same turn: you would answer before seeing the output.
- If a turn fails, its definitions are lost, earlier ones stay. Read the error, change the program.
- \`*1\` \`*2\` \`*3\` are earlier results, shortened; rely on \`def\` instead. \`(budget/remaining)\` tells what is left.
loop]]

## Data and tools

- \`data/orders\` is input named orders. It is read-only. Keys may be strings or keywords: \`(:total o)\` finds both.
[[tools
- Tools take named arguments only: \`(tool/get-user {:id 7})\` or \`(tool/get-user :id 7)\`, never \`(tool/get-user 7)\`. No arguments: \`(tool/ping)\`.
- Tools are not values: write \`#(tool/get-user {:id %})\`, not \`tool/get-user\`, and do not use a tool call as a \`->\` step.
- Many independent calls: \`(pmap #(tool/get-user {:id %}) ids)\`, or \`(pcalls #(tool/a {}) #(tool/b {}))\`. Inside them no \`def\`, \`println\`, \`return\`.
tools]]

## The language in short

\`\`\`clojure
(let [{:keys [name age] :or {age 0}} person
      [a b & more] xs]
  (cond (> age 65) :senior
        (>= age 18) :adult
        :else :minor))

(->> data/orders
     (filter (where :status = "paid"))
     (group-by :region)
     (map (fn [[region os]] {:region region :total (sum-by :amount os)}))
     (sort-by :total >)
     (take 3))

(reduce (fn [acc {:keys [sku qty]}] (update acc sku (fnil + 0) qty)) {} lines)

(for [x (range 1 4) y [:a :b] :when (odd? x)] [x y])

(loop [n 10 acc 1] (if (pos? n) (recur (dec n) (* acc n)) acc))
\`\`\`

- Special forms: \`def defonce defn fn #() let do if if-not if-let when when-not when-let cond and or -> ->> loop recur for doseq where all-of any-of none-of juxt pmap pcalls\`. \`if-let\` needs an else.
- Predicates: \`(where :f)\`, \`(where :f op v)\`, \`(where [:a :b] op v)\`, op one of \`= not= > < >= <= in includes\`; never without the op. Combine with \`all-of any-of none-of\`, not with \`and\`/\`or\`.
- Aggregates: \`sum avg sum-by avg-by min-by max-by distinct-by group-by frequencies count\`. They take the key first: \`(max-by :score xs)\`. nil fields are skipped.
- Sequences: \`map mapv filter remove find some every? not-any? mapcat map-indexed reduce sort sort-by reverse first second last nth rest butlast next take drop take-last drop-last take-while drop-while distinct concat conj into flatten partition partition-all interleave interpose zip combinations range seq vec set pluck tree-seq walk prewalk postwalk contains? empty? not-empty\`.
- Maps: \`get get-in assoc assoc-in update update-in update-vals dissoc merge select-keys keys vals entries\`. \`update-vals\` takes the map first.
- Numbers: \`+ - * / quot mod rem inc dec abs max min floor ceil round trunc sqrt pow int double compare\`. Text: \`str pr-str subs join split split-lines trim replace upper-case lower-case starts-with? ends-with? includes? index-of last-index-of parse-long parse-double\`.
- Regex: \`#"\\d+"\` with \`re-find re-matches re-seq re-split\`; \`(extract "id=(\\\\w+)" s)\` and \`(extract-int "n=(\\\\d+)" s)\` return group 1 or nil.
- Sets: \`union intersection difference\`. Functions: \`apply identity fnil juxt not\`. Time: \`(System/currentTimeMillis)\`, \`(java.util.Date. "2031-05-04")\`, \`(.getTime d)\`, \`(LocalDate/parse "2031-05-04")\`.

## Differences from Clojure that cost turns

| do not write | write |
|---|---|
| \`(< 1 x 9)\` | \`(and (< 1 x) (< x 9))\` |
| \`(max xs)\` | \`(apply max xs)\` |
| \`(take (/ n 2) xs)\` | \`(take (quot n 2) xs)\`: \`/\` always gives a float |
| \`(count x)\` when x may be nil | \`(count (or x []))\` |
| \`(take 80 text)\` | \`(subs text 0 80)\`: \`take\` on text gives single characters |
| \`(sort-by :price xs >)\` | \`(sort-by :price > xs)\` |
| \`(-> xs (filter odd?))\` | \`(->> xs (filter odd?))\` |
| \`(includes? xs 3)\` | \`(contains? xs 3)\`: on vectors it looks for the element |
| \`(split s "\\\\s+")\` | \`(split s #"\\s+")\`: text separators are literal |
| \`(map my-map ks)\` | \`(map #(get my-map %) ks)\` |
| \`(where :status "paid")\` | \`(where :status = "paid")\` |
| \`(when ok (def k 1)) k\` | define k outside conditions |
| \`'(1 2)\`, \`(list 1 2)\`, \`(cons x xs)\` | \`[1 2]\`, \`(concat [x] xs)\` |
| \`case condp as-> some-> comp partial format zipmap name keyword\` | not available: \`cond\`, \`let\`, \`#()\`, \`str\`, \`(into {} (map vector ks vs))\` |
| atoms, \`try\`, \`repeat\`, \`(range)\`, \`rand\`, \`#_\`, \`@x\`, \`:a/b\` | not available; use \`reduce\`, \`fail\`, finite ranges |

- A loop, \`for\` or \`doseq\` may run 1000 steps; use \`map\`, \`filter\`, \`reduce\` for more.
- Builtin names cannot be redefined: \`(def count 3)\` and \`(defn parse [s] ...)\` are errors. Nested \`#()\` is not allowed.
- Define functions before the functions that use them. Keep programs short.
- \`(or my-var 0)\` works when my-var was never defined; any other use of an unknown name is refused before the program starts.
- Keys beginning with \`_\` are not printed, but can be used.

[[journal
## Journal

- \`(task "fetch-user-7" (tool/get-user {:id 7}))\` remembers its result under the id: done once, later turns get the stored value. Failed tasks are not stored. Use ids that name the deed and its subject; for other arguments use another id.
- \`(step-done "2" "12 invoices checked")\` ticks a step of the plan, shown next turn, dropped if this turn fails. \`(task-reset "fetch-user-7")\` forgets a stored result.
- Call \`step-done\` and \`task-reset\` at top level, not inside \`map\`, \`pmap\`, \`pcalls\` or functions given to them.
journal]]`;
