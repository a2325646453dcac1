import type { Command, CommanderError } from "commander";
import type { NavigatorError } from "../../core/base/navigator-error";
import { badUsage } from "./exit";

/**
 * Gives a program and all commands below it the same behaviour: `--json` everywhere, and no output or exit by Commander
 * itself, so that only `main` decides how an error is shown and which exit code it has.
 */
export function unify(command: Command, writeOut: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut, writeErr: () => {}, outputError: () => {} });
  if (!command.options.some((option) => option.long === "--json"))
    command.option("--json", "machine-readable output: JSON on stdout, everything else on stderr");
  if (!command.options.some((option) => option.long === "--project"))
    command.option(PROJECT_OPTION, "the project, where it is not this folder's; `all` for lists of all projects");
  command.showSuggestionAfterError(true);
  for (const child of command.commands) unify(child, writeOut);
}

const PROJECT_OPTION = "--project <name>";

/** Whether `--project` of a command is the name of a project. A command may define its own: `prove` takes a folder. */
export const takesProjectName = (command: Command): boolean =>
  command.options.some((option) => option.flags === PROJECT_OPTION);

/** Whether `--json` was given. It is read before parsing, because a usage error must be shown in the right form too. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes("--json");
}

/** Commander's error in our form; undefined if it only showed help or the version. */
export function usageError(
  error: CommanderError,
  program: Command,
  args: readonly string[],
): NavigatorError | undefined {
  if (error.exitCode === 0) return undefined;
  const command = commandOf(program, args);
  const path = commandPath(command);
  if (error.code === "commander.help")
    return badUsage(path, `"${path}" needs a command: ${namesOf(command)}.`, `See "${path} --help".`);
  const [message = "", ...suggestion] = error.message.replace(/^error: /, "").split("\n");
  return badUsage(
    /'([^']+)'/.exec(message)?.[1] ?? path,
    capitalised(`${message.replace(/\.$/, "")}.`),
    [suggestion.join(" ").replace(/^\((.*)\)$/, "$1"), `See "${path} --help".`].filter(Boolean).join(" "),
  );
}

function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args.filter((arg) => !arg.startsWith("-"))) {
    const child = command.commands.find((c) => c.name() === word || c.aliases().includes(word));
    if (!child) break;
    command = child;
  }
  return command;
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

const namesOf = (command: Command) => command.commands.map((child) => child.name()).join(", ");
const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
