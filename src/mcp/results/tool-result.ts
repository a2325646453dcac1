import type { CallToolResult } from "@modelcontextprotocol/server";
import type { TaskServiceApi } from "../../client/tasks/types";
import { defined } from "../../core/base/defined";
import type { ServerContext } from "../context/server-context";
import type { CallFailure } from "./errors";

/** A tool's result on the wire (mcp reference, section 2; graph reference, sections 7 and 8). */

const REMINDER = "Mutations pending sync to primary store. Please persist and confirm.";
const MAX_PENDING = 50;

/** The moves that the primary store has not confirmed, as answers of tools repeat them (graph reference, section 7). */
export interface Reminder {
  message: string;
  /** Oldest first, at most 50. */
  pending: { id: string; taskId: string }[];
  /** Their number, if there are more than the listed ones. */
  total?: number;
}

/** The moves that the orchestrator has not confirmed yet; undefined if nothing is pending or no primary store is named. */
export async function reminderOf(
  taskService: TaskServiceApi,
  { primaryStore }: Pick<ServerContext, "primaryStore">,
): Promise<Reminder | undefined> {
  if (primaryStore === undefined) return undefined;
  const { total, pending } = await taskService.syncReminder(MAX_PENDING);
  if (pending.length === 0) return undefined;
  const named = pending.map(({ id, taskId }) => ({ id, taskId }));
  return { message: REMINDER, pending: named, ...(total > named.length ? { total } : {}) };
}

/** The text block contains the same JSON, for clients that do not read structured content. */
export function successResult(data: unknown, reminder: Reminder | undefined): CallToolResult {
  // A round trip through JSON removes undefined members, in the text and in the structured content alike.
  const text = JSON.stringify(reminder === undefined ? { data } : { data, _sync_reminder: reminder });
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
}

/** Without structured content: clients check it against the tool's output schema even for an error. */
export function errorResult(failure: CallFailure, reminder: Reminder | undefined): CallToolResult {
  const { code, message, hint, details } = failure;
  const error = { code, message, ...defined({ hint }) };
  for (const [key, value] of Object.entries(details ?? {})) if (!(key in error)) Object.assign(error, { [key]: value });
  const answer = reminder === undefined ? { error } : { error, _sync_reminder: reminder };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(answer) }] };
}
