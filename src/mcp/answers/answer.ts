import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { defined } from "../../core/base/defined";
import type { TaskServiceApi } from "../../queue/types";
import type { CallFailure } from "./failure";

/** What a tool's result looks like on the wire (mcp reference, section 2; graph reference, sections 7 and 8). */

const REMINDER = "Mutations pending sync to primary store. Please persist and confirm.";
const MAX_PENDING = 50;

/** The moves that the primary store has not confirmed, as answers of tools repeat them (graph reference, section 7). */
export interface Reminder {
  message: string;
  /** Oldest first, at most 50. */
  pending: { id: string; taskId: string }[];
  /** How many there are, where they are more than are named. */
  total?: number;
}

/** What the orchestrator has not confirmed yet; undefined when nothing is pending. */
export async function reminderOf(taskService: TaskServiceApi): Promise<Reminder | undefined> {
  const { total, pending } = await taskService.syncReminder(MAX_PENDING);
  if (pending.length === 0) return undefined;
  const named = pending.map(({ id, taskId }) => ({ id, taskId }));
  return { message: REMINDER, pending: named, ...(total > named.length ? { total } : {}) };
}

/** The text block is the same JSON, for clients that do not read structured content. */
export function successResult(data: unknown, reminder: Reminder | undefined): CallToolResult {
  // Through JSON once: what goes out has no undefined members, in the text and beside it alike.
  const text = JSON.stringify(reminder === undefined ? { data } : { data, _sync_reminder: reminder });
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) };
}

/** Without structured content: clients hold that against the tool's output schema even where it is an error. */
export function errorResult(failure: CallFailure, reminder: Reminder | undefined): CallToolResult {
  const { code, message, hint, details } = failure;
  const error = { code, message, ...defined({ hint }) };
  for (const [key, value] of Object.entries(details ?? {})) if (!(key in error)) Object.assign(error, { [key]: value });
  const answer = reminder === undefined ? { error } : { error, _sync_reminder: reminder };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(answer) }] };
}
