import type { Command } from "commander";
import type { ClaimedTask, TasksByStatus } from "../../../client/tasks/types";
import { NavigatorError } from "../../../core/base/navigator-error";
import { joinLines } from "../../../core/base/one-line";
import type { Task, TaskStatus } from "../../../core/graph/task/task";
import { lastStepFailure } from "../../../core/graph/task/task-failure";
import { shellWord } from "../../../node/shell-word";
import { duration, wholeNumber } from "../../input/number-argument";
import { withTaskService } from "../../session/queue-session";
import type { CommandIo } from "../../terminal/io";
import { renderTable, renderTime } from "../../terminal/render";

const STATUSES: readonly TaskStatus[] = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL", "COMPLETED", "FAILED"];
const LEASE = ["--lease <time>", "how long the claim lasts without renewal", "5m"] as const;

/** `navigator task list`, `next`, `claim` and `release`: the task queue and its claims. */
export function registerTaskQueue(task: Command, io: CommandIo): void {
  task
    .command("list")
    .description("list the loaded tasks by status")
    .option("--status <status>", `only tasks with this status: ${STATUSES.join(", ")}`)
    .addHelpText("after", "\nExample:\n  $ navigator task list --status HITL")
    .action((options: { status?: string }) => {
      const status = statusOf(options.status);
      return withTaskService(
        io,
        async (taskService) => {
          const tasks = await taskService.tasksByStatus(status);
          io.result(tasks, () => listText(tasks));
          return undefined;
        },
        { of: MANY },
      );
    });

  task
    .command("next")
    .description("list the most important pending tasks")
    .option("--limit <number>", "maximum number", "1")
    .option("--claim", "claim them, so that nobody else gets them")
    .option("--owner <name>", "who claims them")
    .option(...LEASE)
    .addHelpText("after", "\nExample:\n  $ navigator task next --claim --owner builder-1 --lease 10m")
    .action((options: NextOptions) => next(io, options));

  task
    .command("claim <id>")
    .description("claim a task, or renew a claim; prints the token that is needed to advance the task")
    .requiredOption("--owner <name>", "who claims it")
    .option(...LEASE)
    .option("--claim <token>", "renew the claim with this token")
    .addHelpText("after", "\nExample:\n  $ navigator task claim bug-7 --owner builder-1 --lease 10m")
    .action((id: string, options: { owner: string; lease: string; claim?: string }) => {
      const token = options.claim;
      const claim = { owner: ownerOf(options.owner), leaseMs: duration("--lease", options.lease) };
      return withTaskService(io, async (taskService) => {
        const claimed = await taskService.claim(id, token === undefined ? claim : { ...claim, token });
        io.result(claimed, () => claimedText([claimed]));
        return undefined;
      });
    });

  task
    .command("release <id>")
    .description("release a claim before it expires")
    .requiredOption("--claim <token>", "the token of the claim")
    .addHelpText("after", "\nExample:\n  $ navigator task release bug-7 --claim 0b54cf19-6a3e-4f6c-9d55-6a0f1c1f3c7e")
    .action((id: string, options: { claim: string }) => {
      return withTaskService(io, async (taskService) => {
        const released = await taskService.release(id, options.claim);
        io.result(released, () => `${id} is free again.`);
        return undefined;
      });
    });
}

interface NextOptions {
  limit: string;
  claim?: boolean;
  owner?: string;
  lease: string;
}

function next(io: CommandIo, { limit, claim, owner, lease }: NextOptions): Promise<void> {
  const most = wholeNumber("--limit", limit, 1) as number;
  const leaseMs = duration("--lease", lease);
  if (!claim && owner !== undefined)
    throw new NavigatorError("bad_usage", "--owner says who claims the tasks: it needs --claim.", {
      details: { path: "--owner" },
    });
  const request = claim ? { owner: ownerOf(owner), leaseMs } : null;
  return withTaskService(
    io,
    async (taskService) => {
      if (request) {
        const claimed = await taskService.claimNext(most, request);
        io.result({ count: claimed.length, claimed }, () => (claimed.length === 0 ? NOTHING : claimedText(claimed)));
      } else {
        const unconfirmed: string[] = [];
        const tasks = await taskService.nextTasks(most, unconfirmed);
        const silent = unconfirmed.length === 0 ? {} : { unconfirmed };
        io.result({ count: tasks.length, tasks, ...silent }, () =>
          [tasks.length === 0 ? NOTHING : tasksTable(tasks), ...silentNote(unconfirmed)].join("\n"),
        );
      }
      return undefined;
    },
    { of: most },
  );
}

