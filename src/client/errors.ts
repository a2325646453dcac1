import {
  ApplicationFailure,
  isGrpcServiceError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import { ValueError } from "@temporalio/common";
import { isUncommitted } from "../core/base/error-codes";
import { reasonOf } from "../core/base/failure";
import { bareId, kindOf, workflowIdFor } from "../core/base/ids";
import type { JsonObject } from "../core/base/json";
import { asNavigatorError, NavigatorError } from "../core/base/navigator-error";
import { unreadableError } from "../node/encoding/unreadable-payload";
import { shellWord } from "../node/shell-word";

/** Calls Temporal's client and turns its errors into NavigatorErrors. */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const pause = attempt === ATTEMPTS ? undefined : pauseAfter(error, attempt);
      if (pause === undefined) throw fromTemporalError(error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

const ATTEMPTS = 5;

/** After which time, in ms, a refused call is made again; undefined = not at all. Nothing of it is in the history. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  const serverText = grpcStatusOf(error)?.details ?? "";
  // It would have ended its workflow, and met something new that the workflow had to see first, such as the end of a child.
  if (/update due to unexpected workflow task failure/.test(serverText)) return 20 * attempt;
  // The workers were too busy for some workflow tasks of this workflow.
  if (/update due to Workflow Task in failed state/.test(serverText)) return 250 * 2 ** attempt;
  // A worker has the workflow only as far as another one, which was killed perhaps, had taken it.
  if (isUncommitted(error)) return 50 * 2 ** attempt;
  // The worker was about to end, or had not begun the workflow yet.
  if (error instanceof QueryNotRegisteredError && !isOtherKind(error) && attempt <= 2) return 250 * 2 ** attempt;
  // A run that looks its tools up first takes messages a moment later.
  if (isUnknownUpdate(error)) return 100 * 2 ** attempt;
  // A busy server can return this for a namespace that it has, while it reloads its list of them.
  if (error instanceof NamespaceNotFoundError && attempt <= 2) return 500 * attempt;
  return undefined;
}

/** `code` is gRPC's number. */
interface GrpcStatus extends Error {
  code: number;
  details: string;
}

/** The service's own answer, bare or wrapped by the SDK. */
export const grpcStatusOf = (error: unknown): GrpcStatus | undefined =>
  [error, (error as Error | undefined)?.cause].find((one) => isGrpcServiceError(one));

/** Turns an error of Temporal's client into a NavigatorError. Unknown errors are thrown unchanged: they are bugs. */
export function fromTemporalError(error: unknown): unknown {
  if (error instanceof NavigatorError) return error;
  if (isUnknownUpdate(error)) return notTaken(error);
  if (error instanceof WorkflowUpdateFailedError) return failure(error, 2);
  if (error instanceof WorkflowFailedError) return failure(error, 1);
  if (error instanceof WorkflowNotFoundError) return absent(error.workflowId, error);
  if (error instanceof NamespaceNotFoundError)
    return new NavigatorError("namespace_not_found", `${error.message}.`, { cause: error, exitCode: 3 });
  if (error instanceof QueryNotRegisteredError) return isUnknownQuery(error) ? wrongKind(error) : noWorker(error);
  if (error instanceof QueryRejectedError)
    return new NavigatorError("already_over", error.message, {
      hint: "Read the history: navigator log ID",
      cause: error,
      details: { path: "run", kind: "run" },
    });
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noWorker(error);
  const unreadable = unreadableError(error);
  if (unreadable !== undefined) return unreadable;
  const encoding = error instanceof ValueError ? /^Unknown encoding: (.+)/.exec(error.message)?.[1] : undefined;
  if (encoding !== undefined)
    return new NavigatorError("payload_unreadable", `What the server keeps is encoded (${encoding}).`, {
      hint: "Set `codec` in navigator.config, or give the Temporal client the data converter of the workers: new Client({ dataConverter, ... })",
      cause: error,
    });
  if (error instanceof ValueError)
    return new NavigatorError("invalid_input", "The input cannot be sent: it has no JSON form.", {
      hint: "Circular values, BigInts and values nested thousands of levels deep have none.",
      cause: error,
      details: { path: "input" },
    });
  return fromStatus(error);
}

function failure(error: WorkflowUpdateFailedError | WorkflowFailedError, exitCode: 1 | 2): NavigatorError {
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure))
    return new NavigatorError("agent_lost", cause?.message ?? error.message, { cause: error, exitCode: 1 });
  const details = (cause.details?.[0] ?? {}) as JsonObject;
  const reason = reasonOf(cause.type ?? "refused");
  return asNavigatorError({ reason, message: cause.message, details }, { cause: error, exitCode });
}

