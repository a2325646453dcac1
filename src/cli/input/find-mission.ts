import { workflowIdFor, workflowIdIn } from "../../core/base/ids";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";

/**
 * A bare id can be that of a run, a task or a plan, so all three are looked up.
 *
 * @throws NavigatorError `invalid_id` for an empty one, `not_found`
 */
export async function findMission<T>(id: string, read: (workflowId: string) => Promise<T>): Promise<T> {
  if (id.trim() === "") throw new NavigatorError("invalid_id", "The id of the run, task or plan is empty.");
  if (workflowIdIn(null, id).includes("/")) return read(id);
  for (const kind of ["agent", "task", "plan"] as const)
    try {
      return await read(workflowIdFor(kind, id));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  throw new NavigatorError("not_found", nowhere(id), {
    hint: "Runs are started by `navigator run`, tasks by `navigator task start`, plans by `navigator plan run`; all print their id.",
    details: { path: id, kind: "run" },
  });
}

const nowhere = (id: string): string =>
  `There is no run "${workflowIdFor("agent", id)}", no task "${workflowIdFor("task", id)}" and no plan "${workflowIdFor("plan", id)}".`;
