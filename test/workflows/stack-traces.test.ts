import { compiledOnce, stackLines } from "../../src/workflows/sdk/promise-stacks";
import { until } from "../support/until";
import { useOrders } from "./task/orders";

/** What the SDK keeps of each promise of a workflow. */
const orders = useOrders();

test("the stack trace of a waiting task says where it waits, in at most four lines each", async () => {
  const handle = await orders.start({ shop: undefined });
  await until(async () => (await handle.show()).status === "PENDING", "the task waits");
  const trace = await handle.workflow.query<string>("__stack_trace");
  expect(trace).toMatch(
    /TaskWorkflow\.waitUntil.*\n.*TaskWorkflow\.perform.*\n.*TaskWorkflow\.stay.*\n.*TaskWorkflow\.run/,
  );
  for (const stack of trace.split("\n\n")) expect(stack.split("\n").length).toBeLessThanOrEqual(4);
});

test("the same places come as data", async () => {
  const handle = await orders.start({ shop: undefined });
  await until(async () => (await handle.show()).status === "PENDING", "the task waits");
  const { stacks } = await handle.workflow.query<{ stacks: { locations: object[] }[] }>("__enhanced_stack_trace");
  const waits = stacks.map(({ locations }) => locations[0]).find((place) => /waitUntil/.test(JSON.stringify(place)));
  expect(waits).toEqual({
    function_name: expect.stringMatching(/TaskWorkflow.waitUntil/),
    file_path: expect.stringMatching(/\.js$/),
    line: expect.any(Number),
    column: expect.any(Number),
    internal_code: false,
  });
});

const HOOK = [
  "[object Object]",
  "    at init (/sdk/vm-shared.js:259:40)",
  "    at initAll (node:internal/promise_hooks:29:5)",
];

test.each([
  ["of code", ["    at TaskWorkflow.run (/nav/task.js:1:2)"], ["    at TaskWorkflow.run (/nav/task.js:1:2)"]],
  [
    "of one that Promise.race makes for itself",
    ["    at Promise.then (<anonymous>)", "    at Function.race (<anonymous>)", "    at wait (/nav/a.js:1:2)"],
    ["    at Function.race (<anonymous>)", "    at wait (/nav/a.js:1:2)"],
  ],
  [
    "up to what calls the workflow",
    [
      "    at wait (/nav/a.js:1:2)",
      "    at Activator.startWorkflowNextHandler (/x/workflow/lib/internals.js:3:4)",
      "    at Script.runInContext (node:vm:148:12)",
    ],
    ["    at wait (/nav/a.js:1:2)"],
  ],
  ["without the second line of hooks", ["    at Script.runInContext (node:vm:148:12)"], []],
])("the lines %s", (_, lines, left) => {
  expect(stackLines([...HOOK, ...lines].join("\n"))).toEqual(left);
  expect(stackLines([...HOOK.slice(0, 2), ...lines].join("\n"))).toEqual(left);
});

test("a text is compiled once, and another text anew", () => {
  const texts: string[] = [];
  const compile = compiledOnce((text) => {
    texts.push(text);
    return () => text;
  });
  expect(compile("return 1")).toBe(compile("return 1"));
  expect((compile("return 2") as () => string)()).toBe("return 2");
  expect(texts).toEqual(["return 1", "return 2"]);
});
