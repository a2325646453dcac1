import { type LoadLosses, lossesOfLoad } from "../../../client/tasks/load-losses";
import type { LoadedTasks, TaskServiceOptions } from "../../../client/tasks/types";
import { defined } from "../../../core/base/defined";
import { isObject } from "../../../core/base/is-object";
import { NavigatorError } from "../../../core/base/navigator-error";
import { parseData } from "../../../node/data-file";
import { loadConfig } from "../../../node/settings";
import { loadProject } from "../../../project/load";
import { modelOf } from "../../input/model-name";
import { STDIN, textInput } from "../../input/text-input";
import { withTaskService } from "../../session/queue-session";
import { requester } from "../../session/signing";
import type { CommandSpec } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

interface LoadOptions {
  merge?: boolean;
  replace?: boolean;
  yes?: boolean;
  drive: string;
  config?: string;
  model?: string;
}

/** `navigator task load`: loads the orchestrator's list as the task tree. */
export const taskLoadCommands: readonly CommandSpec[] = [
  {
    name: "load <file>",
    about: "load a list of tasks (JSON or YAML; - for standard input) into the project's task tree",
    options: [
      [
        "--merge",
        "add to the loaded tasks and overwrite by id (default); a task without currentStep and status keeps its place",
      ],
      ["--replace", "replace the tree by the list: tasks that the list does not have are removed"],
      ["--yes", "remove tasks or set them back without asking"],
      [
        "--drive <who>",
        "external: an orchestrator advances the tasks; agent: the project's agents do their steps",
        "external",
      ],
      ["--config <file>", "the project whose agents drive the tasks (default: searched in this folder)"],
      ["--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL, else scripted)"],
    ],
    examples: ["navigator task load tasks.json --replace"],
    run: load,
  },
];

async function load(io: CommandIo, file: string, options: LoadOptions): Promise<void> {
  const { drive } = options;
  if (drive !== "external" && drive !== "agent")
    throw badUsage("--drive", `--drive must be external or agent, got "${drive}".`);
  if (options.merge && options.replace) throw badUsage("--merge", "--merge and --replace exclude each other.");
  const tasks = await tasksIn(file);
  const taskService = drive === "agent" ? await agentsOf(options) : {};
  await withTaskService(io, { taskService, of: tasks.length }, async (own) => {
    const mode = options.replace ? "replace" : "merge";
    if (!options.yes) await confirmed(io, await lossesOfLoad(own, tasks, mode));
    const loaded = await own.loadTasks(tasks, mode, {
      drive,
      ...defined({ requested_by: await requester(io) }),
    });
    io.result(loaded, () => loadedText(io, loaded));
  });
}

/** Asks on a terminal before tasks are removed or set back. @throws NavigatorError `confirmation_required` */
async function confirmed(io: CommandIo, losses: LoadLosses | undefined): Promise<void> {
  if (losses === undefined) return;
  const { message, details } = losses;
  await confirm(io, `${message}\nLoad it?`, {
    message: `${message}. Nothing was loaded.`,
    hint: "Add --yes to load it. A task of the list without currentStep and status keeps its place; --merge keeps the other tasks.",
    details,
  });
}

/** A list, or an object with `tasks`. */
async function tasksIn(file: string): Promise<unknown[]> {
  const name = file === "-" ? STDIN : file;
  const raw = parseData(textInput(file), name);
  const tasks = isObject(raw) ? raw.tasks : raw;
  if (Array.isArray(tasks)) return tasks;
  throw new NavigatorError(
    "invalid_input",
    `${name} must be a list of tasks, or an object with such a list in "tasks".`,
    {
      hint: 'For example [{"id": "bug-7", "issueId": "SHOP-1", "workflowType": "bug-fix"}]',
      details: { path: name },
    },
  );
}

async function agentsOf({ config, model }: LoadOptions): Promise<TaskServiceOptions> {
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
