import type { Command } from "commander";
import { EXIT } from "../exit";
import type { CommandIo } from "../io";

/** `navigator workflow check`: what is wrong or doubtful about definitions, without a server. */
export function registerWorkflowCheck(workflow: Command, io: CommandIo): void {
  workflow
    .command("check <files...>")
    .description(
      "what is wrong or doubtful about definitions (files, folders, or - for standard input); needs no server",
    )
    .addHelpText(
      "after",
      "\nExit code 2 means that one has mistakes; warnings are none.\n\nExample:\n  $ navigator workflow check workflows",
    )
    .action(async (files: string[]) => {
      const [{ checkDefinitions }, { checkText }] = await Promise.all([
        import("../definition-file"),
        import("../render-definition"),
      ]);
      const checked = checkDefinitions(files);
      const ok = checked.every(({ definition }) => definition !== null);
      const answer = checked.map(({ file, definition, errors, warnings }) => ({
        file,
        id: definition?.id ?? null,
        ok: definition !== null,
        errors,
        warnings,
      }));
      io.result({ ok, files: answer }, () => checkText(checked, io.color));
      if (!ok) process.exitCode = EXIT.usage;
    });
}
