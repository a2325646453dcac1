// Three complaints. The first waits for a person while its worker is killed, and then runs with the sum that the person
// chose. The second needs two people. The third is rejected.
const { startShop } = require("./shop.cjs");

module.exports = {
  about: "Refund with approval: an agent proposes, people decide, what runs is what was approved.",

  async play({ client, project, model, newId, worker, watch, untilAsked, atEnd, show }) {
    const shop = await startShop();
    atEnd(shop.close);
    const complain = (order_id, complaint) =>
      client.startAgent({
        id: newId(`refund-${order_id}`),
        agent: project.agents.refund,
        context: { order_id, complaint },
        model,
        collect_messages: true,
      });
    const first = await worker({ SHOP_URL: shop.url });
    const lamp = await complain(42, "The lamp flickers and its foot came off in the parcel.");
    await untilAsked(lamp);
    show("a person is asked; that may take days, so the worker is killed during that time");
    await first.kill();
    await worker({ SHOP_URL: shop.url });
    const { messages } = await watch(lamp, () => ({
      choice: "approve",
      by: "anna",
      value: { cents: 2500 },
      note: "half: the foot can be glued",
    }));
    const feedback = messages.flatMap(({ content }) => /^Note: anna changed .*$/m.exec(content) ?? [])[0];
    show(`feedback to the model: ${feedback}`);

    const table = await complain(77, "The table top is split from end to end.");
    await watch(table, () => ["anna", "ben"].map((by) => ({ choice: "approve", by })));

    const cup = await complain(13, "I do not like the colour any more, and the handle is broken.");
    await watch(cup, () => ({ choice: "reject", by: "ben", note: "fourteen refunds before" }));

    return {
      effects: {
        refunds: shop.refunds.length,
        "cents given back": shop.refunds.reduce((sum, { cents }) => sum + cents, 0),
      },
      facts: { refunds: shop.refunds, feedback },
    };
  },
};
