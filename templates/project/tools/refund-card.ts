import { defineTool } from "navigator-agents";
import { z } from "zod";

/**
 * Moves money, so a person approves each call, and a mission refunds the same order once. With `identityScope: "namespace"` all
 * missions together refund it once.
 */
export const refundCard = defineTool({
  name: "refund_card",
  description: "Gives the money of an order back; a person approves it first",
  input: z.object({ order_id: z.int(), cents: z.int().positive() }),
  output: z.object({ receipt: z.string() }),
  effect: "write",
  identity: ["order_id"],
  approval: true,
  // Call your payment service here. Pass the key on: it is the same on every attempt, so the service acts once.
  run: async ({ order_id, cents }, call) => {
    console.error(`refund_card: ${cents} cents for order ${order_id}, key ${call.idempotencyKey}`);
    return { receipt: `receipt-${order_id}` };
  },
});
