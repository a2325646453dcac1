import type { UsageState } from "../../../agent/budget/mission-usage";
import type { AgentDefinition } from "../../../agent/definition/definition";
import type { JsonObject } from "../../../base/json";
import type { GivenLedger } from "../../../effects/given-ledger";
import type { MissionLedgerState } from "../../../effects/mission-ledger";
import type { RetryOf } from "../../../journal/retry-of";
import type { Review } from "../../../review/review";
import type { Definition } from "../../definition/schema";
import type { StepWorkState } from "../step-work";
import type { Task } from "../task";
import type { TaskBookState } from "../task-book";
import type { OwedUndo } from "../undo-over-edges";

/** What a task starts with. The definition travels with it: loading a new version never changes running work. */
export interface TaskSetup {
  task: Task;
  /** Absent: its workflow is not loaded yet. */
  definition?: Definition;
  /** Of the definition, where it was loaded. */
  version?: number;
  /** Agents by name: a node whose `agent` is among them runs as a child workflow. */
  agents: { [name: string]: AgentDefinition };
  /** Model for agents that name none. */
  model: string;
  /** `agent` (default): the task leaves its start automatically. */
  drive?: "agent" | "external";
  /** Its place in the tree. Moves of such a task are recorded until they are confirmed, and it stays until then. */
  order?: number;
  /** How many tasks wait above this one. */
  depth?: number;
  /** Of a branch or a subflow: the mission that it belongs to, and what that has done so far. Also of a retry. */
  effects?: GivenLedger;
  /** The task that it tries again. */
  retry?: RetryOf;
  /** Who asked for it: that principal decides none of its reviews, unless their terms allow it (approvals reference, section 5). */
  requested_by?: string;
  /** The outputs of the steps before a fork, for the agents in its branches. */
  outputs?: JsonObject;
}

/** A task from a list that is loaded over the running task of the same id. */
export interface TaskReload
  extends Pick<TaskSetup, "task" | "definition" | "version" | "agents" | "model" | "drive" | "order"> {
  /**
   * The fields that the list has of the task. Without `currentStep` and `status` among them the task keeps its place, its history and its
   * claim. Absent: the list has the whole task.
   */
  given?: string[];
}

/** What a task's run passes on when it continues as new. */
export interface ContinuedTask extends StepWorkState {
  reviews: Review[];
  refused_signals: number;
  book: TaskBookState;
  /** Workflow id of the agent's run that was under way at the current step. */
  agent?: string;
  /** The ledger of effects. */
  effects: MissionLedgerState;
  /** What the last moves have to undo; absent = nothing. */
  owed?: OwedUndo[];
  /** What its agents and branches used; absent = nothing. */
  used?: UsageState;
}