/** What the service itself answered. */
function fromStatus(error: unknown): unknown {
  const status = grpcStatusOf(error);
  if (status === undefined) return error;
  switch (status.code) {
    case STATUS.cancelled:
    case STATUS.deadlineExceeded:
    case STATUS.failedPrecondition:
      return noWorker(error);
    case STATUS.invalidArgument:
      return new NavigatorError("invalid_input", `The Temporal server refused this: ${status.details}`, {
        cause: error,
        details: { path: "request" },
      });
  }
  return new NavigatorError("server_error", `The Temporal server answered: ${status.details || status.message}`, {
    cause: error,
    exitCode: 3,
  });
}

/** gRPC's own numbers. */
export const STATUS = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  failedPrecondition: 9,
} as const;

/** Temporal has one error for a missing workflow and for one that has ended. */
function absent(workflowId: string, cause: Error): NavigatorError {
  if (/already completed/.test(cause.message))
    return new NavigatorError("not_found", `"${workflowId}" has ended: it can no longer be changed.`, {
      hint: `See what it did: navigator log ${shellWord(workflowId)}`,
      cause,
      details: { path: workflowId, kind: "run" },
    });
  return new NavigatorError("not_found", `There is no workflow "${workflowId}".`, {
    hint: nearby(workflowId),
    cause,
    details: { path: workflowId, kind: "run" },
  });
}

/** A run and a task may have the same id. The workflow id begins with the kind. */
function nearby(workflowId: string): string {
  const kind = kindOf(workflowId);
  const id = kind === undefined ? workflowId : bareId(kind, workflowId);
  if (kindOf(id) !== undefined) return `"${id}" is the id of another kind of workflow: navigator log ${shellWord(id)}`;
  const other = workflowIdFor(kind === "task" ? "agent" : "task", id);
  return `Ids of runs are "agent/ID", of tasks "task/ID", of plans "plan/ID", of a task's runs "task/ID/STEP/ATTEMPT". Is it this? navigator log ${shellWord(other)}`;
}

/**
 * Whether a workflow has no such query, as the SDKs report it. The client has the same error for every query that a
 * worker could not answer: one that is about to end, or that cannot replay the workflow.
 */
const isUnknownQuery = ({ message }: QueryNotRegisteredError): boolean =>
  /did not register a handler|unknown query ?type|query handler for/i.test(message);

/** Whether it surely stays so: a workflow that has not begun yet has no query at all. */
const isOtherKind = (error: QueryNotRegisteredError): boolean => isUnknownQuery(error) && queriesIn(error).length > 0;

function queriesIn({ message }: QueryNotRegisteredError): string[] {
  const list = /(?:queries|types) ?[:=]? ?\[(.*)\]/i.exec(message)?.[1] ?? "";
  return list.split(/[\s,]+/).filter((name) => name !== "" && !name.startsWith("__"));
}

function wrongKind(error: QueryNotRegisteredError): NavigatorError {
  const known = queriesIn(error);
  const answers = known.length === 0 ? "none of our queries" : known.join(", ");
  return new NavigatorError("wrong_kind", `That workflow is of another kind: it answers ${answers}.`, {
    hint: "Runs have a journal (navigator journal ...), tasks steps and reviews (navigator task ..., navigator review ...).",
    cause: error,
  });
}

/** A workflow has no such update, or not yet: it was refused, and nothing of it is in the history. */
const isUnknownUpdate = (error: unknown): error is WorkflowUpdateFailedError =>
  error instanceof WorkflowUpdateFailedError && /^No registered handler for update/.test(error.cause?.message ?? "");

const notTaken = (error: WorkflowUpdateFailedError): NavigatorError =>
  new NavigatorError("wrong_kind", "That workflow does not take this, or has not begun to.", {
    hint: "Runs take decisions in their journal, tasks take moves and reviews: navigator log ID shows its kind.",
    cause: error,
  });

/** Workers answer queries and updates. The server keeps them for a while, in case a worker appears. */
function noWorker(cause: unknown): NavigatorError {
  const serverText = cause instanceof QueryNotRegisteredError ? cause.message : (grpcStatusOf(cause)?.details ?? "");
  return new NavigatorError("no_worker", "No worker answered: none serves the task queue, or it is stuck.", {
    ...(serverText === "" ? {} : { details: { server: serverText } }),
    hint: 'Start one: navigator worker --config YOUR_PROJECT\nWithout any, "navigator log ID" and "navigator journal show ID" read the history.',
    cause,
    exitCode: 3,
  });
}
