// The workflows of the application. One of them hands a part of its work to an agent: `runAgent` is a child workflow.
const { proxyActivities, proxySinks, setHandler, defineQuery } = require("@temporalio/workflow");
const { runAgent } = require("navigator-agents/workflows");
const { refundClerk } = require("./agent.cjs");

const { takeBack } = proxyActivities({ startToCloseTimeout: "1 minute" });
const { audit } = proxySinks();

/** A customer sends something back: it is taken into the store, and the clerk decides about the money. */
async function returnOrder({ order_id, complaint }) {
  let stage = "taking back";
  setHandler(defineQuery("stage"), () => stage);
  const shelf = await takeBack(order_id);
  stage = "refund";
  const step = await runAgent(refundClerk, {
    id: `refund-${order_id}`,
    context: { order_id, complaint },
    model: "scripted",
    budget: { tokens: 20_000 },
  });
  stage = "done";
  audit.note(`${order_id}: ${step.fail === null ? "refunded" : step.fail.reason}`);
  return { shelf, ...(step.fail === null ? step.return : { failed: step.fail.reason }) };
}

module.exports = { returnOrder };
