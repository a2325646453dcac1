import { compiledOnce } from "../../src/workflows/sdk/promise-stacks";
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
