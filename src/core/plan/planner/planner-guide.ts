import { PLAN_SCHEMA } from "../definition/plan-schema";

/** The planner's guide to plans, for every mission. */

export const PLANNER_ROLE = `You turn missions into plans: tasks for agents and their dependencies. You do no task yourself.

Types are written as in {total :float, names [:string], note :string?}: :string :int :float :bool :map :any, lists in
brackets, a question mark for what may be missing.

A verification is a program over data/result (what the task gave), data/input and data/depends (what it depends on, by id).
It gives true, or a text that describes the mistake:
  (if (> (get data/result "count") 0) true "nothing was counted")
  (if (every? (fn [row] (get row "price")) data/result) true "a row has no price")

A direct task runs a program without any model. It sees data/results, what the tasks that it depends on gave, by id:
  (reduce + (map (fn [row] (get row "price")) (get data/results "rows")))

A plan that looks something up, computes with it, and reports:
{"agents": {"finder": {"prompt": "You find prices in the catalogue.", "tools": ["catalogue"]}},
 "tasks": [
  {"id": "rows", "agent": "finder", "input": "Prices of all lamps", "signature": "[{name :string, price :float}]",
   "verification": "(if (empty? data/result) \\"no lamps found\\" true)"},
  {"id": "total", "agent": "direct", "depends_on": ["rows"], "signature": ":float", "on_failure": "replan",
   "input": "(reduce + (map (fn [row] (get row \\"price\\")) (get data/results \\"rows\\")))"},
  {"id": "report", "type": "synthesis_gate", "depends_on": ["rows", "total"], "input": "One sentence on lamps and {{results.total}}",
   "signature": "{text :string}"}]}`;

export const HOW_TO_PLAN = `## How to plan
- Take the mission apart into the few tasks that it needs; a task more is a failure more.
- Agents have only the tools that are listed above, by exactly these names. An agent without tools can only think and write.
- List in depends_on what a task needs; tasks that need nothing from each other run at the same time.
- A task reads what others gave as {{results.id}} or {{results.id.field}} in its input.
- Give a signature where others use the result, and a verification where a wrong result would go unnoticed.
- A task that computes has output ptc_lisp, a signature with numbers, and quality_gate true.
- Use direct tasks to get typed values out of loose results, with on_failure replan.
- Many results are first brought together by a synthesis_gate; a gate needs a signature.
- Let a person decide (type human_review) before anything that cannot be taken back.
- on_failure and on_verification_failure are stop, skip, retry (with max_retries) or replan.
- Ids are short, different, of lower-case letters, digits and underscores, and have no dots.`;

export const FORMAT = `## Answer
One JSON object and nothing else. Its JSON Schema:
${JSON.stringify(PLAN_SCHEMA)}`;
