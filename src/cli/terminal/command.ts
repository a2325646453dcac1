import { type Command, Option } from "commander";
import type { ExitCode } from "./exit";
import type { CommandIo } from "./io";

/** An option as Commander takes it: flags, help, and how its text is read or its default. */
export type OptionSpec =
  | readonly [flags: string, about: string, fallback?: string]
  | readonly [flags: string, about: string, read: (text: string, before: never) => unknown, first?: string[]]
  | Option;

// biome-ignore lint/suspicious/noConfusingVoidType: most commands end without a word, and with exit code 0
type CommandEnd = ExitCode | undefined | void;

/** A command of the command line, or a group of commands, as data. */
export interface CommandSpec {
  /** With its arguments: `show <id>`. */
  name: string;
  about: string;
  /** Arguments that need an explanation. */
  args?: readonly (readonly [name: string, about: string])[];
  options?: readonly OptionSpec[];
  /** Stands after the options in its help. */
  notes?: string;
  /** Whole command lines. */
  examples?: readonly string[];
  /** @returns the exit code; nothing leaves it as it is */
  run?: (io: CommandIo, ...given: never[]) => CommandEnd | Promise<CommandEnd>;
  commands?: readonly CommandSpec[];
}

/** The commands of one module, by their first word. Their name and their line in the help stand in main.ts. */
export type TopCommands = { [word: string]: Omit<CommandSpec, "name" | "about"> };

export const CONFIG_OPTION = [
  "--config <file>",
  "the project's navigator.config file (default: searched in this folder)",
] as const;

/** An option that must be given. */
export const required = (flags: string, about: string): Option => new Option(flags, about).makeOptionMandatory();

/** Adds a command with all below it. */
export function addCommand(parent: Command, io: CommandIo, spec: CommandSpec): Command {
  const { name, about, args = [], options = [], run, commands = [] } = spec;
  const command = parent.command(name).description(about);
  for (const argument of args) command.argument(...argument);
  for (const option of options)
    if (option instanceof Option) command.addOption(option);
    else command.option(...(option as [string, string]));
  const help = helpAfter(spec);
  if (help !== "") command.addHelpText("after", help);
  if (run !== undefined)
    command.action(async (...given) => {
      const code = await run(io, ...(given as never[]));
      if (code !== undefined) process.exitCode = code;
    });
  for (const child of commands) addCommand(command, io, child);
  return command;
}

function helpAfter({ notes, examples = [] }: CommandSpec): string {
  const parts = [
    ...(notes === undefined ? [] : [notes]),
    ...(examples.length === 0 ? [] : [["Example:", ...examples.map((line) => `  $ ${line}`)].join("\n")]),
  ];
  return parts.length === 0 ? "" : `\n${parts.join("\n\n")}`;
}
