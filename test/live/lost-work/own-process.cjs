// A worker in a process of its users: createWorker, or the plugin in Temporal's own worker.
const { NativeConnection, Worker } = require("@temporalio/worker");
const { createModels, createWorker, defineTool, NavigatorPlugin } = require("navigator-agents");

const { ADDRESS, TASK_QUEUE, WITH, SERVICE_URL } = process.env;
const tools = [
  defineTool({
    name: "book",
    signature: "(kind :string, n :int) -> :int",
    run: async ({ n }, { idempotencyKey }) => {
      const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
      const response = await fetch(SERVICE_URL, { method: "POST", headers, body: JSON.stringify({ n }) });
      return response.json();
    },
  }),
];

async function main() {
  const connection = await NativeConnection.connect({ address: ADDRESS });
  const place = { connection, namespace: "default", taskQueue: TASK_QUEUE };
  const models = createModels({ script: ['```clojure\n(return (tool/book {:kind "book" :n 1}))\n```'] });
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
