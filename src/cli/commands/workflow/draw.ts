import { statSync } from "node:fs";
import { NavigatorError } from "../../../core/base/navigator-error";
import { type Definition, nodeOf } from "../../../core/graph/definition/schema";
import { renderDiagram, renderMermaid } from "../../../core/graph/show/diagram";
import { executionPlan } from "../../../core/graph/show/levels";
import { readDefinitionArgument } from "../../input/definition-file";
import { withTaskService } from "../../session/queue-session";
import { levelsText } from "../../show/render-definition";
import type { CommandSpec } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator workflow levels` and `diagram`: for a file without a server, for a loaded definition with one. */
export const workflowDrawCommands: readonly CommandSpec[] = [
  {
    name: "levels <definition>",
    about: "the levels of a workflow (a file, or the id of a loaded one): nodes of one level could run in parallel",
    examples: ["navigator workflow levels workflows/bug-fix.json"],
    run: async (io: CommandIo, place: string) => {
      await drawing(io, place, ({ definition }) => {
        const plan = executionPlan(definition);
        io.result(plan, () => levelsText(plan, io.color));
      });
    },
  },
  {
    name: "diagram [definition]",
    about: "a workflow (a file, or the id of a loaded one) as Markdown: a Mermaid flowchart and a table of its steps",
    options: [
      ["--task <id>", "the workflow of this task, with its current step marked"],
      ["--step <id>", "mark this step as the current one"],
    ],
    examples: ["navigator workflow diagram workflows/bug-fix.json > docs/bug-fix.md"],
    run: async (io: CommandIo, place: string | undefined, options: { task?: string; step?: string }) => {
      if (place !== undefined && options.task !== undefined)
        throw badUsage("--task", "A task has its own workflow: name a definition or --task, not both.");
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
    },
  },
];

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
    });
  if (place === undefined)
    throw badUsage("WORKFLOW", "Name a workflow file, the id of a loaded workflow, or --task ID.");
  if (looksLikeFile(place)) {
    return use({ definition: readDefinitionArgument(place).definition, step: null });
  }
  return withTaskService(io, async (taskService) => {
    use({ definition: (await taskService.workflow(place)).definition, step: null });
  });
}

const looksLikeFile = (place: string): boolean =>
  place === "-" || /[/\\.]/.test(place) || statSync(place, { throwIfNoEntry: false })?.isFile() === true;
