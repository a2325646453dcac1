import type { Step } from "../../agent/result/step";
import type { Json, JsonObject } from "../../base/json";
import type { UndoneWork } from "../../effects/undo/undo-scopes";
import type { TaskHappening } from "./events";
import type { WantedRun } from "./plan-agents";
import type { PendingReview } from "./result";

/** The parts of a run that a task needs; the run knows its place in the plan. */
export interface TaskPort {
  /** @param attempt at the task, from 1 */
  run(wanted: WantedRun, attempt: number): Promise<Step>;
  /** Asks people, and waits for them. */
  review(pending: PendingReview, attempt: number): Promise<Json>;
  /** Takes back what the task has done. null: this run has no ledger. */
  undo(): Promise<UndoneWork | null>;
  emit(event: TaskHappening): void;
  now(): number;
  sleep(ms: number): Promise<void>;
  /** The decisions of the options. */
  readonly reviews: JsonObject;
  readonly waitsForReviews: boolean;
}
