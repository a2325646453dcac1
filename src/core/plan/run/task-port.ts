import type { Step } from "../../agent/result/step";
import type { Json, JsonObject } from "../../base/json";
import type { TaskHappening } from "./events";
import type { WantedRun } from "./plan-agents";
import type { PendingReview } from "./result";

/** What a task may ask of the run that it is part of; its place in the plan is known there. */
export interface TaskPort {
  /** @param attempt at the task, from 1 */
  run(wanted: WantedRun, attempt: number): Promise<Step>;
  /** People are asked, and waited for. */
  review(pending: PendingReview, attempt: number): Promise<Json>;
  emit(event: TaskHappening): void;
  now(): number;
  sleep(ms: number): Promise<void>;
  /** The decisions that were given beforehand. */
  readonly reviews: JsonObject;
  readonly waitsForReviews: boolean;
}
