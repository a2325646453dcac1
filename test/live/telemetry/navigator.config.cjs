/** A worker whose tool traces what it does itself: it asks the shop, which is in the test. */
const { defineTool } = require("navigator-agents");
const { trace } = require("@opentelemetry/api");

module.exports = {
  agents: [{ name: "caller", prompt: "Say 1." }],
  tools: [
    defineTool({
      name: "charge",
      description: "Charges an order.",
      signature: "(order :int) -> {tx :string}",
      approval: true,
      // The test holds the call until all was told. The next worker of the same home gives it back.
      heartbeat: "1m",
      run: ({ order }) =>
        trace.getTracer("shop").startActiveSpan("POST /charges", async (span) => {
          try {
            const answer = await fetch(process.env.SHOP_URL, { method: "POST", body: JSON.stringify({ order }) });
            return await answer.json();
          } finally {
            span.end();
          }
        }),
    }),
    defineTool({
      name: "stock",
      description: "Tells what is there.",
      signature: "(order :int) -> :int",
      effect: "read",
      run: async () => 3,
    }),
    defineTool({
      name: "pay",
      signature: "(n :int) -> :int",
      batch: true,
      run: ({ n }) => {
        trace.getTracer("bank").startActiveSpan(`transfer ${n}`, (span) => span.end());
        return n;
      },
    }),
    // A name of its own: its effects belong to the whole namespace, which other runs of the test share.
    ...(process.env.BOOK_TOOL
      ? [
          defineTool({
            name: process.env.BOOK_TOOL,
            description: "Books a room.",
            signature: "(room :int) -> :int",
            effect: "irreversible",
            identityScope: "namespace",
            run: () => 1,
          }),
        ]
      : []),
  ],
  script: {
    clerk: [
      {
        content:
          '```clojure\n(tool/stock {:order 7})\n(task "charge_7" (tool/charge {:order 7}))\n(tool/helper {:order 7})\n```',
        tokens: { input: 100, output: 20, cache_read: 40, total_cost: 0.5 },
      },
      { content: "```clojure\n(return 7)\n```", tokens: { input: 150, output: 10, total_cost: 0.25 } },
    ],
    helper: [{ content: "```clojure\n(return 1)\n```" }],
    payer: [
      {
        content:
          '```clojure\n(do (task "a" (tool/pay {:n 1})) (task "b" (tool/pay {:n 2})) (task "c" (tool/pay {:n 3})) (pmap (fn [i] (tool/pay {:n i})) [4 5]) (return 1))\n```',
      },
    ],
    caller: [{ content: "```clojure\n(return 1)\n```" }],
    guest: [{ content: `\`\`\`clojure\n(return (tool/${process.env.BOOK_TOOL} {:room 7}))\n\`\`\`` }],
  },
  ...(process.env.METRICS_ADDRESS ? { telemetry: { prometheus: process.env.METRICS_ADDRESS } } : {}),
};
