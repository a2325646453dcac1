import type { NativeConnection, Worker } from "@temporalio/worker";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface";
import { CommittedAnswers, TaskHistory } from "./committed-queries";
import { ParkedWorkflow, ParkedWorkflows } from "./parked-workflows";

/** The parts of the SDK's worker that it does not show. */
interface WorkerInside {
  workflowCreator: WorkflowCreator | undefined;
  connection: Pick<NativeConnection, "workflowService">;
  options: { namespace: string; identity: string; maxCachedWorkflows: number };
}

/**
 * Stands between the SDK and the workflows that a worker has in memory: queries are answered only from what is in the history, and
 * what waits for long leaves the memory.
 */
export function tendWorkflows(worker: Worker): void {
  if (tended.has(worker)) return;
  tended.add(worker);
  const { workflowCreator, connection, options } = worker as unknown as WorkerInside;
  if (workflowCreator === undefined) return;
  const create = workflowCreator.createWorkflow.bind(workflowCreator);
  const { namespace } = options;
  const parked = options.maxCachedWorkflows === 0 ? null : new ParkedWorkflows({ connection, namespace });
  workflowCreator.createWorkflow = async (made) => {
    const workflow = new CommittedAnswers(await create(made), new TaskHistory(connection, options, made));
    return parked === null ? workflow : new ParkedWorkflow(workflow, made.info, parked);
  };
}

/** A plugin that is given to the connection and to the worker is asked twice. */
const tended = new WeakSet<Worker>();
