import type { AgentDefinition } from "../core/agent/definition/definition";
import type { JsonObject } from "../core/base/json";
import type { Definition } from "../core/graph/definition/schema";
import type { Claim } from "../core/graph/task/claim";
import type { StepWorkState } from "../core/graph/task/step-work";
import type { Task } from "../core/graph/task/task";
import type { TaskBookState } from "../core/graph/task/task-book";
import type { Review } from "../core/review/review";

/** Input of the workflow `navigatorTask`. The definition travels with it: loading a new version never changes running work. */
export interface NavigatorTaskInput {
  task: Task;
  /** Absent: its workflow is not loaded yet. */
  definition?: Definition;
  /** Of the definition, where it was loaded. */
  version?: number;
  /** Agents by name: a node whose `agent` is among them runs as a child workflow. */
  agents: { [name: string]: AgentDefinition };
  /** Model for agents that name none. */
  model: string;
  /** `agent` (default): the task leaves its start by itself. */
  drive?: "agent" | "external";
  /** Its place in the tree. Moves of such a task are recorded until they are confirmed, and it stays until then. */
  order?: number;
  /** How many tasks wait above this one. */
  depth?: number;
  /** What the steps before a fork gave, for the agents in its branches. */
  outputs?: JsonObject;
  carried?: CarriedTask;
}

/** A task as a list has it that is loaded over the one that runs. */
export type Reload = Pick<
  NavigatorTaskInput,
  "task" | "definition" | "version" | "agents" | "model" | "drive" | "order"
>;

/** What a change of a task answers: the task after it, and the records that wait for their confirmation. */
export interface TaskAnswer {
  task: Task;
  syncs: string[];
  /** Its place in the tree; null = it is not in it. */
  order: number | null;
}

export interface Claimed {
  task: Task;
  token: number;
  /** Ms since 1970. */
  expiresAt: number;
  order: number | null;
}

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

/** What the run before this one handed over when it continued as new. */
export interface CarriedTask extends StepWorkState {
  reviews: Review[];
  refused_signals: number;
  book?: TaskBookState;
}
