import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import type { Logger } from "../../node/log";
import { problemFor } from "../requests/problem";

/** Errors of A2A; each has our code and hint in its metadata. */

/** Something failed that the client cannot help: JSON-RPC −32603. */
class InternalA2aError extends A2AError {
  override readonly reason = "INTERNAL";
}

type ErrorClass = new (options: { message: string; metadata: Record<string, string>; cause?: unknown }) => A2AError;

const CLASS_OF_CODE: { readonly [code: string]: ErrorClass } = {
  not_found: TaskNotFoundError,
  already_over: TaskNotCancelableError,
};

/** Translates an error for a client of A2A. An unknown error is logged, and its text is not sent. */
export function a2aError(error: unknown, log: Logger): A2AError {
  if (error instanceof A2AError) return error;
  if (!(error instanceof NavigatorError))
    log.error("web_request_failed", { path: "a2a", error: (error as Error).stack ?? String(error) });
  const { code, detail, hint, status, details = {} } = problemFor(error);
  const message = hint === undefined ? detail : `${detail} ${hint}`;
  const { path, kind } = details as { path?: string; kind?: string };
  const isTask = code !== "not_found" || kind === "run";
  const metadata = { code, ...defined({ hint, path, kind }) };
  return new ((isTask && CLASS_OF_CODE[code]) || classOfStatus(status))({ message, metadata, cause: error });
}

function classOfStatus(status: number): ErrorClass {
  if (status === 403 || status === 409) return UnsupportedOperationError;
  return status < 500 ? RequestMalformedError : InternalA2aError;
}

/** What is done for a request of A2A: its errors are those of A2A. */
export async function withA2aErrors<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw a2aError(error, log);
  }
}

/** There is no such task for this caller. */
export const noTask = (id: string): A2AError =>
  new TaskNotFoundError({
    message: `There is no task "${cutText(id, 200)}".`,
    metadata: { code: "not_found", kind: "run", path: cutText(id, 200) },
  });

/** The metadata of an error about what a client has sent. @param path the field, the header or the part */
export const invalidAt = (path: string) => ({ code: "invalid_input", path });

/** What a client has sent cannot be understood. */
export const malformed = (path: string, message: string): A2AError =>
  new RequestMalformedError({ message, metadata: invalidAt(path) });

/** A field of it is wrong: `malformedField("pageSize", "must be 1 to 100")`. */
export const malformedField = (field: string, what: string): A2AError => malformed(field, `${field} ${what}.`);

/** Another message has this id already. @param differs the parts that differ: `text` */
export const messageIdInUse = (messageId: string, taskId: string, differs: readonly string[]): A2AError =>
  new RequestMalformedError({
    message: `message.messageId "${cutText(messageId, 100)}" belongs to another message, of the task "${taskId}". What differs: ${differs.slice(0, 10).join(", ")}. Give each message a new id; the same message again finds its task.`,
    metadata: { code: "id_in_use" },
  });
