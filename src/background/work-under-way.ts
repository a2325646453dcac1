import type { Connection } from "@temporalio/client";
import { inProject } from "../client/listing/project-filter";
import type { ProjectName } from "../core/base/ids";
import { ATTRIBUTE } from "../core/base/search-attributes";

/** Runs that are looked at. With more of them something is under way for sure, or soon. */
const MAX_LOOKED_AT = 200;
/** The service answers within milliseconds, or is away. */
const LIMIT_MS = 10_000;

/**
 * Whether a run of the project works now: a call of a model or a tool is open, or its next step is. A run that waits for a person, a
 * time or what it lacks does not: it goes on when the next session starts. One that has a question open beside a call works. A task that only waits for its orchestrator neither.
 *
 * It asks the service itself: what is encrypted needs no key here.
 */
export async function isWorkUnderWay(
  connection: Pick<Connection, "workflowService" | "withDeadline">,
  where: { namespace: string; project: ProjectName },
): Promise<boolean> {
  return connection.withDeadline(Date.now() + LIMIT_MS, () => isOneUnderWay(connection, where));
}

async function isOneUnderWay(
  { workflowService }: Pick<Connection, "workflowService">,
  { namespace, project }: { namespace: string; project: ProjectName },
): Promise<boolean> {
  const { executions, nextPageToken } = await workflowService.listWorkflowExecutions({
    namespace,
    pageSize: MAX_LOOKED_AT,
    query: `ExecutionStatus = "Running" AND WorkflowType != "navigatorTask" AND ${inProject(project)} AND (${ATTRIBUTE.status} IS NULL OR ${ATTRIBUTE.status} != "BLOCKED")`,
  });
  if (nextPageToken && nextPageToken.length > 0) return true;
  for (const { execution } of executions ?? []) {
    const { pendingActivities, pendingWorkflowTask } = await workflowService.describeWorkflowExecution({
      namespace,
      ...(execution ? { execution } : {}),
    });
    if ((pendingActivities ?? []).length > 0 || pendingWorkflowTask) return true;
  }
  return false;
}
