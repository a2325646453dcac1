import { CliError } from "../terminal/exit";

/** Of a bare id only the caller knows whether it is a run's, a task's or a plan's: all are looked for. */
export async function findMission<T>(id: string, read: (workflowId: string) => Promise<T>): Promise<T> {
  if (id.includes("/")) return read(id);
  for (const kind of ["agent", "task", "plan"])
    try {
      return await read(`${kind}/${id}`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "not_found") throw error;
    }
  throw new CliError("not_found", `There is no run "agent/${id}", no task "task/${id}" and no plan "plan/${id}".`, {
    hint: "Runs are started by `navigator run`, tasks by `navigator task start`, plans by `navigator plan run`; all print their id.",
  });
}
