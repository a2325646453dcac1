import type { NavigatorClient } from "../../src/client/client";

/** Workflows of Navigator that never end: they keep the graphs, the tree of tasks, and which effect is whose. */
const LASTING = /:(definition\/|task-tree$|effect\/)/;

/** What runs, or waits for a person, although all missions have ended. */
export async function stillOpen(client: NavigatorClient): Promise<string[]> {
  const open: string[] = [];
  for await (const { workflowId, type } of client.temporal.workflow.list({ query: 'ExecutionStatus = "Running"' }))
    if (!LASTING.test(workflowId)) open.push(`${type} ${workflowId} still runs`);
  const { items } = await client.inbox();
  return [...open, ...items.map(({ kind, title, workflow_id }) => `${kind} "${title}" of ${workflow_id} still waits`)];
}
