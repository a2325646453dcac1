import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { executionInfoFromRaw } from "@temporalio/client/lib/helpers";
import { ask } from "./errors";

/** A page of workflows as the server lists them, the newest first. */
export interface WorkflowPage {
  workflows: WorkflowExecutionInfo[];
  /** For the next page; absent = this is the last one. */
  next?: string;
}

/**
 * Lists workflows page by page. The SDK only iterates over all of them, so this asks the service itself.
 *
 * @param query of Visibility
 * @param page `next` of the page before, for the same query
 */
export async function listWorkflows(
  { workflow, options: { loadedDataConverter, namespace } }: Client,
  { query, size, page }: { query: string; size: number; page?: string | undefined },
): Promise<WorkflowPage> {
  const { executions, nextPageToken } = await ask(() =>
    workflow.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: size,
      ...(page === undefined ? {} : { nextPageToken: Buffer.from(page, "base64url") }),
    }),
  );
  // Memos are decoded here, and whoever has no key for them is told so.
  const workflows = await ask(() =>
    Promise.all(executions.map((raw) => executionInfoFromRaw(raw as never, loadedDataConverter, raw, namespace))),
  );
  const isLast = nextPageToken === null || nextPageToken === undefined || nextPageToken.length === 0;
  return { workflows, ...(isLast ? {} : { next: Buffer.from(nextPageToken).toString("base64url") }) };
}
