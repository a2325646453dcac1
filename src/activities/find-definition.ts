import { WorkflowNotFoundError } from "@temporalio/client";
import { definitionWorkflowId } from "../core/base/ids";
import type { NavigatorActivities } from "../core/calls/effects";
import type { QueryClient } from "./index";

/** The newest version of a definition, from the workflow that keeps it. */
export function findDefinition(client: QueryClient): NavigatorActivities["findDefinition"] {
  return async (id) => {
    try {
      const handle = client.workflow.getHandle(definitionWorkflowId(id));
      return (await handle.query("newest")) as Awaited<ReturnType<NavigatorActivities["findDefinition"]>>;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  };
}
