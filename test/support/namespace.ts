import { randomUUID } from "node:crypto";
import { Connection } from "@temporalio/client";
import { testAddress } from "./environment";

/** A namespace of its own on the run's server: lists and the task tree are one per namespace. */
export async function newNamespace(): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address: testAddress() });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    for (const until = Date.now() + 240_000; ; ) {
      try {
        await connection.workflowService.countWorkflowExecutions({ namespace, query: "" });
        return namespace;
      } catch (error) {
        // The server reads its namespaces anew every few seconds.
        if (Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    await connection.close();
  }
}
