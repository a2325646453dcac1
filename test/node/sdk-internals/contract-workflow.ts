import { condition, defineQuery, setHandler } from "@temporalio/workflow";
import { setDetailsWhenAsked } from "../../../src/workflows/sdk/details-when-asked";
import { nextRound } from "../../../src/workflows/sdk/next-round";

/** The workflow that contract.test.ts runs in a thread of the SDK: it waits, and its queries report what the SDK did. */
export async function contract(): Promise<void> {
  const order: string[] = [];
  setHandler(defineQuery<string[]>("order"), () => order);
  setHandler(defineQuery<number>("stacks"), () => activator().promiseStackStore.promiseToStack.size);
  setDetailsWhenAsked(() => "drawn");
  await null;
  void (async () => {
    for (let step = 0; step < 100; step++) await null;
    order.push("everything else");
  })();
  await nextRound();
  order.push("next round");
  await condition(() => false);
}

const activator = () =>
  (
    globalThis as unknown as {
      __TEMPORAL_ACTIVATOR__: { promiseStackStore: { promiseToStack: Map<unknown, unknown> } };
    }
  ).__TEMPORAL_ACTIVATOR__;
