import path from "node:path";
import type { Command } from "commander";
import { packageVersion } from "../../../node/package-version";
import type { CommandIo } from "../../terminal/io";

/** Of the package, from src/cli/commands/project and from dist/cli/commands/project. */
const TEMPLATE = path.join(__dirname, "../../../../templates/project");

export function registerInit(program: Command, io: CommandIo): void {
  program
    .command("init [folder]")
    .description("make a project: an agent, a tool, a test, a graph; in a package, add what is missing")
    .addHelpText(
      "after",
      "\nNo file that is there is changed. What a package needs besides is printed as commands.\n\nExample:\n  $ navigator init my-app",
    )
    .action(async (folder: string | undefined) => {
      const [{ initProject }, { initializedText }] = await Promise.all([
        import("../../../project/init/init-project"),
        import("../../../project/init/initialized-text"),
      ]);
      const made = initProject(folder ?? ".", {
        template: TEMPLATE,
        version: packageVersion(),
        userAgent: process.env.npm_config_user_agent,
      });
      io.result(made, () => initializedText(made));
    });
}
