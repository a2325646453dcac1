import type { Command } from "commander";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

const EXAMPLE = `
A plan is YAML or JSON: {agents, tasks}, as a model writes it, or {plan, options}.
The tools are those of the options, else those of the project; without either, tool names are not checked.
Exit code 2 means that the plan has mistakes; warnings do not count.

Example:
  $ navigator plan check examples/plans/lamps.yaml`;

/** `navigator plan check`: checks a plan and its cost before anything runs. */
export function registerPlanCheck(plan: Command, io: CommandIo): void {
  plan
    .command("check <file>")
    .description("check a plan for errors and warnings, and show its maximum cost; - reads stdin; needs no server")
    .option("--config <file>", "the project whose tools and prices are used (default: searched in this folder)")
    .option("--model <name>", "model, if the options name none (default: NAVIGATOR_MODEL)")
    .addHelpText("after", EXAMPLE)
    .action(async (file: string, { config = ".", ...options }: { config?: string; model?: string }) => {
      const [{ loadConfig }, { readPlanFile }, { checkPlanFile }, { planCheckText }] = await Promise.all([
        import("../../../node/settings"),
        import("../../input/plan-file"),
        import("../../input/check-plan-file"),
        import("../../show/render-plan-check"),
      ]);
      const read = readPlanFile(file);
      const checked = await checkPlanFile(read, { model: loadConfig().model, ...options, project: config });
      io.result(checked, () => planCheckText(checked, io.color));
      if (!checked.ok) process.exitCode = EXIT.usage;
    });
}
