import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { NavigatorError } from "../core/base/navigator-error";
import { fnv } from "../core/base/text-hash";
import { workflowInfos } from "../node/sdk-internals/workflow-infos";
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
 * @throws NavigatorError `invalid_input` for another text
 */
export async function listWorkflows(
  { workflow, options }: Client,
  { query, size, page }: { query: string; size: number; page?: string | undefined },
): Promise<WorkflowPage> {
  const token = page === undefined ? undefined : readToken(page);
  const { executions, nextPageToken } = await ask(() =>
    workflow.workflowService.listWorkflowExecutions({
      namespace: options.namespace,
      query,
      pageSize: size,
      ...(token === undefined ? {} : { nextPageToken: token }),
    }),
  );
  // Inside `ask`: a memo that cannot be decoded throws here.
  const workflows = await ask(() => workflowInfos(executions, options));
  const isLast = nextPageToken === null || nextPageToken === undefined || nextPageToken.length === 0;
  return { workflows, ...(isLast ? {} : { next: tokenOf(nextPageToken) }) };
}

/** With a check sum: to a token that is none the server answers as if it were ill, and is asked again for 20 seconds. */
function tokenOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("base64url");
  return `${text}.${fnv(text)}`;
}

function readToken(page: string): Uint8Array {
  const [text = "", sum] = page.split(".");
  if (page === `${text}.${sum}` && sum === fnv(text)) return Buffer.from(text, "base64url");
  throw new NavigatorError("invalid_input", "That is no page of the list.", {
    hint: "Give `next` of the page before, or begin with the first page.",
    details: { path: "page" },
  });
}
