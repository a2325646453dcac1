/** What people are told of the special forms; programs never see it. */
export interface FormDoc {
  usage: string[];
  text: string;
}

const doc = (usage: string | string[], text: string): FormDoc => ({ usage: [usage].flat(), text });

export const SPECIAL_FORM_DOCS: Readonly<Record<string, FormDoc>> = {
  def: doc(["(def name value)", '(def name "doc" value)'], "Keeps a value under a name, for later turns too."),
  defonce: doc("(defonce name value)", "def, unless the name is there already: then value is not even evaluated."),
  defn: doc(["(defn name [params] body)", '(defn name "doc" [params] body)'], "Keeps a function under a name."),
  fn: doc(["(fn [params] body)", "(fn [a & rest] body)"], "A function. Short form: #(+ % %2)."),
  let: doc("(let [pattern value ...] body)", "Names for values in the body; patterns take vectors and maps apart."),
  do: doc("(do form ...)", "The forms one after the other; the value of the last."),
  if: doc(["(if test then)", "(if test then else)"], "then unless test is nil or false; else, or nil."),
  "if-not": doc(["(if-not test then)", "(if-not test then else)"], "if, the other way round."),
  when: doc("(when test body)", "The body unless test is nil or false; else nil."),
  "when-not": doc("(when-not test body)", "when, the other way round."),
  "if-let": doc("(if-let [name value] then else)", "if over a value that gets a name; else is required."),
  "when-let": doc("(when-let [name value] body)", "when over a value that gets a name."),
  cond: doc("(cond test value ... :else value)", "The value behind the first test that is true; nil if none is."),
  and: doc("(and x ...)", "The first value that is nil or false, else the last."),
  or: doc(
    "(or x ...)",
    "The first value that is neither nil nor false, else the last. A name without a value counts as nil.",
  ),
  "->": doc("(-> x step ...)", "The value through the steps, as first argument of each."),
  "->>": doc("(->> x step ...)", "The value through the steps, as last argument of each."),
  loop: doc("(loop [pattern value ...] body)", "A body that recur starts again with new values."),
  recur: doc("(recur value ...)", "Starts the innermost loop or function again; in tail position only."),
  for: doc(
    "(for [pattern coll :when test :let [...] ...] body)",
    "A vector of the body for each element; also :while.",
  ),
  doseq: doc("(doseq [pattern coll ...] body)", "for without a result: gives nil."),
  where: doc(["(where key)", "(where key op value)"], "A test of maps; op is one of = not= > < >= <= in includes."),
  "all-of": doc("(all-of test ...)", "A test that holds when all hold."),
  "any-of": doc("(any-of test ...)", "A test that holds when one holds."),
  "none-of": doc("(none-of test ...)", "A test that holds when none holds."),
  juxt: doc("(juxt f ...)", "A function that gives the vector of what all of them give."),
  pmap: doc("(pmap f coll)", "map, with the elements side by side."),
  pcalls: doc("(pcalls f ...)", "The results of functions without arguments, called side by side."),
  return: doc("(return value)", "Ends the mission with a value, from any depth."),
  fail: doc("(fail value)", "Ends the mission as failed, from any depth."),
  task: doc(
    '(task "id" form)',
    "Runs the form once in the life of the mission, and gives what was recorded from then on.",
  ),
  "task-reset": doc('(task-reset "id")', "Forgets the record of a task."),
  "step-done": doc('(step-done "id" "summary")', "Ticks a step of the plan."),
};
