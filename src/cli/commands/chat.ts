import type { Command } from "commander";
import { BUDGET_OPTION } from "../input/budget-argument";
import type { ChatOptions } from "../session/chat-session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** `navigator chat`: talk to an agent in the terminal. */
export function registerChat(program: Command, io: CommandIo): void {
  program
    .command("chat [agent]")
    .description("talk to an agent of the project; its answers come as they are said")
    .option("--id <id>", "go on with this chat (default: a new one)")
    .option("--model <name>", "provider/model or scripted:FILE (default: the agent's, NAVIGATOR_MODEL, else scripted)")
    .option(BUDGET_OPTION[0], `for each answer: ${BUDGET_OPTION[1]}`)
    .option("--config <file>", "the project's navigator.config file (default: searched in this folder)")
    .option("--no-worker", "other workers do the work")
    .addHelpText(
      "after",
      `
AGENT may be left out if the project has only one agent in text mode. Each line is a message; Ctrl-D leaves. Every message is a
mission: if this command or a worker is stopped in the middle of an answer, the chat goes on with --id. A call that people
must approve is named with the command that decides it, and the answer goes on when it is decided.
With --json, or if the input is no terminal, each line of the input is answered in turn.

Example:
  $ navigator chat guide
  $ echo "Which way?" | navigator chat guide --id trip --json`,
    )
    .action(async (agent: string | undefined, options: ChatOptions) => {
      const { chat } = await import("../session/chat-session");
      process.exitCode = (await chat(io, agent, options)) ? EXIT.done : EXIT.failed;
    });
}
