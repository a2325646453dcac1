import { condition, defineSignal, setHandler, sleep } from "@temporalio/workflow";

/** The same after a change that runs which wait cannot replay. */
export async function waits(): Promise<void> {
  let isOver = false;
  setHandler(defineSignal("end"), () => {
    isOver = true;
  });
  await sleep("1 hour");
  await condition(() => isOver, "1 day");
}
