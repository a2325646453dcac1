import type { LoadedWorkflow, Source } from "../../../client/tasks/types";
import { asNavigatorError, NavigatorError } from "../../../core/base/navigator-error";
import { subflowsFirst } from "../../../project/catalog";
import { checkDefinitions } from "../../input/definition-file";
import { wholeNumber } from "../../input/number-argument";
import { withTaskService } from "../../session/queue-session";
import { definitionText } from "../../show/render-definition";
import type { CommandSpec } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

const SOURCES: readonly Source[] = ["catalog", "project", "external"];

/** `navigator workflow load`, `list` and `show`: the loaded definitions. */
export const workflowLoadCommands: readonly CommandSpec[] = [
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
