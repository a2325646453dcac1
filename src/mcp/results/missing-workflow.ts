import { defined } from "../../core/base/defined";
import { isTask } from "../../core/base/ids";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";

/** Asks a workflow. A missing one is reported as what it would be: a task or a run. */
export async function askWorkflow<T>(workflowId: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    if (!isTask(workflowId) || !isAbsent(error)) throw error;
    throw new NavigatorError("task_not_found", error.message, { cause: error, ...defined({ hint: error.hint }) });
  }
}
