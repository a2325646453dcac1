import type { NavigatorClient } from "../../../client/client";
import { knownTask } from "../../../client/tasks/known-task";
import { noWayOut } from "../../../client/tasks/no-way";
import type { TaskServiceApi } from "../../../client/tasks/types";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { cutText } from "../../../core/base/whole-characters";
import type { Advance, AdvanceAnswer, Task } from "../../../core/graph/task/task";
import type { Review } from "../../../core/review/review";
import { jsonArgument, wholeNumber } from "../../input/arguments";
import { actorOfShell } from "../../session/actor";
import { blockedLines } from "../../session/notices";
import { withTaskService } from "../../session/queue-session";
import { knownTaskText, taskFailureLines, taskText } from "../../show/render-task";
import type { CommandSpec, TopCommands } from "../../terminal/command";
import { EXIT, type ExitCode } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { taskLoadCommands } from "./load";
import { taskQueueCommands } from "./queue";
import { taskStartCommands } from "./start";

interface AdvanceOptions {
  result?: string;
  output?: string;
  step?: string;
  fromVersion?: string;
  claim?: string;
  force?: boolean;
}

function advanceOf({ result, output, step, fromVersion, claim, force }: AdvanceOptions, actor: string): Advance {
  const version = wholeNumber("--from-version", fromVersion, 0);
  return {
    ...defined({ result }),
    ...(output === undefined ? {} : { output: jsonArgument("--output", output) }),
    ...defined({ expectedStep: step, version, claim }),
    ...(force ? { force } : {}),
    by: { id: cutText(actor, 200), kind: "person", via: "cli" },
  };
}

/** A worker answers in milliseconds, and in a second or two if it must replay a long history first. */
const SOON_MS = 4_000;

/** null: no worker answers soon. */
async function orNoWorker<T>({ temporal }: NavigatorClient, read: () => Promise<T>): Promise<T | null> {
  try {
    return await temporal.withDeadline(Date.now() + SOON_MS, read);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "no_worker") return null;
    throw error;
  }
}

/** The server knows where the task is, and what is asked of people. */
async function showWithoutWorker(io: CommandIo, client: NavigatorClient, id: string): Promise<ExitCode> {
  const { reviews, ...task } = await knownTask(client, id);
  io.result({ task, reviews, no_worker: true }, () => knownTaskText({ ...task, reviews }, io.color));
  return exitCodeOf(task, reviews);
}

/** A task may be loaded before its workflow, and exists all the same. */
function unlessNotLoaded(error: unknown): null {
  if ((error as { code?: unknown }).code === "workflow_not_found") return null;
  throw error;
}

function exitCodeOf(task: Pick<Task, "status">, reviews: readonly Review[]): ExitCode {
  if (task.status === "FAILED") return EXIT.failed;
  return task.status === "HITL" || reviews.some((review) => review.status === "open") ? EXIT.waiting : EXIT.done;
}

function answerText({ previousStep, nextStep, action, task }: AdvanceAnswer): string {
  return nextStep === null
    ? `${previousStep}: retries used up and no way out; the task is ${task.status}`
    : `${previousStep} -> ${nextStep} (${action}); the task is ${task.status}`;
}

const change = (
  name: string,
  about: string,
  call: (taskService: TaskServiceApi, id: string, note?: string) => Promise<Task>,
): CommandSpec => ({
  name: `${name} <id>`,
  about,
  options: name === "resume" ? [] : [["--note <text>", "why"]],
  examples: [`navigator task ${name} bug-7`],
  run: (io: CommandIo, id: string, options: { note?: string }) =>
    withTaskService(io, async (taskService) => {
      const changed = await call(taskService, id, options.note);
      io.result(changed, () => `${id} is ${changed.status} at ${changed.currentStep}.`);
    }),
});

/** `navigator task pause`, `resume` and `cancel`. */
const taskChangeCommands: readonly CommandSpec[] = [
  change("pause", "pause a task: nothing moves it until it is resumed", (taskService, id, note) =>
    taskService.pause(id, note),
  ),
  change("resume", "resume a paused task", (taskService, id) => taskService.resume(id)),
  change("cancel", "end a task at its current step, as FAILED with the result cancelled", (taskService, id, note) =>
    taskService.cancel(id, note),
  ),
];

export const taskCommands: TopCommands = {
  task: {
    commands: [
      ...taskStartCommands,
      ...taskLoadCommands,
      ...taskQueueCommands,
      {
        name: "show <id>",
        about: "show where a task is, how it got there and what it waits for",
        notes: "Exit code 1 means that the task failed, 4 that it waits for a person.",
        examples: ["navigator task show order-42"],
        run: (io: CommandIo, id: string) =>
          withTaskService(io, async (taskService, { client }) => {
            // This comes first: a missing task is reported as a task, not as a workflow.
            const view = await orNoWorker(client, () => taskService.task(id));
            if (view === null) return showWithoutWorker(io, client, id);
            const handle = client.task(id);
            const [reviews, definition, blocked] = await Promise.all([
              handle.reviews(),
              taskService.definitionOf(id).catch(unlessNotLoaded),
              client.blocked(handle.workflow.workflowId),
            ]);
            io.result({ task: view, reviews, ...(blocked.length === 0 ? {} : { blocked }) }, () =>
              [taskText(definition, view, reviews, io.color), ...blockedLines(blocked)].join("\n"),
            );
            return exitCodeOf(view, reviews);
          }),
      },
      {
        name: "advance <id>",
        about: "report the result of the task's current step",
        options: [
          ["--result <text>", "the step's result, e.g. passed or failed"],
          ["--output <json>", "output of the step, kept in the history (JSON or @FILE)"],
          ["--step <id>", "only if the task is still at this step"],
          [
            "--from-version <number>",
            "the version that you saw (see `task show`): moves once, and only from there; required where a person is asked",
          ],
          ["--claim <token>", "the token of your claim, if the task is claimed"],
          ["--force", "at a fork: continue although branches are open; at a wait: continue now"],
        ],
        examples: ["navigator task advance bug-7 --result passed --step review"],
        run: async (io: CommandIo, id: string, options: AdvanceOptions) => {
          const given = advanceOf(options, await actorOfShell(io, undefined));
          return withTaskService(io, async (taskService) => {
            const answer = await taskService.advance(id, given);
            if (!answer.success) throw noWayOut(id, answer);
            io.result(answer, () => [answerText(answer), ...taskFailureLines(answer.task, io.color)].join("\n"));
          });
        },
      },
      ...taskChangeCommands,
    ],
  },
};
