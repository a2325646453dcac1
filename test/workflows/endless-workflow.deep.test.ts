import { randomUUID } from "node:crypto";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, Runtime, UnexpectedError } from "@temporalio/worker";
import { createModels, parseScript } from "../../src/models";
import { ToolRegistry } from "../../src/tools";
import { createWorker } from "../../src/worker/create-worker";
import { testAddress } from "../support/environment";
import { quietRuntime } from "../support/rig";

test("a workflow that computes for ever ends its worker, and the worker's log names the run", async () => {
  quietRuntime();
  const logged = jest.spyOn(Runtime.instance().logger, "error");
  const [native, connection] = await Promise.all([
    NativeConnection.connect({ address: testAddress() }),
    Connection.connect({ address: testAddress() }),
  ]);
  const taskQueue = `endless-${randomUUID()}`;
  const worker = await createWorker({
    connection: native,
    namespace: "default",
    taskQueue,
    tools: new ToolRegistry([]),
    models: createModels({ env: {}, script: parseScript({}, "none") }),
    overrides: {
      workflowsPath: path.join(__dirname, "endless-workflow.cjs"),
      isolateExecutionTimeout: "5s",
    } as object,
  });
  const handle = await new Client({ connection }).workflow.start("endless", {
    taskQueue,
    workflowId: taskQueue,
    args: [],
  });
  await expect(worker.run()).rejects.toThrow(UnexpectedError);
  expect(logged).toHaveBeenCalledWith(
    "workflow_computes_too_long",
    expect.objectContaining({ run_id: handle.firstExecutionRunId, limit: "5 s" }),
  );
  await handle.terminate();
  await connection.close();
  await native.close();
});
