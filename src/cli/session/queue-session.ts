import type { Desk, DeskOptions } from "../../queue/types";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { ANSWER_MS, type Session, withSession } from "./session";

/** For one workflow that a command loads, starts or asks among many others. */
const EACH_MS = 100;

/**
 * Runs a command on the desk of a server that is there already: its definitions and tasks are nothing without workers.
 *
 * @param options.of how many workflows the command has to do with, where these are many
 */
export function withDesk(
  io: CommandIo,
  use: (desk: Desk, session: Session) => Promise<ExitCode | undefined>,
  options: { desk?: DeskOptions; of?: number } = {},
): Promise<void> {
  const work = async (session: Session) => {
    const { TaskDesk } = await import("../../queue/task-service");
    return (await use(new TaskDesk(session.client, options.desk), session)) ?? EXIT.done;
  };
  return withSession(io, false, work, { within_ms: ANSWER_MS + (options.of ?? 1) * EACH_MS });
}
