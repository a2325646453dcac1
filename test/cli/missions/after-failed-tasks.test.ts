import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";
import { type Commands, openPlace, type Place, program } from "../../support/cli";
import { testAddress } from "../../support/environment";
import { until } from "../../support/until";

/** `navigator run` of a mission whose workflow tasks have failed on another worker: the server refuses queries for a while. */
let place: Place;
let here: Commands;

beforeAll(async () => {
  place = await openPlace("failed-tasks", { NAVIGATOR_TASK_QUEUE: "failed-tasks" });
  place.write("navigator.config.cjs", 'module.exports = { agents: "./agents", script: "./script.json" };');
  place.write("agents/counter.yaml", 'prompt: Count.\nsignature: "() -> :int"\n');
  place.write("script.json", { counter: [program("(return 7)")] });
  here = place.here();
});
afterAll(() => place.close());

test("it is followed to its end, and the command says what it waits for", async () => {
  await here.json(["run", "counter", "--id", "late", "--detach"]);
  const [native, connection] = await Promise.all([
    NativeConnection.connect({ address: testAddress() }),
    Connection.connect({ address: testAddress() }),
  ]);
  const { namespace } = place;
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: "failed-tasks",
    workflowsPath: path.join(__dirname, "failing-workflows.cjs"),
  });
  const handle = new Client({ connection, namespace }).workflow.getHandle("agent/late");
  await worker.runUntil(
    until(async () => ((await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0) >= 4, "its tasks fail"),
  );
  await native.close();
  const { code, stdout, stderr } = await here.run(["run", "counter", "--id", "late", "--json"]);
  await connection.close();
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("last workflow task failed") });
  expect(JSON.parse(stdout)).toMatchObject({ step: { return: 7 } });
});
