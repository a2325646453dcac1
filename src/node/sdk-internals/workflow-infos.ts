import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { executionInfoFromRaw } from "@temporalio/client/lib/helpers";
import type { temporal } from "@temporalio/proto";

/** Workflows of a page as `client.workflow.list` returns them. The SDK lists all pages only, and takes no page token. */
export const workflowInfos = (
  executions: readonly temporal.api.workflow.v1.IWorkflowExecutionInfo[],
  { loadedDataConverter, namespace }: Client["options"],
): Promise<WorkflowExecutionInfo[]> =>
  Promise.all(
    executions.map((raw) => executionInfoFromRaw(raw as never, loadedDataConverter, raw as never, namespace)),
  );
