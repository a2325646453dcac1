import type { Command } from "commander";
import type { AdvanceAnswer, Task } from "../../core/graph/task";
import type { Review } from "../../core/review/review";
import { CliError, EXIT, type ExitCode } from "../exit";
import type { CommandIo } from "../io";
import { jsonArgument } from "../json-argument";
import { ANSWER_MS, withSession } from "../session";
import { registerTaskStart } from "./task-start";

export function registerTask(program: Command, io: CommandIo): void {
  const task = program.command("task").description("tasks on a workflow graph");
  registerTaskStart(task, io);

  task
    .command("show <id>")
    .description("where a task is, how it came there and what it waits for")
    .addHelpText(
      "after",
      "\nExit code 1 means that the task failed, 4 that it waits for a person.\n\nExample:\n  $ navigator task show order-42",
    )
    .action((id: string) =>
      withSession(
        io,
        false,
        async ({ client }) => {
          const { taskText } = await import("../render-task");
          const handle = client.task(id);
          const [state, reviews, definition] = await Promise.all([
            handle.show(),
            handle.reviews(),
            handle.definition(),
          ]);
          io.result({ task: state, reviews }, () => taskText(definition, state, reviews, io.color));
          return exitCodeOf(state, reviews);
        },
        { within_ms: ANSWER_MS },
      ),
    );

  task
    .command("advance <id>")
    .description("say what happened at the task's present step")
    .option("--result <text>", "the step's result, e.g. passed or failed")
    .option("--output <json>", "kept in the history (JSON or @FILE)")
    .option("--step <id>", "only if the task is still at this step")
    .addHelpText("after", "\nExample:\n  $ navigator task advance bug-7 --result passed --step review")
    .action((id: string, options: { result?: string; output?: string; step?: string }) => {
      const said = {
        ...(options.result === undefined ? {} : { result: options.result }),
        ...(options.output === undefined ? {} : { output: jsonArgument("--output", options.output) }),
        ...(options.step === undefined ? {} : { expectedStep: options.step }),
      };
      return withSession(
        io,
        false,
        async ({ client }) => {
          const answer = await client.task(id).advance(said);
          if (!answer.success) throw noWay(id, answer);
          io.result(answer, () => answerText(answer));
          return EXIT.done;
        },
        { within_ms: ANSWER_MS },
      );
    });
}

function exitCodeOf(task: Task, reviews: readonly Review[]): ExitCode {
  if (task.status === "FAILED") return EXIT.failed;
  return task.status === "HITL" || reviews.some((review) => review.status === "open") ? EXIT.waiting : EXIT.done;
}

/** The call was fine, but nothing moved: who sent it must not take it for done. */
function noWay(id: string, answer: AdvanceAnswer & { success: false }): CliError {
  const { previousStep: step, result, availableEdges: edges } = answer;
  const said = result === null ? "without a result" : `with "${result}"`;
  const ways = edges.map((edge) => `${edge.on ?? "(any result)"} -> ${edge.to}`).join(", ");
  return new CliError(answer.action, `${id} stays at "${step}": no edge leads on ${said}.`, {
    hint: ways === "" ? "No edge leads out of this step." : `Ways on: ${ways}`,
    details: answer,
  });
}

function answerText({ previousStep, nextStep, action, task }: AdvanceAnswer): string {
  return nextStep === null
    ? `${previousStep}: retries used up and no way out; the task is ${task.status}`
    : `${previousStep} -> ${nextStep} (${action}); the task is ${task.status}`;
}
