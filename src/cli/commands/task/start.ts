import { readdirSync } from "node:fs";
import path from "node:path";
import { missionEnd } from "../../../client/history";
import type { AgentDefinition } from "../../../core/agent/definition/definition";
import { defined } from "../../../core/base/defined";
import { bareId, workflowIdFor } from "../../../core/base/ids";
import { beginsAt, type Definition, workOf } from "../../../core/graph/definition/schema";
import { newTask } from "../../../core/graph/task/task";
import { loadConfig } from "../../../node/settings";
import { shellWord } from "../../../node/shell-word";
import { loadProject } from "../../../project/load";
import { jsonObjectArgument, SHARE_OPTIONS, type ShareFlags, shareArguments } from "../../input/arguments";
import { readDefinitionArgument } from "../../input/definition-file";
import { modelOf } from "../../input/model-name";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import { failureLines } from "../../show/render-missions";
import { type CommandSpec, required } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

interface StartOptions extends ShareFlags {
  id: string;
  join?: boolean;
  issue: string;
  context: string;
  config?: string;
  agents: boolean;
  model?: string;
}

/** `navigator task start`. */
export const taskStartCommands: readonly CommandSpec[] = [
  {
    name: "start <definition>",
    about: "start a task on a definition file (JSON or YAML); if the id exists already, the command shows that task",
    options: [
      ...SHARE_OPTIONS,
      required("--id <id>", "task id; the workflow id is task/<id>"),
      ["--join", "show the task of this --id, whatever it was started with"],
      ["--issue <id>", "what the task is about", ""],
      ["--context <json>", "input of the task, JSON or @FILE", "{}"],
      ["--config <file>", "the project whose agents drive the nodes (default: searched in this folder)"],
      ["--no-agents", "drive every node from outside"],
      ["--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL, else scripted)"],
    ],
    examples: [
      `navigator task start examples/order/order-fulfilment.json --id order-42 --context '{"order_id": 42}' --config examples/order`,
    ],
    run: start,
  },
];

/** All mistakes in the input are found before a server is looked up. */
async function start(io: CommandIo, file: string, options: StartOptions): Promise<void> {
  const id = taskId(options.id);
  const context = jsonObjectArgument("--context", options.context);
  const { priority = 0, fairness } = shareArguments(options);
  const { definition } = readDefinitionArgument(file);
  const project = await loadProject(options.config ?? process.cwd());
  const agents = options.agents ? project.agents : {};
  const model = modelOf({ option: options.model, config: loadConfig() }, project.models, false);
  await withSession(io, "start", async ({ client }) => {
    const startedBefore = await client.has(workflowIdFor("task", id));
    const about = { id, issueId: options.issue || id, workflowType: definition.id, context, priority };
    const task = newTask(about, definition, Date.now());
    const handle = await client.startTask({
      ...{ task, definition, agents, model },
      join: options.join === true,
      ...defined({ fairness, requested_by: await requester(io) }),
    });
    const outside = await drivenFromOutside(definition, agents);
    const answer = { task: id, workflow_id: handle.workflow.workflowId, started_before: startedBefore };
    const end = startedBefore ? await missionEnd(handle.workflow) : null;
    io.result({ ...answer, driven_from_outside: outside, ...defined({ fail: end?.fail }) }, () =>
      [
        startedBefore
          ? `${answer.workflow_id} was started before and is unchanged; use a new --id to start another.`
          : `Started ${answer.workflow_id}.`,
        ...(outside.length === 0 ? [] : [`Driven from outside (navigator task advance): ${outside.join(", ")}`]),
        ...projectHint(file, options, outside),
        ...(end === null ? [workerHint(options.config)] : []),
        `See: navigator task show ${shellWord(id)}`,
        ...failureLines(answer.workflow_id, end, io.color),
      ].join("\n"),
    );
  });
}

const workerHint = (config: string | undefined): string =>
  `A worker must be running: navigator worker${config === undefined ? "" : ` --config ${shellWord(config)}`}`;

/** Work steps without an agent of the project, as text for people. */
async function drivenFromOutside(
  definition: Definition,
  agents: { [name: string]: AgentDefinition },
): Promise<string[]> {
  return Object.entries(definition.nodes).flatMap(([step, node]) => {
    const work = workOf(node);
    if (!work || beginsAt(definition, step) !== "nothing") return [];
    if (work.agent === undefined) return [step];
    return Object.hasOwn(agents, work.agent) ? [] : [`${step} (no agent "${work.agent}" here)`];
  });
}

/** The missing agents are most likely those of the project in the definition's folder. */
function projectHint(file: string, options: StartOptions, outside: string[]): string[] {
  const folder = path.dirname(file);
  if (!outside.some((step) => step.includes("no agent")) || !options.agents || options.config !== undefined) return [];
  const found = readdirSync(folder).some((name) => name.startsWith("navigator.config."));
  return found ? [`The agents of ${folder} do not drive this task: start a task with --config ${folder}`] : [];
}

/** The id with or without the prefix of its workflow. */
function taskId(text: string): string {
  const id = bareId("task", text).trim();
  if (id === "") throw badUsage("--id", "--id must not be empty.", "For example --id order-42");
  return id;
}
