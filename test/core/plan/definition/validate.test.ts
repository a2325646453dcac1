import { sanitisePlan } from "../../../../src/core/plan/definition/sanitise";
import { validatePlan } from "../../../../src/core/plan/definition/validate";
import { planOf, tasks } from "../plans";

const direct = (input: unknown) => tasks({ id: "a", agent: "direct", input });
const checked = (verification: string) => tasks({ id: "a", verification });

test.each([
  ["empty_plan", null, "no tasks", tasks()],
  ["duplicate_id", "a", '"a"', tasks({ id: "a" }, { id: "a" })],
  ["missing_dependency", "a", '"nowhere"', tasks({ id: "a", after: "nowhere" })],
  ["missing_agent", "a", '"ghost"', tasks({ id: "a", agent: "ghost" })],
  [
    "cycle_detected",
    "a",
    "a -> b -> c -> a",
    tasks({ id: "a", after: "b" }, { id: "b", after: "c" }, { id: "c", after: "a" }),
  ],
  [
    "cycle_detected",
    "b",
    "b -> c -> b",
    tasks({ id: "a", after: "b" }, { id: "b", after: "c" }, { id: "c", after: "b" }),
  ],
  ["cycle_detected", "a", "a -> a", tasks({ id: "a", after: "a" })],
  ["invalid_direct_input", "a", "closed", direct("(+ 1 2")],
  ["invalid_direct_input", "a", "undefined_name", direct("(undefined_name 1)")],
  ["invalid_direct_input", "a", "result", direct("(+ 1 result)")],
  ["invalid_direct_input", "a", "if", direct("(if)")],
  ["invalid_direct_input", "a", "empty", direct("  ")],
  ["invalid_direct_input", "a", "not a text", direct({ x: 1 })],
  ["invalid_verification", "a", "result", checked("(> result 0)")],
  ["invalid_verification", "a", "line 2, column 3", checked("(and true\n (nonsense))")],
])("%s of %s names %s", (category, task_id, text, plan) => {
  const issues = validatePlan(plan).filter((issue) => issue.category === category);
  expect(issues).toMatchObject([{ severity: "error", task_id }]);
  expect(issues[0]?.message).toContain(text);
});

test("all issues are reported, not only the first", () => {
  const plan = tasks(
    { id: "a", agent: "x", after: ["b", "n"], verification: "(" },
    { id: "b", after: "a" },
    { id: "b" },
  );
  expect(
    validatePlan(plan)
      .map(({ category }) => category)
      .sort(),
  ).toEqual(["cycle_detected", "duplicate_id", "invalid_verification", "missing_agent", "missing_dependency"].sort());
});

test.each([
  ["an agent of the plan", planOf({ agents: { x: "p" }, tasks: [{ id: "a", agent: "x" }] })],
  ["the two agents that need no entry", tasks({ id: "a" }, { id: "b", agent: "direct", input: "1" })],
  [
    "names of data and builtins",
    checked('(let [n (get data/result "n")] (and (> n (count data/depends)) data/input))'),
  ],
  ["a signature that cannot be read", tasks({ id: "a", signature: "{{" })],
  ["a long chain", tasks(...Array.from({ length: 5000 }, (_, i) => ({ id: `t${i}`, after: i ? `t${i - 1}` : [] })))],
])("%s is not an issue", (_, plan) => expect(validatePlan(plan)).toEqual([]));

test("sanitising removes unreadable parts, with a warning", () => {
  const plan = tasks(
    { id: "a", signature: "{{", verification: "(" },
    { id: "b", signature: ":int", verification: "true" },
  );
  const { plan: left, warnings } = sanitisePlan(plan);
  expect(left.tasks).toMatchObject([
    { signature: null, verification: null },
    { signature: ":int", verification: "true" },
  ]);
  expect(warnings.map(({ severity, category, task_id }) => [severity, category, task_id])).toEqual([
    ["warning", "invalid_verification", "a"],
    ["warning", "invalid_signature", "a"],
  ]);
});
