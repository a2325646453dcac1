// A worker in a process of its users: createWorker, or the plugin in Temporal's own worker.
const { NativeConnection, Worker } = require("@temporalio/worker");
const { createModels, createWorker, defineTool, NavigatorPlugin } = require("navigator-agents");

const { ADDRESS, TASK_QUEUE, WITH, SERVICE_URL, PROGRAM } = process.env;
const signature = "(kind :string, n :int) -> :int";
const ask = async ({ n }, { idempotencyKey }) => {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
  const response = await fetch(SERVICE_URL, { method: "POST", headers, body: JSON.stringify({ n }) });
  return response.json();
};
const tools = [
  defineTool({ name: "book", signature, run: ask }),
  defineTool({
    name: "compute",
    signature,
    effect: "read",
    run: async (args, call) => {
      const n = await ask(args, call);
      // A pipe is written at once: who reads this knows that nothing else happens in this process.
      console.log("computing");
      const until = performance.now() + 5_000;
      while (performance.now() < until);
      return n;
    },
  }),
];

async function main() {
  const connection = await NativeConnection.connect({ address: ADDRESS });
  const place = { connection, namespace: "default", taskQueue: TASK_QUEUE };
  const models = createModels({ script: [`\`\`\`clojure\n${PROGRAM}\n\`\`\``] });
  const worker =
    WITH === "createWorker"
      ? await createWorker({ ...place, tools, models })
      : await Worker.create({ ...place, plugins: [new NavigatorPlugin({ tools, models })] });
  process.once("SIGTERM", () => worker.shutdown());
  console.log("ready");
  await worker.run();
  await connection.close();
}

void main();
