import { compiledOnce, WITHOUT_STACKS } from "../../src/node/sdk-internals/promise-stacks";
import { openRig } from "../support/rig";
import { until } from "../support/until";
import { openShop, SCRIPT, startOrder } from "./task/order-graph";

/** What the SDK keeps of each promise of a workflow. */

test("a worker keeps no stacks; one that does has those of runs that wait already, of at most four lines each", async () => {
  const shop = openShop();
  const rig = await openRig({ tools: shop.tools, script: SCRIPT });
  try {
    const handle = await startOrder(rig.client, { shop: undefined });
    await until(async () => (await handle.show()).status === "PENDING", "the task waits");
    expect(await handle.workflow.query("__stack_trace")).toBe(WITHOUT_STACKS);
    expect(await handle.workflow.query("__enhanced_stack_trace")).toMatchObject({ stacks: [{ locations: [] }] });
    await rig.stopWorker();
    await rig.startWorker({ promiseStacks: true });
    const trace = await handle.workflow.query<string>("__stack_trace");
    expect(trace).toMatch(
      /TaskWorkflow\.waitUntil.*\n.*TaskWorkflow\.perform.*\n.*TaskWorkflow\.stay.*\n.*TaskWorkflow\.run/,
    );
    for (const stack of trace.split("\n\n")) expect(stack.split("\n").length).toBeLessThanOrEqual(4);
    await handle.cancel();
  } finally {
    await rig.stop();
  }
});

test("a text is compiled once, another text anew, and a text that is known not at all", () => {
  const texts: string[] = [];
  const known = () => "known";
  const compile = compiledOnce(
    (text) => {
      texts.push(text);
      return () => text;
    },
    [["return 0", known]],
  );
  expect(compile("return 1")).toBe(compile("return 1"));
  expect((compile("return 2") as () => string)()).toBe("return 2");
  expect(compile("return 0")).toBe(known);
  expect(texts).toEqual(["return 1", "return 2"]);
});
