import type { Command } from "commander";
import type { TaskServiceApi } from "../../../client/tasks/types";
import type { Task } from "../../../core/graph/task/task";
import { withTaskService } from "../../session/queue-session";
import type { CommandIo } from "../../terminal/io";

/** `navigator task pause`, `resume` and `cancel`. */
export function registerTaskChange(task: Command, io: CommandIo): void {
  const change = (
    name: string,
    about: string,
    call: (taskService: TaskServiceApi, id: string, note?: string) => Promise<Task>,
  ) => {
    const command = task.command(`${name} <id>`).description(about);
    if (name !== "resume") command.option("--note <text>", "why");
    command
      .addHelpText("after", `\nExample:\n  $ navigator task ${name} bug-7`)
      .action((id: string, options: { note?: string }) =>
        withTaskService(io, async (taskService) => {
          const changed = await call(taskService, id, options.note);
          io.result(changed, () => `${id} is ${changed.status} at ${changed.currentStep}.`);
          return undefined;
        }),
      );
  };
  change("pause", "pause a task: nothing moves it until it is resumed", (taskService, id, note) =>
    taskService.pause(id, note),
  );
  change("resume", "resume a paused task", (taskService, id) => taskService.resume(id));
  change("cancel", "end a task at its current step, as FAILED with the result cancelled", (taskService, id, note) =>
    taskService.cancel(id, note),
  );
}
