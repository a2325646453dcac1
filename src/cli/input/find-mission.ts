import { workflowIdFor } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";

/** Of a bare id only the caller knows whether it is a run's, a task's or a plan's: all are looked for. */
export async function findMission<T>(id: string, read: (workflowId: string) => Promise<T>): Promise<T> {
  if (id.includes("/")) return read(id);
  for (const kind of ["agent", "task", "plan"] as const)
    try {
      return await read(workflowIdFor(kind, id));
    } catch (error) {
      if ((error as { code?: unknown }).code !== "not_found") throw error;
    }
  throw new NavigatorError("not_found", nowhere(id), {
    hint: "Runs are started by `navigator run`, tasks by `navigator task start`, plans by `navigator plan run`; all print their id.",
  });
}

const nowhere = (id: string): string =>
  `There is no run "${workflowIdFor("agent", id)}", no task "${workflowIdFor("task", id)}" and no plan "${workflowIdFor("plan", id)}".`;
