import { fingerprintOf } from "../../../../src/core/plan/definition/fingerprint";
import { planOf } from "../plans";

const base = (more: object = {}, agent: object = {}) => ({
  agents: { a: { prompt: "You look.", tools: ["search", "stock"], ...agent } },
  tasks: [
    {
      id: "one",
      agent: "a",
      input: "Look for lamps.",
      signature: "{n :int}",
      verification: '(> (get data/result "n") 0)',
      ...more,
    },
    { id: "two", agent: "direct", input: '(get-in data/results ["one" "n"])', depends_on: ["one"] },
    { id: "three", input: "Say {{results.two}}", depends_on: ["two", "one"] },
  ],
});
const print = (raw: unknown, completed = {}) => fingerprintOf(planOf(raw), completed);
const same = print(base());

const renamed = {
  workers: { seeker: { role: "Find things, please.", capabilities: ["stock", "search"] } },
  steps: [
    { name: "c", query: "say  {{ results.b }}.", requires: ["a", "b"] },
    { name: "b", worker: "direct", action: '(get-in\n data/results ["a"   "n"]) ; the number', after: "a" },
    {
      name: "a",
      worker: "seeker",
      query: "look for LAMPS",
      output_signature: "{ n   :int }",
      verification: '(>  (get data/result "n")  0)',
    },
  ],
};

describe("a plan does the same", () => {
  test.each([
    ["with other names, words, order and layout", renamed],
    ["with another prompt for its agent", base({}, { prompt: "Look well!" })],
    ["with a limit of retries that are never made", base({ max_retries: 9 })],
    ["with the same dependency twice", base({ depends_on: [] })],
  ])("%s", (_, raw) => expect(print(raw)).toBe(same));
});

describe("a plan does something else", () => {
  test.each([
    ["another input", base({ input: "Look for chairs." })],
    ["another tool", base({}, { tools: ["search"] })],
    ["another signature", base({ signature: "{n :float}" })],
    ["another predicate", base({ verification: '(> (get data/result "n") 1)' })],
    ["no predicate", base({ verification: null })],
    ["another type", base({ type: "gate" })],
    ["another output", base({ output: "text" })],
    ["another ending for a failure", base({ on_failure: "skip" })],
    ["retries", base({ on_failure: "retry", max_retries: 2 })],
    ["a quality gate", base({ quality_gate: true })],
    ["a task more", { ...base(), tasks: [...base().tasks, { id: "four", input: "More" }] }],
    ["a task less", { ...base(), tasks: base().tasks.slice(0, 2) }],
    [
      "another dependency",
      { ...base(), tasks: base().tasks.map((task) => (task.id === "three" ? { ...task, depends_on: ["two"] } : task)) },
    ],
  ])("%s", (_, raw) => expect(print(raw)).not.toBe(same));
});

test("a finished task is not repeated: only its id counts", () => {
  const changed = base({ input: "Anything else" });
  expect(print(changed, { one: { n: 1 } })).toBe(print(base(), { one: { n: 1 } }));
  expect(print(base(), { one: { n: 1 } })).not.toBe(same);
  const dropped = { ...base(), tasks: base().tasks.slice(1) };
  expect(print(dropped, { one: { n: 1 } })).toBe(print(base(), { one: { n: 1 } }));
});
