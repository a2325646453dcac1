import type { TaskServiceApi, TaskServiceOptions } from "../../client/tasks/types";
import type { ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { ANSWER_MS, type Session, withSession } from "./session";

/** For commands that load, start or ask one workflow among many. */
const EACH_MS = 100;

interface TaskServiceUse {
  taskService?: TaskServiceOptions;
  /** The number of workflows that the command deals with, if there are many. */
  of?: number;
}

type Work = (taskService: TaskServiceApi, session: Session) => Promise<ExitCode | undefined>;

/** Runs a command on the task service of a running server: definitions and tasks need workers. */
export function withTaskService(io: CommandIo, ...given: [Work] | [TaskServiceUse, Work]): Promise<void> {
  const [{ taskService, of = 1 }, work] = given.length === 1 ? [{} as TaskServiceUse, given[0]] : given;
  return withSession(io, ANSWER_MS + of * EACH_MS, async (session) => {
    const { TaskService } = await import("../../client/tasks/task-service");
    return work(new TaskService(session.client, { ...taskService, lists: "at_once" }), session);
  });
}
