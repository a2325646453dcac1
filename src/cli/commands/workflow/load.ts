import type { Command } from "commander";
import type { LoadedWorkflow, Source } from "../../../client/tasks/types";
import { asNavigatorError, NavigatorError } from "../../../core/base/navigator-error";
import { wholeNumber } from "../../input/number-argument";
import { withTaskService } from "../../session/queue-session";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

const SOURCES: readonly Source[] = ["catalog", "project", "external"];

/** `navigator workflow load`, `list` and `show`: the loaded definitions. */
export function registerWorkflowLoad(workflow: Command, io: CommandIo): void {
  workflow
    .command("load <files...>")
    .description("load definitions (files, folders, or - for standard input); running tasks keep the version they have")
    .option("--id <id>", "id of the definition, if FILE is one file")
    .addHelpText("after", "\nExample:\n  $ navigator workflow load workflows")
    .action((files: string[], options: { id?: string }) => load(io, files, options.id));

  workflow
    .command("list")
    .description("list the loaded definitions")
    .option("--source <source>", `only definitions from this source: ${SOURCES.join(", ")}`)
    .addHelpText("after", "\nExample:\n  $ navigator workflow list")
    .action((options: { source?: string }) => {
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
        return undefined;
      });
    });

  workflow
    .command("show <id>")
    .description("show a loaded definition: its steps and their edges")
    .option("--workflow-version <number>", "an older version")
    .addHelpText("after", "\nExample:\n  $ navigator workflow show bug-fix")
    .action((id: string, options: { workflowVersion?: string }) => {
      const version = wholeNumber("--workflow-version", options.workflowVersion, 1);
      return withTaskService(io, async (taskService) => {
        const [stored, { definitionText }] = await Promise.all([
          taskService.workflow(id, version),
          import("../../show/render-definition"),
        ]);
        io.result(stored, () => definitionText(stored, io.color));
        return undefined;
      });
    });
}

/** Nothing is loaded if one of them has a mistake. */
async function load(io: CommandIo, files: readonly string[], id: string | undefined): Promise<void> {
  const [{ checkDefinitions }, { subflowsFirst }] = await Promise.all([
    import("../../input/definition-file"),
    import("../../../project/catalog"),
  ]);
  const checked = checkDefinitions(files, id);
  if (id !== undefined && checked.length !== 1)
    throw new NavigatorError("bad_usage", `--id names one definition, but there are ${checked.length}.`, {
      details: { path: "--id" },
    });
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
  await withTaskService(
    io,
    async (taskService) => {
      const loaded: LoadedWorkflow[] = [];
      for (const one of definitions) loaded.push(await taskService.loadWorkflow(undefined, one, "project"));
      io.result({ workflows: loaded }, () => loadedText(io, loaded));
      return undefined;
    },
    { of: checked.length },
  );
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
  throw new NavigatorError("bad_usage", `--source must be one of ${SOURCES.join(", ")}, got "${text}".`, {
    details: { path: "--source" },
  });
}
