import { isObject } from "../../core/base/is-object";
import type { NavigatorError } from "../../core/base/navigator-error";
import { shellWord } from "../../node/shell-word";

/**
 * What to call after a refusal. Hints elsewhere name commands, options of code or workflow ids. A model over MCP has only
 * tools: it is told a tool with its arguments, and what only a person can do.
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
      : `A person decides it. Tell the user: ${decideCommand(review)}`,
  id_in_use: ({ id }) => `Use another id, or read what has this one with get_run ${json({ runId: id })}.`,
  wrong_kind: () => "Runs have get_run and get_journal; tasks have get_task, get_task_progress and list_reviews.",
  no_worker: () =>
    'No tool can start a worker. A person starts one with: navigator worker --config YOUR_PROJECT. (navigator mcp starts one by itself on the project\'s own server. On a server that is named, as by TEMPORAL_ADDRESS, it does so with the option --worker in the client\'s configuration.) Until then get_journal {"id": "..."} and get_mission_log {"id": "..."} read the history.',
};

/** The hint of an error as a caller of tools can follow it. */
export function nextCall({ code, hint, details }: NavigatorError): string | undefined {
  return Object.hasOwn(NEXT, code) ? NEXT[code]?.(isObject(details) ? details : {}, hint) : hint;
}

/** What a person types to decide a review. */
export const decideCommand = (review: string): string => `navigator review decide ${shellWord(review)} CHOICE`;

/** Arguments as JSON; an id that is not known is left out. */
const json = (args: object): string => JSON.stringify(args);
