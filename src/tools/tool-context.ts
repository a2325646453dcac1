import { defined } from "../core/base/defined";
import type { CallToolInput } from "../core/calls/activities";
import type { Documents, ProjectDocuments } from "../core/calls/document";

/** The second argument of a tool: facts about the call. */
export interface ToolContext {
  /**
   * The same on every attempt of this call. Pass it to the service that the tool calls, so that the service acts once.
   */
  idempotencyKey: string;
  /** Aborted when the call is cancelled, its time is over or the worker shuts down. Pass it to `fetch`. */
  signal: AbortSignal;
  /** Sends a heartbeat now. Heartbeats are automatic while a tool waits; a tool that computes for long must call this. */
  heartbeat(): void;
  /** 1-based; above 1 after a lost worker, or when the tool asked for another attempt. */
  attempt: number;
  /** Journal id of the innermost `(task id ...)` around the call, or null. */
  task: string | null;
  agent: string | null;
  turn: number;
  /** Identifies this call for `completeTool` and `failTool`: for tools with `completesLater`. */
  token: string;
  /** Large texts and files by reference (docs/large-payloads.md). Absent where the project has no `largePayloads`. */
  documents?: Documents | undefined;
}

/** Facts about an undo. Its `idempotencyKey` is its own: the same on every attempt, and another than that of the call. */
export interface UndoContext extends ToolContext {
  /** The idempotency key of the call whose effect is taken back. */
  callKey: string;
}

/** The context of a call that an activity makes. @param attempt the facts that only the activity knows */
export const contextOfCall = (
  { idempotency_key, task, agent, turn }: CallToolInput,
  documents: ProjectDocuments | undefined,
  attempt: Pick<ToolContext, "signal" | "heartbeat" | "attempt" | "token">,
): ToolContext => ({
  ...attempt,
  ...{ idempotencyKey: idempotency_key, task, agent, turn },
  ...defined({ documents: documents?.waiting(attempt.signal) }),
});
