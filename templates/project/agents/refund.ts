import { defineAgent } from "navigator-agents";
import { z } from "zod";
import { refundCard } from "../tools/refund-card.ts";

/** What it is given and what it returns are checked, in code, by the client and in the run. */
export const refund = defineAgent({
  name: "refund",
  description: "Gives a customer's money back after a person agreed.",
  prompt: `
    A customer complains about order {{order_id}}, which cost {{cents}} cents: "{{complaint}}"

    If the complaint is a reason to give the money back, call refund_card in a task with the id refund_<order_id>.
    A person is asked first. If the person refuses, the call fails: return {:refunded false}.
  `,
  input: z.object({ order_id: z.int(), cents: z.int(), complaint: z.string() }),
  output: z.object({ refunded: z.boolean(), receipt: z.string().optional() }),
  tools: [refundCard],
  max_turns: 4,
});
