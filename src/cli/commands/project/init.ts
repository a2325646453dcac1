import path from "node:path";
import { packageVersion } from "../../../node/package-version";
import { initProject } from "../../../project/init/init-project";
import { initializedText } from "../../../project/init/initialized-text";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";

/** Of the package, from src/cli/commands/project and from dist/cli/commands/project. */
const TEMPLATE = path.join(__dirname, "../../../../templates/project");

export const initCommands: TopCommands = {
  init: {
    notes: "No file that is there is changed. What a package needs besides is printed as commands.",
    examples: ["navigator init my-app"],
    run: async (io: CommandIo, folder: string | undefined) => {
      const made = initProject(folder ?? ".", {
        template: TEMPLATE,
        version: packageVersion(),
        userAgent: process.env.npm_config_user_agent,
      });
      io.result(made, () => initializedText(made));
    },
  },
};
