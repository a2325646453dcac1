import { defined } from "../../core/base/defined";
import { isTask } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";

/** Asks a workflow. A missing one is reported as what it would be: a task or a run. */
export async function askWorkflow<T>(workflowId: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const { code, message, hint } = error;
    const extra = { cause: error, ...defined({ hint }) };
    if (code === "not_found")
      throw new NavigatorError(isTask(workflowId) ? "task_not_found" : "run_not_found", message, extra);
    throw error;
  }
}
