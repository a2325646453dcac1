import { condition, defineSignal, setHandler } from "@temporalio/workflow";

/** Somebody's own workflow, before its code is changed. */
export async function waits(): Promise<void> {
  let isOver = false;
  setHandler(defineSignal("end"), () => {
    isOver = true;
  });
  await condition(() => isOver, "1 day");
}
