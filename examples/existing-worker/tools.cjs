// What the clerk may do. The key makes the call safe: the bank moves the money once for each key.
const { defineTool } = require("navigator-agents");

const refundCard = defineTool({
  name: "refund_card",
  description: "Gives the money of an order back; gives the transaction",
  signature: "(order_id :string) -> {tx :string}",
  run: async ({ order_id }, call) => {
    const response = await fetch(`${process.env.BANK_URL}/refunds`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
      body: JSON.stringify({ order_id }),
      signal: call.signal,
    });
    if (!response.ok) throw new Error(`the bank answered ${response.status} ${response.statusText}`);
    return response.json();
  },
});

module.exports = { refundCard };
