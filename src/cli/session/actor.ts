import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { requester } from "./signing";

/** The option for the person who ends, pauses or repeats work. */
export const BY_OPTION = [
  "--by <name>",
  "who does it (default: who is logged in, else the user of this shell)",
] as const;

/** The name that stands in the history of what a command does to running work. @throws NavigatorError `bad_usage` */
export async function actorOfShell(io: CommandIo, named: string | undefined): Promise<string> {
  if (named?.trim() === "") throw badUsage("--by", "--by must not be empty.");
  return named ?? (await requester(io)) ?? process.env.USER ?? process.env.USERNAME ?? "the user of this shell";
}
