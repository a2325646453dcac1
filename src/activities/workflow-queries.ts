import { setTimeout as pause } from "node:timers/promises";
import { Context } from "@temporalio/activity";
import { WorkflowNotFoundError } from "@temporalio/client";
import { isUncommitted } from "../core/base/error-codes";
import { conversationOwner, definitionWorkflowId, projectOf } from "../core/base/ids";
import type { NavigatorActivities } from "../core/calls/activities";
import type { FetchConversation } from "./conversation-cache";

/** The part of a Temporal client that activities use. A `Client` implements it. */
export interface QueryClient {
  workflow: { getHandle(workflowId: string, runId?: string): { query(name: string): Promise<unknown> } };
}

/** The newest version of a definition, from the workflow that keeps it. */
export function findDefinition(client: QueryClient): NavigatorActivities["findDefinition"] {
  return async (id) => {
    // The definitions of the project that the task belongs to.
    const project = projectOf(Context.current().info.workflowExecution?.workflowId ?? "");
    try {
      const handle = client.workflow.getHandle(definitionWorkflowId(id, project));
      return (await committed(() => handle.query("newest"))) as Awaited<
        ReturnType<NavigatorActivities["findDefinition"]>
      >;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
}

/** Fetches the conversation of a model call in flight from the run that owns it. */
export function fetchConversation(client: QueryClient): FetchConversation {
  return async (key) => {
    const { workflowId, runId } = conversationOwner(key);
    const handle = client.workflow.getHandle(workflowId, runId);
    return (await committed(() => handle.query("conversation"))) as Awaited<ReturnType<FetchConversation>>;
  };
}

const ATTEMPTS = 5;

/** Asks again where a worker has the workflow only as far as another one had taken it (docs/decisions/0058). */
async function committed(query: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query();
    } catch (error) {
      if (!isUncommitted(error) || attempt === ATTEMPTS) throw error;
      await pause(50 * 2 ** attempt);
    }
  }
}