const silentNote = (unconfirmed: readonly string[]): string[] =>
  unconfirmed.length === 0
    ? []
    : [`Left out: ${unconfirmed.join(", ")}. No worker of their task queue answers: navigator worker`];

const NOTHING = "There is nothing to do.";
/** Asks every task; their number is not known before. */
const MANY = 500;

function listText({ counts, tasks, unconfirmed = [] }: TasksByStatus): string {
  const all = STATUSES.flatMap((status) => tasks[status] ?? []);
  const sums = STATUSES.flatMap((status) => (counts[status] === 0 ? [] : [`${counts[status]} ${status}`]));
  if (sums.length === 0) return "There are no tasks: navigator task load FILE";
  const silent = new Set(unconfirmed);
  const shown = all.map((task) => (silent.has(task.id) ? { ...task, status: `${task.status}?` } : task));
  const note =
    unconfirmed.length === 0
      ? []
      : [`? ${unconfirmed.length} not confirmed: no worker of their task queue answers. Shown as last listed.`];
  const text = all.length === 0 ? sums.join(", ") : `${tasksTable(shown)}\n\n${sums.join(", ")}`;
  return [text, ...note].join("\n");
}

function tasksTable(tasks: readonly (Omit<Task, "status"> & { status: string })[]): string {
  const errors = tasks.map(errorOf);
  const rows = tasks.map((task, i) => [
    task.id,
    task.status,
    task.workflowType,
    task.currentStep,
    String(task.priority),
    task.issueId === task.id ? "" : task.issueId,
    errors[i] as string,
  ]);
  const header = ["TASK", "STATUS", "WORKFLOW", "STEP", "PRIORITY", "ABOUT"];
  return renderTable(rows, errors.some((error) => error !== "") ? [...header, "ERROR"] : header);
}

/** Why a failed task failed, in short; "" where a list does not know it. */
function errorOf({ status, history }: Pick<Task, "history"> & { status: string }): string {
  const why = status === "FAILED" ? lastStepFailure({ history }) : undefined;
  if (why === undefined) return "";
  const text = joinLines(`${why.reason}: ${why.message}`);
  return text.length <= 100 ? text : `${text.slice(0, 97)}...`;
}

function claimedText(claimed: readonly ClaimedTask[]): string {
  const rows = claimed.map(({ task, token, expiresAt }) => [
    task.id,
    task.workflowType,
    task.currentStep,
    String(token),
    renderTime(expiresAt),
  ]);
  return [
    renderTable(rows, ["TASK", "WORKFLOW", "STEP", "CLAIM", "UNTIL (UTC)"]),
    "",
    `When it is done:  navigator task advance ${shellWord(claimed[0]?.task.id ?? "")} --claim ${claimed[0]?.token} --result passed`,
  ].join("\n");
}

function ownerOf(owner: string | undefined): string {
  if (owner !== undefined && owner.trim() !== "") return owner;
  throw new NavigatorError("bad_usage", "--owner must say who claims the task.", {
    hint: "For example --owner builder-1",
    details: { path: "--owner" },
  });
}

function statusOf(text: string | undefined): TaskStatus | undefined {
  const status = text?.toUpperCase();
  if (status === undefined || STATUSES.includes(status as TaskStatus)) return status as TaskStatus | undefined;
  throw new NavigatorError("bad_usage", `--status must be one of ${STATUSES.join(", ")}, got "${text}".`, {
    details: { path: "--status" },
  });
}
