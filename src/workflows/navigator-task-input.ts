import type { AgentDefinition } from "../core/agent/definition";
import type { Definition } from "../core/graph/schema";
import type { Task } from "../core/graph/task";
import type { JsonObject } from "../core/json";
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
export interface CarriedTask {
  reviews: Review[];
  /** Of steps whose work is not finished: the next attempt goes on where the last one ended. */
  journals: { [step: string]: JsonObject | null };
  attempts: { [step: string]: number };
  /** How often the work of a step was finished. */
  finished: { [step: string]: number };
  refused_signals: number;
}
