import { onFirstUse } from "../../base/on-first-use";
import { BUILTINS } from "../../lisp/builtins";
import { SPECIAL_FORMS } from "../../lisp/compile/special-forms";
import type { CardList } from "../../lisp/values/doc";

/**
 * The description of the language for models. Parts between `[[name` and `name]]` are for some agents only: `loop` with
 * several turns, `single` for one, `tools` when there are any, `journal` when journaling is on, `undo`
 * when the agent may undo. A test runs its claims.
 */
export type CardPart = "loop" | "single" | "tools" | "journal" | "undo";

/**
 * The language card with the given parts, the same text for the same parts.
 *
 * @param printed how many characters of a turn's output the model will see
 */
export function languageCard(parts: ReadonlySet<CardPart>, printed: number): string {
  return templateWithNames()
    .replace(/\[\[(\w+)\n([\s\S]*?)\n\1\]\]\n?/g, (_, name: CardPart, text: string) =>
      parts.has(name) ? `${text}\n` : "",
    )
    .replace("{{printed}}", String(printed))
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The template with its lists of names. Made once: every turn of every agent needs it, and it is always the same. */
const templateWithNames = onFirstUse(() =>
  TEMPLATE.replace(/\{\{(\w+)\}\}/g, (placeholder, name: "printed" | CardList) =>
    name === "printed" ? placeholder : cardList(name),
  ),
);

/** The names of a list, in the order that models have always seen. */
function cardList(list: CardList): string {
  return [...SPECIAL_FORMS.values(), ...BUILTINS.values()]
    .flatMap(({ name, doc }) => doc.card.filter((at) => at.list === list).map((at) => ({ name, ...at })))
    .sort((a, b) => a.place - b.place)
    .map(({ name, shown }) => shown ?? name)
    .join(" ");
}

/** The lists of names come from the entries of forms and builtins (`inCard`); the sentences around them are here. */
const TEMPLATE = `Write ONE program in PTC-Lisp, a small Clojure for short jobs, in exactly one fenced block tagged \`clojure\`. What stands
outside the block is not run; a second block is an error. A comment takes the rest of its line, brackets too: give it a separate line.

[[single
The value of the last expression is the answer. \`println\` and \`doseq\` give nil: do not end with them.
single]]

[[loop
## Turns

You work in turns. After a turn you are shown what \`println\` printed ({{printed}} characters in all) and the names you stored, no values. So look
first, print little, and decide in the next turn.

\`\`\`clojure
(def open (filter (where :state = "open") data/tickets))
(println (count open) (keys (first open)))
\`\`\`

- \`(def x v)\` keeps a value for later turns, \`defn\` a function; \`(defonce n 0)\` leaves n alone when it is there already.
- \`(return v)\` finishes with v, \`(fail {:reason :not_found :message "..."})\` gives up. The program stops there, wherever that is.
- Print or \`return\`, not both in one turn: who returns never sees the output.
- An error undoes the definitions of its turn, not those of turns before. Read its message and change the program.
- \`*1\` \`*2\` \`*3\` are the last results, cut short; \`def\` keeps them whole. \`(budget/remaining)\` gives what is left.
loop]]

## Data

- \`data/orders\` is the input called orders; it cannot be changed. Data from outside has text keys, and a keyword finds them: \`(:total order)\`.
[[tools
- A tool takes named arguments: \`(tool/get-user {:id 7})\` or \`(tool/get-user :id 7)\`; \`(tool/get-user 7)\` is an error. Without any: \`(tool/ping)\`.
- A failed tool ends the program. To continue, write \`(let [r (tool-try (tool/get-user {:id 7}))] (if (:error r) :none (:ok r)))\`: a failure is then \`{:error {:message "..." :code "..."}}\`.
- A tool is no value: pass \`#(tool/get-user {:id %})\` on, not \`tool/get-user\`.
- Calls that do not need each other: \`(pmap #(tool/get-user {:id %}) ids)\`, \`(pcalls #(tool/a {}) #(tool/b {}))\`. In there \`def\` is lost, \`return\` and \`fail\` are errors.
tools]]

## The language

\`\`\`clojure
(let [{:keys [sku qty] :or {qty 1}} line
      [x y & others] route]
  (cond (> qty 99) :bulk
        (= qty 0) :none
        :else [sku qty x others]))

(->> data/orders
     (filter (where :state = "paid"))
     (group-by :city)
     (map (fn [[city orders]] {:city city :sum (sum-by :amount orders)}))
     (sort-by :sum >)
     (take 5))

(reduce (fn [stock {:keys [sku qty]}] (update stock sku (fnil + 0) qty)) {} lines)

(for [n (range 5) side [:left :right] :when (even? n)] [n side])

(loop [n 6 product 1] (if (> n 1) (recur (dec n) (* n product)) product))
\`\`\`

- Special forms: \`{{forms}}\`. \`if-let\` must have its else.
- Predicates: \`(where :f)\`, \`(where :f op v)\`, \`(where [:a :b] op v)\` with op one of \`= not= > < >= <= in includes\`. Several are joined by \`all-of any-of none-of\`; \`and\` and \`or\` would just pick one of them.
- Aggregates: \`{{aggregates}}\`; the key comes first, as in \`(max-by :score xs)\`. \`sum avg sum-by avg-by min-by max-by\` pass over nil.
- Sequences: \`{{sequences}}\`. They give vectors; nil counts as empty.
- Maps: \`{{maps}}\`. In \`update-vals\` the map comes first.
- Numbers: \`{{numbers}}\`. Text: \`{{text}}\`. \`str\`, \`pr-str\` and the elements of \`join\` may be anything; the parsers give nil for what is no number; the others refuse nil.
- Regex: \`#"\\d+"\` with \`{{regex}}\`; \`(extract "id=(\\\\w+)" s)\` and \`(extract-int "n=(\\\\d+)" s)\` give group 1, or nil.
- Tests: \`{{tests}}\`; \`type\` gives \`:number :string :keyword ...\`. Pairs: \`{{pairs}}\`.
- Sets: \`{{sets}}\`. Functions: \`{{functions}}\`. Time: \`(System/currentTimeMillis)\`, \`(java.util.Date. "2031-05-04")\`, \`(.getTime d)\`, \`(LocalDate/parse "2031-05-04")\`.

## Where it is not Clojure

| instead of | write |
|---|---|
| \`(< 1 x 9)\` | \`(and (< 1 x) (< x 9))\` |
| \`(max xs)\` | \`(apply max xs)\` |
| \`(take (/ n 2) xs)\` | \`(take (quot n 2) xs)\`, for \`/\` gives a float, always |
| \`(take 80 s)\` for the start of a text | \`(subs s 0 80)\`; \`take\` gives a vector of characters |
| \`(sort-by :price xs >)\` | \`(sort-by :price > xs)\` |
| \`(-> xs (filter odd?))\` | \`(->> xs (filter odd?))\` |
| \`(includes? xs 3)\` | \`(contains? xs 3)\`: in a vector it looks for the element |
| \`(split s "\\\\s+")\` | \`(split s #"\\s+")\`; a text separates literally |
| \`(where :state "paid")\` | \`(where :state = "paid")\` |
| \`'(1 2)\`, \`(list 1 2)\`, \`(cons x xs)\` | \`[1 2]\`, \`(concat [x] xs)\` |
| \`(zipmap ks vs)\` | \`(into {} (map vector ks vs))\` |
| \`case condp as-> some-> comp partial format name keyword\` | \`cond\`, \`let\`, \`#()\`, \`str\` |
| atoms, \`try\`, \`repeat\`, \`(range)\`, \`rand\`, \`#_\`, \`@x\`, \`:a/b\` | nothing: \`reduce\`, \`fail\` and finite ranges do it |

- \`loop\` and \`recur\` go round 1000 times at most; \`for\`, \`map\`, \`filter\` and \`reduce\` have no such limit.
- \`(def count 3)\` is an error, as is \`def\` of any builtin's name. \`#()\` inside \`#()\` is an error.
- A name must be defined when it is reached: \`def\` outside of conditions, functions before they are called. A name that no line defines is refused before the program starts; only \`(or my-var 0)\` may ask for one.
- Keys that begin with \`_\` can be used, but are not printed.

[[journal
## Journal

- \`(task "fetch-user-7" (tool/get-user {:id 7}))\` does its work once and records the result under the id: from then on, in this turn and later ones, it gives what is recorded. What fails is not recorded. Name the effect and what it is done to; for other arguments take another id.
- \`(step-done "2" "12 invoices checked")\` marks a step of the plan as done. It shows in the next turn, and is dropped if this turn fails. \`(task-reset "fetch-user-7")\` forgets a record.
- \`step-done\` and \`task-reset\` stand at top level, not in functions given to \`map\`, \`pmap\`, \`pcalls\`.
journal]]
[[undo
- \`(undo "book-hotel-7")\` takes back what the tools did in that task, forgets its record, and gives the number of calls. It is an error if one of them cannot be taken back.
undo]]`;
