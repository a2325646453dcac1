// A mission from code: one tool that moves money, one agent, one decision by a person. Run it twice: the second
// run finds the result of the first, and nobody is charged again.
const { Client, Connection } = require("@temporalio/client");
const { NativeConnection } = require("@temporalio/worker");
const navigator = require("navigator-agents");

const chargeCard = navigator.defineTool({
  name: "charge_card",
  signature: "(order_id :int) -> {tx :string}",
  // The key is the same, however often a worker dies during this call. Pass it to the payment service.
  run: ({ order_id }, call) => {
    console.log(`charging, key ${call.idempotencyKey}`);
    return { tx: `tx_${order_id}` };
  },
});

const order = navigator.defineAgent({
  name: "order",
  prompt: "Charge order {{order_id}}, wait for the payment's confirmation, then confirm that it is paid.",
  tools: [chargeCard],
});

// The script of the model. For a real one: model: "anthropic/claude-sonnet-4-5", with ANTHROPIC_API_KEY set.
const charge = '(task "charge_42" (tool/charge_card {:order_id data/order_id}))';
const script = [
  `\`\`\`clojure\n(do ${charge} (return {:status :waiting}))\n\`\`\``,
  `\`\`\`clojure\n(do ${charge} (return {:paid (task "payment_confirmed" nil)}))\n\`\`\``,
];

async function main() {
  const address = process.env.TEMPORAL_ADDRESS ?? "127.0.0.1:7233";
  const [connection, native] = [await Connection.connect({ address }), await NativeConnection.connect({ address })];
  await navigator.ensureSearchAttributes(connection, "default");
  const worker = await navigator.createWorker({
    connection: native,
    namespace: "default",
    taskQueue: "orders",
    tools: new navigator.ToolRegistry([chargeCard]),
    models: navigator.createModels({ script }),
  });
  const client = new navigator.NavigatorClient(new Client({ connection }), "orders");

  await worker.runUntil(async () => {
    const mission = await client.startAgent({
      id: process.argv[2] ?? "order-42",
      agent: order,
      context: { order_id: 42 },
      model: "scripted",
    });
    // A person decides, an hour or a month later, from any process:
    await whenWaiting(mission, () => mission.recordDecision({ id: "payment_confirmed", value: true, by: "anna" }));
    const step = await mission.result();
    console.log(await mission.missionLog());
    console.log("returned", JSON.stringify(step.return));
  });
  await Promise.all([connection.close(), native.close()]);
}

async function whenWaiting(mission, decide) {
  for (;;) {
    const { state } = await mission.status();
    if (state === "waiting") return decide();
    if (state !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
