import type { TaskServiceApi } from "../../../client/tasks/types";
import type { Task } from "../../../core/graph/task/task";
import { withTaskService } from "../../session/queue-session";
import type { CommandSpec } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";

const change = (
  name: string,
  about: string,
  call: (taskService: TaskServiceApi, id: string, note?: string) => Promise<Task>,
): CommandSpec => ({
  name: `${name} <id>`,
  about,
  options: name === "resume" ? [] : [["--note <text>", "why"]],
  examples: [`navigator task ${name} bug-7`],
  run: (io: CommandIo, id: string, options: { note?: string }) =>
    withTaskService(io, async (taskService) => {
      const changed = await call(taskService, id, options.note);
      io.result(changed, () => `${id} is ${changed.status} at ${changed.currentStep}.`);
    }),
});

/** `navigator task pause`, `resume` and `cancel`. */
export const taskChangeCommands: readonly CommandSpec[] = [
  change("pause", "pause a task: nothing moves it until it is resumed", (taskService, id, note) =>
    taskService.pause(id, note),
  ),
  change("resume", "resume a paused task", (taskService, id) => taskService.resume(id)),
  change("cancel", "end a task at its current step, as FAILED with the result cancelled", (taskService, id, note) =>
    taskService.cancel(id, note),
  ),
];
