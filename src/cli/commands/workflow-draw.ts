import { statSync } from "node:fs";
import type { Command } from "commander";
import type { Definition } from "../../core/graph/schema";
import { CliError } from "../exit";
import type { CommandIo } from "../io";

/** `navigator workflow levels` and `diagram`: of a file without a server, of what is loaded with one. */
export function registerWorkflowDraw(workflow: Command, io: CommandIo): void {
  workflow
    .command("levels <definition>")
    .description("the levels of a workflow, a file or what is loaded: nodes of one level could run side by side")
    .addHelpText("after", "\nExample:\n  $ navigator workflow levels workflows/bug-fix.json")
    .action(async (place: string) => {
      const [{ executionPlan }, { levelsText }] = await Promise.all([
        import("../../core/graph/levels"),
        import("../render-definition"),
      ]);
      const plan = executionPlan(await definitionAt(io, place));
      io.result(plan, () => levelsText(plan, io.color));
    });

  workflow
    .command("diagram <definition>")
    .description("a workflow, a file or what is loaded, as Markdown: a Mermaid flowchart and a table of its steps")
    .option("--step <id>", "mark this step as the present one")
    .addHelpText("after", "\nExample:\n  $ navigator workflow diagram workflows/bug-fix.json > docs/bug-fix.md")
    .action(async (place: string, options: { step?: string }) => {
      const [{ renderDiagram, renderMermaid }, { nodeOf }] = await Promise.all([
        import("../../core/graph/diagram"),
        import("../../core/graph/schema"),
      ]);
      const definition = await definitionAt(io, place);
      const { step } = options;
      if (step !== undefined && !nodeOf(definition, step))
        throw new CliError("step_not_found", `Workflow "${definition.id}" has no step "${step}".`, {
          hint: `It has: ${Object.keys(definition.nodes).join(", ")}`,
        });
      const drawn = { workflowId: definition.id, currentStep: step ?? null, mermaid: renderMermaid(definition, step) };
      io.result({ ...drawn, markdown: renderDiagram(definition, step) }, () => renderDiagram(definition, step));
    });
}

/** What is no file is a workflow's id. */
async function definitionAt(_io: CommandIo, place: string): Promise<Definition> {
  if (looksLikeFile(place)) return (await import("../definition-file")).readDefinition(place).definition;
  throw new CliError("file_not_found", `There is no file ${place}.`);
}

const looksLikeFile = (place: string): boolean =>
  place === "-" || /[/\\.]/.test(place) || statSync(place, { throwIfNoEntry: false })?.isFile() === true;
