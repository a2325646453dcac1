import { loadConfig } from "../../../node/settings";
import { checkPlanFile } from "../../input/check-plan-file";
import { readPlanFile } from "../../input/plan-file";
import { planCheckText } from "../../show/render-plan-check";
import type { CommandSpec } from "../../terminal/command";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator plan check`: checks a plan and its cost before anything runs. */
export const planCheckCommands: readonly CommandSpec[] = [
  {
    name: "check <file>",
    about: "check a plan for errors and warnings, and show its maximum cost; - reads stdin; needs no server",
    options: [
      ["--config <file>", "the project whose tools and prices are used (default: searched in this folder)"],
      ["--model <name>", "model, if the options name none (default: NAVIGATOR_MODEL)"],
    ],
    notes: `A plan is YAML or JSON: {agents, tasks}, as a model writes it, or {plan, options}.
The tools are those of the options, else those of the project; without either, tool names are not checked.
Exit code 2 means that the plan has mistakes; warnings do not count.`,
    examples: ["navigator plan check examples/plans/lamps.yaml"],
    run: async (io: CommandIo, file: string, { config = ".", ...options }: { config?: string; model?: string }) => {
      const read = readPlanFile(file);
      const checked = await checkPlanFile(read, { model: loadConfig().model, ...options, project: config });
      io.result(checked, () => planCheckText(checked, io.color));
      if (!checked.ok) process.exitCode = EXIT.usage;
    },
  },
];
