import type { Claim } from "../core/graph/task/claim";
import type { CarriedTask, TaskSetup } from "../core/graph/task/machine/setup";
import type { Task } from "../core/graph/task/task";

/** Input of the workflow `navigatorTask`. */
export interface NavigatorTaskInput extends TaskSetup {
  /** Of a run that continues another one. */
  carried?: CarriedTask;
}

/** What a change of a task answers: the task after it, and the records that wait for their confirmation. */
export interface TaskAnswer {
  task: Task;
  syncs: string[];
  /** Its place in the tree; null = it is not in it. */
  order: number | null;
}

/** What a claim answers: the task, and the token that its holder shows from now on. */
export interface Claimed {
  task: Task;
  token: number;
  /** Ms since 1970. */
  expiresAt: number;
  order: number | null;
}

/** A task with what its workflow knows beside it. */
export interface TaskViewAnswer {
  task: Task;
  claim: Claim | null;
  version: number | null;
  /** Whether the task's workflow was loaded when it began, or since. */
  hasDefinition: boolean;
  order: number | null;
  syncs: string[];
  removed: boolean;
}
