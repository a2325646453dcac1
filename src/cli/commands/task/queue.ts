import type { ClaimedTask, TasksByStatus } from "../../../client/tasks/types";
import { joinLines } from "../../../core/base/one-line";
import { fitted } from "../../../core/base/whole-characters";
import type { Task, TaskStatus } from "../../../core/graph/task/task";
import { lastStepFailure } from "../../../core/graph/task/task-failure";
import { shellWord } from "../../../node/shell-word";
import { duration, wholeNumber } from "../../input/arguments";
import { withTaskService } from "../../session/queue-session";
import { type CommandSpec, required } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable, renderTime } from "../../terminal/render";

const STATUSES: readonly TaskStatus[] = ["PENDING", "IN_PROGRESS", "PAUSED", "HITL", "COMPLETED", "FAILED"];
const LEASE = ["--lease <time>", "how long the claim lasts without renewal", "5m"] as const;

/** `navigator task list`, `next`, `claim` and `release`: the task queue and its claims. */
export const taskQueueCommands: readonly CommandSpec[] = [
  {
    name: "list",
    about: "list the loaded tasks by status",
    options: [["--status <status>", `only tasks with this status: ${STATUSES.join(", ")}`]],
    examples: ["navigator task list --status HITL"],
    run: (io: CommandIo, options: { status?: string }) => {
      const status = statusOf(options.status);
      return withTaskService(io, { of: MANY }, async (taskService) => {
        const tasks = await taskService.tasksByStatus(status);
        io.result(tasks, () => listText(tasks));
      });
    },
  },
  {
    name: "next",
    about: "list the most important pending tasks",
    options: [
      ["--limit <number>", "maximum number", "1"],
      ["--claim", "claim them, so that nobody else gets them"],
      ["--owner <name>", "who claims them"],
      LEASE,
    ],
    examples: ["navigator task next --claim --owner builder-1 --lease 10m"],
    run: next,
  },
  {
    name: "claim <id>",
    about: "claim a task, or renew a claim; prints the token that is needed to advance the task",
    options: [
      required("--owner <name>", "who claims it"),
      LEASE,
      ["--claim <token>", "renew the claim with this token"],
    ],
    examples: ["navigator task claim bug-7 --owner builder-1 --lease 10m"],
    run: (io: CommandIo, id: string, options: { owner: string; lease: string; claim?: string }) => {
      const token = options.claim;
      const claim = { owner: ownerOf(options.owner), leaseMs: duration("--lease", options.lease) };
      return withTaskService(io, async (taskService) => {
        const claimed = await taskService.claim(id, token === undefined ? claim : { ...claim, token });
        io.result(claimed, () => claimedText([claimed]));
      });
    },
  },
  {
    name: "release <id>",
    about: "release a claim before it expires",
    options: [required("--claim <token>", "the token of the claim")],
    examples: ["navigator task release bug-7 --claim 0b54cf19-6a3e-4f6c-9d55-6a0f1c1f3c7e"],
    run: (io: CommandIo, id: string, options: { claim: string }) => {
      return withTaskService(io, async (taskService) => {
        const released = await taskService.release(id, options.claim);
        io.result(released, () => `${id} is free again.`);
      });
    },
  },
];

interface NextOptions {
  limit: string;
  claim?: boolean;
  owner?: string;
  lease: string;
}

function next(io: CommandIo, { limit, claim, owner, lease }: NextOptions): Promise<void> {
  const most = wholeNumber("--limit", limit, 1) as number;
  const leaseMs = duration("--lease", lease);
  if (!claim && owner !== undefined) throw badUsage("--owner", "--owner names who claims the tasks: it needs --claim.");
  const request = claim ? { owner: ownerOf(owner), leaseMs } : null;
  return withTaskService(io, { of: most }, async (taskService) => {
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
  });
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
  return fitted(text, 100);
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
  throw badUsage("--owner", "--owner must name who claims the task.", "For example --owner builder-1");
}

function statusOf(text: string | undefined): TaskStatus | undefined {
  const status = text?.toUpperCase();
  if (status === undefined || STATUSES.includes(status as TaskStatus)) return status as TaskStatus | undefined;
  throw badUsage("--status", `--status must be one of ${STATUSES.join(", ")}, got "${text}".`);
}
