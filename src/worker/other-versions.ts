import { Runtime, type Worker } from "@temporalio/worker";
import { UNKNOWN_FORMAT_QUERY } from "../core/base/search-attributes";

/** Ids that the log line names. */
const NAMED = 20;

/**
 * Logs which open runs of a worker's task queue have conventions that it does not know (docs/changing-workflow-code.md). The worker
 * gives their workflow tasks back, so without this line an operator would learn of them one failed task at a time.
 */
export async function reportOtherVersions({ connection, options }: Worker): Promise<void> {
  if (connection === undefined) return;
  const { namespace, taskQueue } = options;
  const { logger } = Runtime.instance();
  const query = `${UNKNOWN_FORMAT_QUERY} AND TaskQueue = ${JSON.stringify(taskQueue)}`;
  try {
    const { executions } = await connection.workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: NAMED,
    });
    const ids = (executions ?? []).flatMap(({ execution }) => execution?.workflowId ?? []);
    if (ids.length > 0)
      logger.warn("unknown_run_format", {
        runs: ids,
        more: ids.length === NAMED,
        hint: "Another version of Navigator started them. They wait for a worker of that version.",
      });
  } catch (error) {
    // It was a look ahead: each run is still checked when its task comes.
    logger.debug("unknown_run_format was not looked for", { error });
  }
}
