import type { TaskServiceApi, TaskServiceOptions } from "../../client/tasks/types";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { ANSWER_MS, type Session, withSession } from "./session";

/** For commands that load, start or ask one workflow among many. */
const EACH_MS = 100;

/**
 * Runs a command on the task service of a running server: definitions and tasks need workers.
 *
 * @param options.of the number of workflows that the command deals with, if there are many
 */
export function withTaskService(
  io: CommandIo,
  use: (taskService: TaskServiceApi, session: Session) => Promise<ExitCode | undefined>,
  options: { taskService?: TaskServiceOptions; of?: number } = {},
): Promise<void> {
  const work = async (session: Session) => {
    const { TaskService } = await import("../../client/tasks/task-service");
    return (
      (await use(new TaskService(session.client, { ...options.taskService, lists: "at_once" }), session)) ?? EXIT.done
    );
  };
  return withSession(io, false, work, { within_ms: ANSWER_MS + (options.of ?? 1) * EACH_MS });
}
