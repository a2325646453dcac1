import { loadConfig } from "../../../node/settings";
import { checkInProject, projectWorld } from "../../input/check-in-project";
import { checkDefinitions } from "../../input/definition-file";
import { checkText } from "../../show/render-definition";
import type { CommandSpec } from "../../terminal/command";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator workflow check`: checks definitions without a server. */
export const workflowCheckCommands: readonly CommandSpec[] = [
  {
    name: "check <files...>",
    about: "check definitions for errors and warnings (files, folders, or - for standard input); needs no server",
    options: [
      ["--config <file>", "the project whose agents and tools are used (default: searched in this folder)"],
      ["--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL)"],
    ],
    notes: "Exit code 2 means that a definition has mistakes; warnings do not count.",
    examples: ["navigator workflow check workflows"],
    run: async (io: CommandIo, files: string[], { config, model }: { config?: string; model?: string }) => {
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
    },
  },
];
