// The tools of the refund example. The definition of a tool names who must approve it, so no agent and no model can avoid
// the approval: one person for small sums, two for large ones. Each tool refuses sums that belong to the other.
const { absent, defineTool, found } = require("navigator-agents");

const shop = () => process.env.SHOP_URL ?? "http://127.0.0.1:4243";
const LARGE = 20_000;

async function post(path, args, call) {
  const response = await fetch(`${shop()}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": call.idempotencyKey },
    body: JSON.stringify(args),
    signal: call.signal,
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `${path} answered ${response.status}`);
  return body;
}

/** People may change the amount when they approve, so the limit is checked here, on the final amount. */
function refund({ order_id, cents, why }, call, [from, to]) {
  if (cents < from || cents >= to) throw new Error(`This tool refunds ${from} to ${to - 1} cents, not ${cents}.`);
  return post("/refunds", { order_id, cents, why }, call);
}

/**
 * The same sum for the same order is the same refund, whatever words the model finds for the reason. The shop finds a
 * refund by its key when an answer is lost, and takes it back when a mission is undone.
 */
const REFUND = {
  identity: ["order_id", "cents"],
  lookup: async (key, _args, call) => {
    const { answer } = await post("/refunds/find", { key }, call);
    return answer === null ? absent : found(answer);
  },
  undo: (_args, { refund }, call) => post("/refunds/cancel", { refund }, call),
};

const WHAT = "(order_id :int, cents :int, why :string) -> {refund :string, cents :int}";

module.exports = {
  agents: "./agents",
  script: "./script.yaml",
  tools: [
    defineTool({
      name: "get_order",
      description: "The order: what it cost in cents, what was in it, who bought it",
      signature: "(order_id :int) -> {cents :int, item :string, customer_id :int}",
      effect: "read",
      run: (args, call) => post("/orders/get", args, call),
    }),
    defineTool({
      name: "get_customer",
      description: "The customer, and how often they were refunded before",
      signature: "(customer_id :int) -> {name :string, since :int, refunds :int}",
      effect: "read",
      run: (args, call) => post("/customers/get", args, call),
    }),
    defineTool({
      name: "refund_card",
      description: `Gives money back, less than ${LARGE} cents; a person approves it first and may change the sum`,
      signature: WHAT,
      ...REFUND,
      approval: { assignees: ["anna", "ben"], timeout: "2d", onTimeout: "reject", remind: "4h" },
      run: (args, call) => refund(args, call, [1, LARGE]),
    }),
    defineTool({
      name: "refund_card_large",
      description: `Gives money back, ${LARGE} cents and more; two people approve it first`,
      signature: WHAT,
      ...REFUND,
      approval: { assignees: ["anna", "ben", "carla"], quorum: 2, timeout: "5d", onTimeout: "reject", remind: "1d" },
      run: (args, call) => refund(args, call, [LARGE, Number.MAX_SAFE_INTEGER]),
    }),
  ],
};
