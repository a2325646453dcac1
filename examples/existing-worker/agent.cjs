// An agent with types, in a module that workflows may load.
const { defineAgent } = require("navigator-agents/agent");
const { z } = require("zod");

const refundClerk = defineAgent({
  name: "refund-clerk",
  prompt: "Order {{order_id}} came back: {{complaint}} Refund it with refund_card, and return the transaction.",
  input: z.object({ order_id: z.string(), complaint: z.string().min(1) }),
  output: z.object({ tx: z.string() }),
  tools: ["refund_card"],
});

module.exports = { refundClerk };
