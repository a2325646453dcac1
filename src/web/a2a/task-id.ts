import { createHash } from "node:crypto";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import type { WebCaller } from "../context/context";

/**
 * The id of an A2A task is the id of its mission: `a2a~WHO~CONTEXT~MESSAGE`. So nothing else has to be stored to find the tasks of a
 * caller and of a context, and the same message again finds the task that it has started.
 */

const TASK_ID = /^a2a~([0-9a-f]{12})~([A-Za-z0-9][\w.-]{0,95})~(~[0-9a-f]{24}|[A-Za-z0-9][\w.-]{0,63})$/;
const CONTEXT_ID = /^[A-Za-z0-9][\w.-]{0,95}$/;
const SHORT_MESSAGE_ID = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** A task, with the parts of its id. */
export interface TaskRef {
  /** Of the task and of its mission. */
  id: string;
  contextId: string;
  /** Identifies the caller who began it. */
  owner: string;
  /** Of the message that began it; undefined: its id was too long to be kept. */
  messageId: string | undefined;
}

/** So many hexadecimal characters that stand for a text. */
export const hexOf = (text: string, characters: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, characters);

/** What stands for a caller in ids of tasks. */
export const ownerOf = ({ id }: Pick<WebCaller, "id">): string => hexOf(id, 12);

/** The beginning of the ids of all A2A tasks, of those of a caller, or of those of a caller in a context. */
export const taskIdBeginning = (owner?: string, contextId?: string): string =>
  ["a2a", ...[owner, contextId].filter((part) => part !== undefined), ""].join("~");

/** null: it is no id of a task. */
export function readTaskId(id: string): TaskRef | null {
  const [, owner, contextId, message] = TASK_ID.exec(id) ?? [];
  if (owner === undefined || contextId === undefined || message === undefined || id.includes("..")) return null;
  return { id, contextId, owner, messageId: message.startsWith("~") ? undefined : message };
}

/**
 * The task that a message begins. The same message of the same caller always begins the same one.
 *
 * @param contextId of the client; "": a new context
 * @throws NavigatorError `invalid_id`
 */
export function taskOfMessage(caller: WebCaller, messageId: string, contextId: string): TaskRef {
  const owner = ownerOf(caller);
  const context = contextId === "" ? `c${hexOf(`${owner} ${messageId}`, 24)}` : contextId;
  if (!CONTEXT_ID.test(context) || context.includes(".."))
    throw new NavigatorError("invalid_id", `"${cutText(context, 100)}" cannot be the id of a context.`, {
      hint: "It has letters, digits, `-`, `_` and `.`, at most 96, and begins with a letter or digit. Without contextId a new one is made.",
    });
  const isShort = SHORT_MESSAGE_ID.test(messageId) && !messageId.includes("..");
  const id = `${taskIdBeginning(owner, context)}${isShort ? messageId : `~${hexOf(messageId, 24)}`}`;
  return { id, contextId: context, owner, messageId: isShort ? messageId : undefined };
}

/** People of the project see all tasks; services and others those that they began. */
export const seesAllTasks = ({ id, isLocal }: Pick<WebCaller, "id" | "isLocal">): boolean =>
  isLocal === true || id.startsWith("person:");

/** Whether a task is there for a caller. */
export const maySee = (caller: WebCaller, { owner }: Pick<TaskRef, "owner">): boolean =>
  seesAllTasks(caller) || owner === ownerOf(caller);
