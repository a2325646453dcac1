import type { Command } from "commander";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator workflow check`: checks definitions without a server. */
export function registerWorkflowCheck(workflow: Command, io: CommandIo): void {
  workflow
    .command("check <files...>")
    .description("check definitions for errors and warnings (files, folders, or - for standard input); needs no server")
    .option("--config <file>", "the project whose agents and tools are used (default: searched in this folder)")
    .option("--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL)")
    .addHelpText(
      "after",
      "\nExit code 2 means that a definition has mistakes; warnings do not count.\n\nExample:\n  $ navigator workflow check workflows",
    )
    .action(async (files: string[], { config, model }: { config?: string; model?: string }) => {
      const [{ loadConfig }, { checkDefinitions }, { checkText }, { checkInProject, projectWorld }] = await Promise.all(
        [
          import("../../../node/settings"),
          import("../../input/definition-file"),
          import("../../show/render-definition"),
          import("../../input/check-in-project"),
        ],
      );
      const checked = checkDefinitions(files);
      const world = await projectWorld(io, { project: config, model: model ?? loadConfig().model });
      const projectChecks = checked.map((one) => (world === null ? null : checkInProject(one, world)));
      const ok = checked.every(({ definition }) => definition !== null);
      const answer = checked.map(({ file, definition, errors, warnings }, i) => ({
        file,
        id: definition?.id ?? null,
        ok: definition !== null,
        errors,
        warnings,
        ...projectChecks[i],
      }));
      io.result({ ok, files: answer }, () => checkText(checked, io.color, projectChecks));
      if (!ok) process.exitCode = EXIT.usage;
    });
}
