import type { RunFormat } from "../core/base/run-format";
import type { ContinuedChain } from "../core/effects/chain/link-chain";
import type { Claim } from "../core/graph/task/claim";
import type { ClaimToken } from "../core/graph/task/claim-input";
import type { ContinuedTask, TaskSetup } from "../core/graph/task/machine/setup";
import type { Task } from "../core/graph/task/task";

/** Input of the workflow `navigatorTask`. */
export interface NavigatorTaskInput extends TaskSetup, RunFormat {
  /** The state of the run that this one continues. */
  carried?: ContinuedTask & ContinuedChain;
}

/** The answer of a change of a task: the task, and the records that are not confirmed. */
export interface TaskAnswer {
  task: Task;
  syncs: string[];
  /** Its place in the tree; null = it is not in the tree. */
  order: number | null;
}

/** The answer of a claim: the task, and the token of the claim. */
export interface Claimed {
  task: Task;
  token: ClaimToken;
  /** Ms since 1970. */
  expiresAt: number;
  order: number | null;
}

/** A task with the other state of its workflow. */
export interface TaskViewAnswer {
  task: Task;
  /** Without its token, which only its holder knows. */
  claim: Omit<Claim, "token"> | null;
  version: number | null;
  /** Whether the task has its definition. */
  hasDefinition: boolean;
  order: number | null;
  syncs: string[];
  removed: boolean;
}
