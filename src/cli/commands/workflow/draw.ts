import { statSync } from "node:fs";
import type { Command } from "commander";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Definition } from "../../../core/graph/definition/schema";
import { withTaskService } from "../../session/queue-session";

import type { CommandIo } from "../../terminal/io";

/** `navigator workflow levels` and `diagram`: for a file without a server, for a loaded definition with one. */
export function registerWorkflowDraw(workflow: Command, io: CommandIo): void {
  workflow
    .command("levels <definition>")
    .description(
      "the levels of a workflow (a file, or the id of a loaded one): nodes of one level could run in parallel",
    )
    .addHelpText("after", "\nExample:\n  $ navigator workflow levels workflows/bug-fix.json")
    .action(async (place: string) => {
      const [{ executionPlan }, { levelsText }] = await Promise.all([
        import("../../../core/graph/show/levels"),
        import("../../show/render-definition"),
      ]);
      await drawing(io, place, ({ definition }) => {
        const plan = executionPlan(definition);
        io.result(plan, () => levelsText(plan, io.color));
      });
    });

  workflow
    .command("diagram [definition]")
    .description(
      "a workflow (a file, or the id of a loaded one) as Markdown: a Mermaid flowchart and a table of its steps",
    )
    .option("--task <id>", "the workflow of this task, with its current step marked")
    .option("--step <id>", "mark this step as the current one")
    .addHelpText("after", "\nExample:\n  $ navigator workflow diagram workflows/bug-fix.json > docs/bug-fix.md")
    .action(async (place: string | undefined, options: { task?: string; step?: string }) => {
      const [{ renderDiagram, renderMermaid }, { nodeOf }] = await Promise.all([
        import("../../../core/graph/show/diagram"),
        import("../../../core/graph/definition/schema"),
      ]);
      if (place !== undefined && options.task !== undefined)
        throw new NavigatorError("bad_usage", "A task has its own workflow: name a definition or --task, not both.", {
          details: { path: "--task" },
        });
      const draw = ({ definition, step: present }: Drawn) => {
        const step = options.step ?? present ?? undefined;
        if (options.step !== undefined && !nodeOf(definition, options.step))
          throw new NavigatorError("step_not_found", `Workflow "${definition.id}" has no step "${options.step}".`, {
            hint: `It has: ${Object.keys(definition.nodes).join(", ")}`,
          });
        const markdown = renderDiagram(definition, step);
        const mermaid = renderMermaid(definition, step);
        io.result({ workflowId: definition.id, currentStep: step ?? null, mermaid, markdown }, () => markdown);
      };
      await drawing(io, place, draw, options.task);
    });
}

interface Drawn {
  definition: Definition;
  /** The step to mark; null = none. */
  step: string | null;
}

/** A name that is not a file is the id of a loaded workflow. */
async function drawing(io: CommandIo, place: string | undefined, use: (drawn: Drawn) => void, task?: string) {
  if (task !== undefined)
    return withTaskService(io, async (taskService) => {
      const [{ currentStep }, definition] = await Promise.all([taskService.task(task), taskService.definitionOf(task)]);
      use({ definition, step: currentStep });
      return undefined;
    });
  if (place === undefined)
    throw new NavigatorError("bad_usage", "Name a workflow file, the id of a loaded workflow, or --task ID.", {
      details: { path: "WORKFLOW" },
    });
  if (looksLikeFile(place)) {
    const { readDefinitionArgument } = await import("../../input/definition-file");
    return use({ definition: readDefinitionArgument(place).definition, step: null });
  }
  return withTaskService(io, async (taskService) => {
    use({ definition: (await taskService.workflow(place)).definition, step: null });
    return undefined;
  });
}

const looksLikeFile = (place: string): boolean =>
  place === "-" || /[/\\.]/.test(place) || statSync(place, { throwIfNoEntry: false })?.isFile() === true;
