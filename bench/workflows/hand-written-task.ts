import { condition, defineUpdate, setHandler } from "@temporalio/workflow";

const move = defineUpdate<{ step: string; moves: number }, [string]>("move");

/** The least that can be advanced durably: two steps, one validated update, no records, no lists. */
export async function handWrittenTask(): Promise<void> {
  let step = "one";
  let moves = 0;
  setHandler(
    move,
    () => {
      step = step === "one" ? "two" : "one";
      moves += 1;
      return { step, moves };
    },
    {
      validator: (result) => {
        if (result !== "passed") throw new Error(`"${result}" leads nowhere.`);
      },
    },
  );
  await condition(() => false);
}
