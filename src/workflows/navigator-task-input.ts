import type { AgentDefinition } from "../core/agent/definition";
import type { Definition } from "../core/graph/schema";
import type { StepWorkState } from "../core/graph/step-work";
import type { Task } from "../core/graph/task";
import type { Review } from "../core/review/review";

/** Input of the workflow `navigatorTask`. The definition travels with it: loading a new version never changes running work. */
export interface NavigatorTaskInput {
  task: Task;
  definition: Definition;
  /** Agents by name: a node whose `agent` is among them runs as a child workflow. */
  agents: { [name: string]: AgentDefinition };
  /** Model for agents that name none. */
  model: string;
  carried?: CarriedTask;
}

/** What the run before this one handed over when it continued as new. */
export interface CarriedTask extends StepWorkState {
  reviews: Review[];
  refused_signals: number;
}
