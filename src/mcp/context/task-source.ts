import type { CallToolResult, InputRequest } from "@modelcontextprotocol/server";
import type { Extra } from "./request";

/** The state of a task of the protocol, the same for both eras (mcp reference, section 6). */
export interface McpTaskState {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** What the client is asked, by a name of the server. */
  inputRequests?: { [name: string]: InputRequest };
  /** Of a failed one: why it has no result. */
  error?: { code: number; message: string };
}

/** Where tasks of the protocol are. Any server process answers for them. */
export interface McpTaskSource {
  /** null: there is none. */
  get(taskId: string, extra: Extra): Promise<McpTaskState | null>;
  /** Of a completed one. */
  result(taskId: string): Promise<CallToolResult>;
  /** Takes answers to what the client was asked; names that nobody knows are left out. */
  answer(taskId: string, answers: { [name: string]: unknown }, extra: Extra): Promise<void>;
  /** Asks it to stop. It may have ended, or continue for a while: `get` returns its state. */
  cancel(taskId: string, extra: Extra): Promise<void>;
  /** Those that work now. */
  list(extra: Extra): Promise<McpTaskState[]>;
}

/** Whether nothing of a task can change any more. */
export const isOver = ({ status }: McpTaskState): boolean => status !== "working" && status !== "input_required";

/** After so many ms a client may ask again. */
export const POLL_MS = 1_000;
