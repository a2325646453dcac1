import { fromTemporalError } from "../../client/errors";
import { defined } from "../../core/base/defined";
import { isTask } from "../../core/base/ids";
import { isObject } from "../../core/base/is-object";
import { isAbsent, NavigatorError } from "../../core/base/navigator-error";
import type { Task } from "../../core/graph/task/task";
import { taskFailure } from "../../core/graph/task/task-failure";
import type { Logger } from "../../node/log";
import { shellWord } from "../../node/shell-word";
import type { Backend } from "../../server/backend/backend";

/**
 * A refusal or error as callers see it (mcp reference, section 2.1). Codes are stable; messages are for people and
 * models.
 */
export interface CallFailure {
  code: string;
  message: string;
  hint?: string;
  details?: object;
}

const UNAVAILABLE = "temporal_unavailable";

/**
 * Any error that a tool threw. Navigator's own errors are returned unchanged. For anything else (a bug) only the log
 * gets the details: messages of libraries may contain anything.
 */
export async function failureOf(thrown: unknown, backend: Backend | undefined, log: Logger): Promise<CallFailure> {
  const error = fromTemporalError(thrown);
  if (error instanceof NavigatorError) {
    // No server was found, or it cannot be used: no call was made yet.
    if (backend === undefined && error === thrown && error.exitCode === 3)
      return { code: UNAVAILABLE, message: error.message, hint: error.hint, details: { cause: error.code } };
    const problem = error.exitCode === 3 ? await backend?.unreachable?.() : null;
    return problem ? unavailable(problem) : { ...spoken(error), ...(error.details ? { details: error.details } : {}) };
  }
  log.error("mcp_tool_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  return { code: "internal_error", message: "An internal error occurred in Navigator; its log has the details." };
}

function unavailable(problem: string): CallFailure {
  return {
    code: UNAVAILABLE,
    message: problem,
    hint: "Nothing is lost: call again when the server is back. A person starts it on this machine with: navigator dev",
  };
}

const spoken = (error: NavigatorError): CallFailure => ({
  code: error.code,
  message: error.message,
  ...defined({ hint: nextCall(error) }),
});

/** Asks a workflow. A missing one is reported by its kind: a task or a run. */
export async function askWorkflow<T>(workflowId: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    if (!isTask(workflowId) || !isAbsent(error)) throw error;
    throw new NavigatorError("task_not_found", error.message, { cause: error, ...defined({ hint: error.hint }) });
  }
}

/** The last member of an answer about a task: why it failed. Nothing if it did not. */
export function errorOfTask(task: Task): { error?: string } {
  const fail = taskFailure(task);
  return fail === null ? {} : { error: fail.message };
}

/**
 * Names the call that helps after a refusal. Hints elsewhere name commands, options of code or workflow ids. A model over MCP has only
 * tools: it receives a tool with its arguments, and the steps that only a person can take.
 */
const NEXT: {
  [code: string]: (details: { [field: string]: unknown }, hint: string | undefined) => string | undefined;
} = {
  task_not_found: ({ taskId }) =>
    `List the tasks with get_tasks_by_status {}, or make this one with create_task ${json({ id: taskId, workflowType: "..." })}.`,
  not_found: ({ kind }, hint) =>
    kind === "run"
      ? 'List the tasks with get_tasks_by_status {}. Start a run with run_agent {"agent": "...", "id": "..."}; get_run takes the same id as `runId`.'
      : hint,
  workflow_not_found: ({ workflowId }, hint) =>
    [
      ...(hint?.startsWith("Loaded: ") ? [hint] : []),
      `Load it with load_workflow ${json({ id: workflowId, definition: "..." })}, a file of the project with load_workflows ${json({ workflowIds: [workflowId] })}. The catalog (list_catalog) has ready ones: copy_workflows ${json({ workflowIds: [workflowId] })} first.`,
    ].join("\n"),
  agents_may_not_decide: ({ review }, hint) =>
    typeof review !== "string" || hint?.includes(review)
      ? hint
      : `A person decides it. Show the user: ${decideCommand(review)}`,
  id_in_use: ({ id }) => `Use another id, or read what has this one with get_run ${json({ runId: id })}.`,
  wrong_kind: () => "Runs have get_run and get_journal; tasks have get_task, get_task_progress and list_reviews.",
  no_worker: () =>
    'No tool can start a worker. A person starts one with: navigator worker --config YOUR_PROJECT. (navigator mcp starts one automatically on the project\'s own server. On a server that is named, as by TEMPORAL_ADDRESS, it does so with the option --worker in the client\'s configuration.) Until then get_journal {"id": "..."} and get_mission_log {"id": "..."} read the history.',
};

/** The hint of an error as a caller of tools can follow it. */
export function nextCall({ code, hint, details }: NavigatorError): string | undefined {
  return Object.hasOwn(NEXT, code) ? NEXT[code]?.(isObject(details) ? details : {}, hint) : hint;
}

/** What a person types to decide a review. */
export const decideCommand = (review: string): string => `navigator review decide ${shellWord(review)} CHOICE`;

/** Arguments as JSON; an id that is not known is left out. */
const json = (args: object): string => JSON.stringify(args);
