import { z } from "zod";
import type { Model } from "../../../src/models";
import { defineTool } from "../../../src/tools";
import { agent } from "../rig";

/** What the tests of chat fronts talk to. */

/** Answers in two pieces: the second comes when the promise is done that `middle` gives. */
export const slowModel = (middle: () => Promise<unknown>): Model => ({
  complete: async (_, { onText }) => {
    onText?.("The first half, ");
    await middle();
    onText?.("and the second.");
    return { content: "The first half, and the second." };
  },
});

/** Needs an approval, and tells each sum that it pays. */
export const payTool = (paid: (cents: number) => void) =>
  defineTool({
    name: "pay",
    description: "Pays",
    input: z.object({ cents: z.number() }),
    output: z.object({ receipt: z.string() }),
    effect: "write",
    approval: true,
    run: ({ cents }) => {
      paid(cents);
      return { receipt: `r-${cents}` };
    },
  });

/** Agents that talk, that ask before they pay, that answer with a value, and that fail. */
export const CHAT_AGENTS = {
  flaky: agent({ name: "flaky", output: "text" }),
  slow: agent({ name: "slow", output: "text", model: "test/slow" }),
  payer: agent({ name: "payer", output: "text", tools: ["pay"], max_turns: 4 }),
  adder: agent({ name: "adder", prompt: "Add {{a}} and {{b}}.", signature: "(a :int, b :int) -> {sum :int}" }),
  failing: agent({ name: "failing", output: "text" }),
};
