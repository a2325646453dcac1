import { statSync } from "node:fs";
import type { LoadedWorkflow, Source } from "../../../client/tasks/types";
import { asNavigatorError, NavigatorError } from "../../../core/base/navigator-error";
import { type Definition, nodeOf } from "../../../core/graph/definition/schema";
import { renderDiagram, renderMermaid } from "../../../core/graph/show/diagram";
import { executionPlan } from "../../../core/graph/show/levels";
import { loadConfig } from "../../../node/settings";
import { subflowsFirst } from "../../../project/catalog/index";
import { wholeNumber } from "../../input/arguments";
import { checkInProject, projectWorld } from "../../input/check-in-project";
import { checkDefinitions, readDefinitionArgument } from "../../input/definition-file";
import { withTaskService } from "../../session/queue-session";
import { checkText, definitionText, levelsText } from "../../show/render-definition";
import type { CommandSpec, TopCommands } from "../../terminal/command";
import { badUsage, EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";
import { workflowInitCommands } from "./init";

/** `navigator workflow check`: checks definitions without a server. */
const workflowCheckCommands: readonly CommandSpec[] = [
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

/** `navigator workflow levels` and `diagram`: for a file without a server, for a loaded definition with one. */
const workflowDrawCommands: readonly CommandSpec[] = [
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

const SOURCES: readonly Source[] = ["catalog", "project", "external"];

/** `navigator workflow load`, `list` and `show`: the loaded definitions. */
const workflowLoadCommands: readonly CommandSpec[] = [
  {
    name: "load <files...>",
    about: "load definitions (files, folders, or - for standard input); running tasks keep the version they have",
    options: [["--id <id>", "id of the definition, if FILE is one file"]],
    examples: ["navigator workflow load workflows"],
    run: (io: CommandIo, files: string[], options: { id?: string }) => load(io, files, options.id),
  },
  {
    name: "list",
    about: "list the loaded definitions",
    options: [["--source <source>", `only definitions from this source: ${SOURCES.join(", ")}`]],
    examples: ["navigator workflow list"],
    run: (io: CommandIo, options: { source?: string }) => {
      const source = sourceOf(options.source);
      return withTaskService(io, async (taskService) => {
        const workflows = await taskService.listWorkflows(source);
        io.result({ workflows }, () =>
          workflows.length === 0
            ? "Nothing is loaded: navigator workflow load FILE"
            : renderTable(
                workflows.map((one) => [one.id, String(one.version), String(one.stepCount), one.source, one.name]),
                ["WORKFLOW", "VERSION", "NODES", "FROM", "NAME"],
              ),
        );
      });
    },
  },
  {
    name: "show <id>",
    about: "show a loaded definition: its steps and their edges",
    options: [["--workflow-version <number>", "an older version"]],
    examples: ["navigator workflow show bug-fix"],
    run: (io: CommandIo, id: string, options: { workflowVersion?: string }) => {
      const version = wholeNumber("--workflow-version", options.workflowVersion, 1);
      return withTaskService(io, async (taskService) => {
        const stored = await taskService.workflow(id, version);
        io.result(stored, () => definitionText(stored, io.color));
      });
    },
  },
];

export const workflowCommands: TopCommands = {
  workflow: {
    commands: [...workflowInitCommands, ...workflowCheckCommands, ...workflowLoadCommands, ...workflowDrawCommands],
  },
};

/** Nothing is loaded if one of them has a mistake. */
async function load(io: CommandIo, files: readonly string[], id: string | undefined): Promise<void> {
  const checked = checkDefinitions(files, id);
  if (id !== undefined && checked.length !== 1)
    throw badUsage("--id", `--id names one definition, but there are ${checked.length}.`);
  if (checked.length === 0)
    throw new NavigatorError("not_found", `There are no definitions in ${files.join(", ")}.`, {
      details: { path: files.join(", "), kind: "file" },
    });
  const wrong = checked.filter(({ definition }) => definition === null);
  if (wrong.length > 0)
    throw asNavigatorError({
      reason: (wrong.length === 1 && wrong[0]?.code) || "invalid_workflow",
      message: wrong.map(({ mistakes }) => mistakes).join("\n"),
      details: { path: wrong[0]?.file, files: wrong.map(({ file, errors, warnings }) => ({ file, errors, warnings })) },
    });
  const definitions = subflowsFirst(checked.flatMap(({ definition }) => definition ?? []));
  await withTaskService(io, { of: checked.length }, async (taskService) => {
    const loaded: LoadedWorkflow[] = [];
    for (const one of definitions) loaded.push(await taskService.loadWorkflow(undefined, one, "project"));
    io.result({ workflows: loaded }, () => loadedText(io, loaded));
  });
}

function loadedText(io: CommandIo, loaded: readonly LoadedWorkflow[]): string {
  return loaded
    .flatMap(({ id, version, stepCount, edgeCount, warnings }) => [
      `Loaded ${id}, version ${version}: ${stepCount} nodes, ${edgeCount} edges`,
      ...warnings.map(({ code, message }) => `  ${io.color.yellow(`warning ${code}`)}: ${message}`),
    ])
    .join("\n");
}

function sourceOf(text: string | undefined): Source | undefined {
  if (text === undefined || SOURCES.includes(text as Source)) return text as Source | undefined;
  throw badUsage("--source", `--source must be one of ${SOURCES.join(", ")}, got "${text}".`);
}
