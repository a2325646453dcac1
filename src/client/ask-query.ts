import type { QueryDefinition, WorkflowHandle } from "@temporalio/client";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../core/base/limits";
import { NavigatorError } from "../core/base/navigator-error";
import { ask, grpcStatusOf, STATUS } from "./errors";
import { unknownFormatOf } from "./listing/mission-state";

/** A running worker answers in milliseconds, or in a second or two if it must replay a long history first. */
const FIRST_TRY_MS = 5_000;
/** If the server sees first that the time is over, it cancels the call, and this is the error that arrives. */
const LOST: readonly (number | undefined)[] = [STATUS.deadlineExceeded, STATUS.cancelled];

/**
 * Asks a workflow something, after the questions that this process asks it already. On a busy machine the server now
 * and then loses a query until it times out (one in some thousands, when the workflow moves at the same moment). A
 * query changes nothing, so the client sends it once more before it reports that no worker answers.
 *
 * @throws NavigatorError `no_worker`, `not_found`, `wrong_kind`
 */
export function askQuery<T, Args extends unknown[]>(
  handle: Pick<WorkflowHandle, "query" | "client" | "workflowId">,
  query: QueryDefinition<T, Args>,
  ...args: Args
): Promise<T> {
  const attempt = () => inTurn(handle, () => handle.query<T, Args>(query, ...args));
  return ask(() =>
    handle.client.withDeadline(Date.now() + FIRST_TRY_MS, attempt).catch((error: unknown) => {
      if (!LOST.includes(grpcStatusOf(error)?.code)) throw error;
      return attempt();
    }),
  );
}

/** A worker answers in milliseconds, and in a second or two if it must replay a long history first. */
const SOON_MS = 4_000;

/**
 * Asks a workflow something for a list, which continues without the answer (undefined) if no worker gives it soon. It
 * returns only when the call is over: an abandoned call would fail when somebody closes the connection.
 *
 * @throws NavigatorError `not_found`, `wrong_kind`
 */
export async function askQuerySoon<T>(
  handle: Pick<WorkflowHandle, "query" | "client" | "workflowId">,
  query: QueryDefinition<T>,
): Promise<T | undefined> {
  const attempt = () => inTurn(handle, () => handle.query<T, []>(query));
  try {
    return await ask(() => handle.client.withDeadline(Date.now() + SOON_MS, attempt));
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "no_worker") return undefined;
    throw error;
  }
}

/** The last question to each workflow, by server connection and workflow id. */
const asked = new WeakMap<object, Map<string, Promise<unknown>>>();
/** A worker that is silent, or replays a long history, must not make the next question wait long. */
const LONGEST_TURN_MS = 300;

/**
 * One question at a time. A server keeps only one for a workflow that is at work at the moment, a new one above all, and
 * refuses the second (`RESOURCE_EXHAUSTED`); the SDK then waits for one to two seconds before it asks again.
 */
async function inTurn<T>(
  { client, workflowId }: Pick<WorkflowHandle, "client" | "workflowId">,
  query: () => Promise<T>,
) {
  const last = asked.get(client) ?? new Map<string, Promise<unknown>>();
  asked.set(client, last);
  const before = last.get(workflowId);
  const answer = before === undefined ? query() : atMost(LONGEST_TURN_MS, before).then(query);
  last.set(workflowId, answer);
  try {
    return await answer;
  } finally {
    if (last.get(workflowId) === answer) last.delete(workflowId);
  }
}

async function atMost(ms: number, before: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([before.then(nothing, nothing), over]);
  clearTimeout(timer);
}

const nothing = () => {};

/**
 * In this time a worker must answer. It does so in milliseconds, or in a second or two if it must replay a long history; but
 * a workflow task that a lost worker had taken comes back after its own limit only, which is twice as long for a long run.
 */
const SERVED_MS = 3 * WORKFLOW_TASK_TIMEOUT_MS;
/** How long the answer to an update is waited for, of a worker that has just answered. */
const ANSWER_MS = 10_000;
/** The SDKs answer it for every workflow, in a few kilobytes. */
const WHAT_IT_IS = { type: "query", name: "__temporal_workflow_metadata" } as QueryDefinition<unknown>;

type Asked = Pick<WorkflowHandle, "query" | "client" | "workflowId" | "describe">;

/**
 * Sends an update to a workflow that a worker serves. The server keeps an update that no worker takes, and it acts when
 * one comes, also when no caller waits for it any more. So the client sends a query first: a query leaves no trace.
 *
 * @throws NavigatorError `no_worker`, and what `send` throws
 */
export async function askServed<T>(handle: Asked, send: () => Promise<T>): Promise<T> {
  if (!(await workerAnswers(handle))) {
    const run = await ask(() => handle.describe());
    // The server itself reports that a workflow has ended.
    if (run.status.name === "RUNNING") throw notSent(unknownFormatOf(run));
  }
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_MS, send);
  } catch (error) {
    if (!isSilence(error)) throw error;
    throw new NavigatorError(
      "no_worker",
      "The worker was lost before it answered. What was sent acts when one comes.",
      {
        hint: "Look before you try again: navigator list",
        exitCode: 3,
        cause: error,
      },
    );
  }
}

/** Whether a worker answers for a workflow, which is asked something that changes nothing. */
export async function workerAnswers(handle: Asked): Promise<boolean> {
  try {
    await handle.client.withDeadline(Date.now() + SERVED_MS, () => askQuery(handle, WHAT_IT_IS));
    return true;
  } catch (error) {
    if (isSilence(error)) return false;
    // It does not know the question, and so it is there.
    if (error instanceof NavigatorError && error.code === "wrong_kind") return true;
    throw error;
  }
}

/** @param unknown what this version does not know of the run: its workers give its tasks back */
function notSent(unknown: string | null): NavigatorError {
  const why = unknown === null ? "No worker answered" : `The run has ${unknown}, and no worker that knows it answered`;
  const hint =
    unknown === null
      ? "Start one, and try again: navigator worker --config YOUR_PROJECT"
      : "Start a worker of the version that started the run, and try again there.";
  return new NavigatorError("no_worker", `${why}, so nothing was sent, and nothing will act later.`, {
    hint,
    exitCode: 3,
  });
}

const isSilence = (error: unknown): error is NavigatorError =>
  error instanceof NavigatorError && error.code === "no_worker";
