// The tools of the order example: a few HTTP calls to a shop and payment service. A worker may die at any moment. One
// header makes the calls safe: the idempotency key that Navigator gives to every call.
const { defineTool } = require("navigator-agents");

const service = () => process.env.ORDER_SERVICE_URL ?? "http://127.0.0.1:4242";

async function post(path, args, call) {
  const response = await fetch(`${service()}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
    body: JSON.stringify(args),
    signal: call.signal,
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `${path} answered ${response.status}`);
  return body;
}

module.exports = {
  agents: "./agents",
  definitions: ".",
  script: "./script.json",
  tools: [
    defineTool({
      name: "get_order",
      description: "The order: total in cents, card, customer",
      signature: "(order_id :int) -> {total :int, card :string, customer :string}",
      effect: "read",
      run: ({ order_id }, call) => post("/orders/get", { order_id }, call),
    }),
    defineTool({
      name: "charge_card",
      description: "Moves the money; gives the transaction",
      signature: "(order_id :int, amount :int) -> {tx :string}",
      run: (args, call) => post("/charges", args, call),
    }),
    defineTool({
      name: "send_receipt",
      description: "Mails the receipt of a transaction",
      signature: "(order_id :int, tx :string) -> {mail :string}",
      run: (args, call) => post("/receipts", args, call),
    }),
    defineTool({
      name: "ship_item",
      description: "Hands the parcel to the carrier; gives its number",
      signature: "(order_id :int) -> {parcel :string}",
      run: (args, call) => post("/shipments", args, call),
    }),
    defineTool({
      name: "refund_card",
      description: "Gives the money of an order back",
      signature: "(order_id :int) -> {refund :string}",
      run: (args, call) => post("/refunds", args, call),
    }),
  ],
};
