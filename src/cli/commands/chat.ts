import { BUDGET_OPTION } from "../input/arguments";
import { type ChatOptions, chat } from "../session/chat-session";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** `navigator chat`: talk to an agent in the terminal. */
export const chatCommands: TopCommands = {
  chat: {
    options: [
      ["--id <id>", "continue this chat (default: a new one)"],
      ["--model <name>", "provider/model or scripted:FILE (default: the agent's, NAVIGATOR_MODEL, else scripted)"],
      [BUDGET_OPTION[0], `for each answer: ${BUDGET_OPTION[1]}`],
      CONFIG_OPTION,
      ["--no-worker", "other workers do the work"],
    ],
    notes: `AGENT may be left out if the project has only one agent in text mode. Each line is a message; Ctrl-D leaves. Every message is a
mission: if this command or a worker is stopped in the middle of an answer, --id continues the chat. A call that people
must approve is shown with the command that decides it. The answer continues after the decision.
With --json, or if the input is no terminal, each line of the input is answered in turn.`,
    examples: ["navigator chat guide", 'echo "Which way?" | navigator chat guide --id trip --json'],
    run: async (io: CommandIo, agent: string | undefined, options: ChatOptions) => {
      process.exitCode = (await chat(io, agent, options)) ? EXIT.done : EXIT.failed;
    },
  },
};
