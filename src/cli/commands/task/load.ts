import type { Command } from "commander";
import { isObject } from "../../../core/base/is-object";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { LoadedTasks, TaskServiceOptions } from "../../../queue/types";
import { withTaskService } from "../../session/queue-session";

import type { CommandIo } from "../../terminal/io";

interface LoadOptions {
  merge?: boolean;
  drive: string;
  config?: string;
  model?: string;
}

/** `navigator task load`: loads the orchestrator's list as the task tree. */
export function registerTaskLoad(task: Command, io: CommandIo): void {
  task
    .command("load <file>")
    .description("load a list of tasks (JSON or YAML; - for standard input); it replaces the loaded list")
    .option("--merge", "add to the loaded tasks and overwrite by id")
    .option(
      "--drive <who>",
      "external: an orchestrator advances the tasks; agent: the project's agents do their steps",
      "external",
    )
    .option("--config <file>", "the project whose agents drive the tasks (default: searched in this folder)")
    .option("--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL, else scripted)")
    .addHelpText("after", "\nExample:\n  $ navigator task load tasks.json --merge")
    .action((file: string, options: LoadOptions) => load(io, file, options));
}

async function load(io: CommandIo, file: string, options: LoadOptions): Promise<void> {
  const { drive } = options;
  if (drive !== "external" && drive !== "agent")
    throw new NavigatorError("invalid_arguments", `--drive must be external or agent, got "${drive}".`);
  const tasks = await tasksIn(file);
  const taskService = drive === "agent" ? await agentsOf(options) : {};
  await withTaskService(
    io,
    async (own) => {
      const loaded = await own.loadTasks(tasks, options.merge ? "merge" : "replace", { drive });
      io.result(loaded, () => loadedText(io, loaded));
      return undefined;
    },
    { taskService, of: tasks.length },
  );
}

/** A list, or an object with `tasks`. */
async function tasksIn(file: string): Promise<unknown[]> {
  const [{ parseData }, { STDIN, textInput }] = await Promise.all([
    import("../../../node/data-file"),
    import("../../input/text-input"),
  ]);
  const name = file === "-" ? STDIN : file;
  const raw = parseData(textInput(file), name);
  const tasks = isObject(raw) ? raw.tasks : raw;
  if (Array.isArray(tasks)) return tasks;
  throw new NavigatorError(
    "invalid_tasks",
    `${name} must be a list of tasks, or an object with such a list in "tasks".`,
    {
      hint: 'For example [{"id": "bug-7", "issueId": "SHOP-1", "workflowType": "bug-fix"}]',
    },
  );
}

async function agentsOf({ config, model }: LoadOptions): Promise<TaskServiceOptions> {
  const [{ loadProject }, { modelOf }, { loadConfig }] = await Promise.all([
    import("../../../project/load"),
    import("../../input/model-name"),
    import("../../../node/settings"),
  ]);
  const project = await loadProject(config ?? process.cwd());
  return { agents: project.agents, model: modelOf({ option: model, config: loadConfig() }, project.models, false) };
}

function loadedText(io: CommandIo, { loaded, replaced, total, byStatus, warnings }: LoadedTasks): string {
  const counts = Object.entries(byStatus).flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]));
  return [
    `Loaded ${loaded}, replaced ${replaced}. Now ${total}: ${counts.join(", ") || "none"}`,
    ...warnings.map(({ code, message }) => `  ${io.color.yellow(`warning ${code}`)}: ${message}`),
  ].join("\n");
}
