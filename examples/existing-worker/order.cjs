// Starts one order that came back. Any Temporal client can do it, with the codec of the worker.
const { randomUUID } = require("node:crypto");
const { Client, Connection } = require("@temporalio/client");
const { dataConverter } = require("./codec.cjs");

async function main() {
  const { TEMPORAL_ADDRESS = "127.0.0.1:7233", TEMPORAL_NAMESPACE, TASK_QUEUE = "orders", KEY } = process.env;
  const connection = await Connection.connect({ address: TEMPORAL_ADDRESS });
  const client = new Client({ connection, namespace: TEMPORAL_NAMESPACE, dataConverter: dataConverter(KEY) });
  const result = await client.workflow.execute("returnOrder", {
    workflowId: `return-${randomUUID()}`,
    taskQueue: TASK_QUEUE,
    args: [{ order_id: "42", complaint: "The lamp flickers." }],
  });
  console.log(JSON.stringify(result));
  await connection.close();
}

main();
