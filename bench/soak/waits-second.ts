import { condition, defineSignal, setHandler } from "@temporalio/workflow";

/** The same after a change that runs which wait cannot replay: there is no timer any more. */
export async function waits(): Promise<void> {
  let isOver = false;
  setHandler(defineSignal("end"), () => {
    isOver = true;
  });
  await condition(() => isOver);
}
