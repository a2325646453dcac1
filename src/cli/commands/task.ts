import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { parseDefinition } from "../../core/graph/parse";
import { type AdvanceAnswer, newTask, type Task } from "../../core/graph/task";
import type { Json } from "../../core/json";
import { CliError, EXIT } from "../exit";
import type { CommandIo } from "../io";
import { jsonArgument, jsonObjectArgument } from "../json-argument";
import { taskText } from "../render-task";
import { withSession } from "../session";

export function registerTask(program: Command, io: CommandIo): void {
  const task = program.command("task").description("tasks on a workflow graph");

  task
    .command("start <definition>")
    .description("start a task on a definition file (JSON); the same id twice answers with the running one")
    .requiredOption("--id <id>", "task id; the workflow id is task/<id>")
    .option("--issue <id>", "what it is about", "")
    .option("--context <json>", "input of the task, JSON or @FILE", "{}")
    .option("--priority <number>", "bigger is more important", "0")
    .option("--config <file>", "the project whose agents drive the nodes (default: searched in this folder)")
    .option("--no-agents", "drive every node from outside")
    .option("--model <name>", "model of agents that name none (default: NAVIGATOR_MODEL, else scripted)")
    .addHelpText(
      "after",
      "\nExample:\n  navigator task start examples/order/order-fulfilment.json --id order-42 --context '{\"order_id\": 42}' --config examples/order\n",
    )
    .action((file: string, options: StartOptions) => {
      const { definition } = readDefinition(file);
      const context = jsonObjectArgument("--context", options.context);
      return withSession(io, true, async ({ client, config }) => {
        const { loadProject } = await import("../../project");
        const agents = options.agents ? (await loadProject(options.config ?? process.cwd())).agents : {};
        const handle = await client.startTask({
          task: newTask(
            {
              id: options.id,
              issueId: options.issue || options.id,
              workflowType: definition.id ?? options.id,
              context,
              priority: priority(options.priority),
            },
            definition,
            Date.now(),
          ),
          definition,
          agents,
          model: options.model ?? config.model ?? "scripted",
        });
        io.result(
          { task: options.id, workflow_id: handle.workflow.workflowId },
          () => `Started ${handle.workflow.workflowId}. See: navigator task show ${options.id}`,
        );
        return EXIT.done;
      });
    });

  task
    .command("show <id>")
    .description("where a task is, how it came there and what it waits for")
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const handle = client.task(id);
        const [state, reviews, definition] = await Promise.all([handle.show(), handle.reviews(), handle.definition()]);
        io.result({ task: state, reviews }, () => taskText(definition, state, reviews));
        return exitCodeOf(state);
      }),
    );

  task
    .command("advance <id>")
    .description("say what happened at the task's present step")
    .option("--result <text>", "the step's result, e.g. passed or failed")
    .option("--output <json>", "kept in the history (JSON or @FILE)")
    .option("--step <id>", "only if the task is still at this step")
    .addHelpText("after", "\nExample:\n  navigator task advance bug-7 --result passed --step review\n")
    .action((id: string, options: { result?: string; output?: string; step?: string }) =>
      withSession(io, false, async ({ client }) => {
        const answer = await client.task(id).advance({
          ...(options.result === undefined ? {} : { result: options.result }),
          ...(options.output === undefined ? {} : { output: jsonArgument("--output", options.output) }),
          ...(options.step === undefined ? {} : { expectedStep: options.step }),
        });
        io.result(answer, () => answerText(answer));
        return EXIT.done;
      }),
    );
}

interface StartOptions {
  id: string;
  issue: string;
  context: string;
  priority: string;
  config?: string;
  agents: boolean;
  model?: string;
}

function readDefinition(file: string) {
  const text = readFileSync(file, "utf8");
  let raw: Json;
  try {
    raw = JSON.parse(text) as Json;
  } catch (error) {
    throw new CliError("invalid_json", `${file} is no JSON: ${(error as Error).message}`);
  }
  const parsed = parseDefinition(raw);
  if (!parsed.ok)
    throw new CliError(parsed.fail.reason, `${file}: ${parsed.fail.message}`, { details: parsed.fail.details });
  return parsed.value;
}

function priority(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new CliError("invalid_priority", `--priority must be a number, got "${text}".`);
  return value;
}

function exitCodeOf(task: Task): (typeof EXIT)[keyof typeof EXIT] {
  if (task.status === "FAILED") return EXIT.failed;
  return task.status === "HITL" ? EXIT.waiting : EXIT.done;
}

function answerText({ previousStep, nextStep, action }: AdvanceAnswer): string {
  return nextStep === null
    ? `${previousStep}: ${action}, the task stays there`
    : `${previousStep} -> ${nextStep} (${action})`;
}
