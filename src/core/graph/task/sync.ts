import type { Json } from "../../base/json";
import type { TaskStatus } from "./task-schema";

/** One move that the orchestrator's own store has not confirmed yet (graph reference, section 7). */
export interface SyncRecord {
  id: string;
  taskId: string;
  issueId: string;
  kind: "advance" | "retry" | "escalate";
  previousStep: string;
  nextStep: string | null;
  status: TaskStatus;
  output?: Json;
  /** Ms since 1970. */
  createdAt: number;
}

const TIME_CHARS = 9;

/**
 * Ids sort in the order of their moves, and name their task, so that a confirmation finds it without a lookup. `number`
 * counts the moves of the task, for two within one millisecond.
 */
export function syncId(taskId: string, number: number, atMs: number): string {
  return `sync-${atMs.toString(36).padStart(TIME_CHARS, "0")}-${number}-${taskId}`;
}

/** The id of the task that a record belongs to; null when the text is not the id of a record. */
export function taskOfSync(id: string): string | null {
  return /^sync-[0-9a-z]{9}-[0-9]+-(.+)$/s.exec(id)?.[1] ?? null;
}
