import * as nexus from "nexus-rpc";
import type { Step } from "../../core/agent/result/step";
import type { JsonObject } from "../../core/base/json";
import type { Task } from "../../core/graph/task/task";
import type { Decision, Review } from "../../core/review/review";
import type { PlanRunResult } from "../plan-run-input";
import type { RunInput } from "../start/agent-input";
import type { PlanToRun } from "../start/plan-input";
import type { TaskToRun } from "../start/sendable";

/** The options of a run that a caller over Nexus may set. What goes past the agent's prompt (`program`, ...) is not among them. */
type NexusRunOptions = Pick<
  RunInput,
  "model" | "budget" | "token_limit" | "on_budget_exceeded" | "on_waiting" | "requested_by"
>;

/** An agent's mission, asked for over Nexus. */
export interface NexusRunAgent extends NexusRunOptions {
  /** The name of one of the agents that the worker's plugin has. */
  agent: string;
  /** Data, also a `journal` or a Step in it. Read with the agent's `input`, where the agent was defined with schemas. */
  context?: JsonObject;
  /** Run id. Default: one that is the same for all attempts of the operation. */
  id?: string;
}

/** A task on a graph, asked for over Nexus. Nodes name agents of the worker's plugin. */
export type NexusRunTask = Omit<TaskToRun, "agents">;

/** A plan, asked for over Nexus. */
export interface NexusRunPlan extends PlanToRun {
  /** Run id. Default: one that is the same for all attempts of the operation. */
  id?: string;
}

/** A decision about a review of a mission, a task or a plan. */
export interface NexusDecide {
  /** The whole id: `agent/x`, `task/x`, `plan/x`, or of a run below. */
  workflow_id: string;
  decision: Decision;
}

/**
 * Navigator as a Nexus service, for workflows of other namespaces: `createNexusServiceClient({ service: navigatorService,
 * endpoint })`. A worker answers it whose `NavigatorPlugin` has `nexus: true`. Runs are operations that last as long as the
 * run does; a mission that failed fails its operation, with the reason as the type of the failure. `runPlan`, `decide` and
 * `reviews` are for trusted callers (docs/embedding.md, "Workflows of other namespaces").
 */
export const navigatorService = nexus.service("navigator", {
  /** Runs an agent, and gives its Step. */
  runAgent: nexus.operation<NexusRunAgent, Step>(),
  /** Runs a task on a graph, and gives the task as it ended. */
  runTask: nexus.operation<NexusRunTask, Task>(),
  /** Runs a plan, and gives its result. */
  runPlan: nexus.operation<NexusRunPlan, PlanRunResult>(),
  /** Decides a review, and gives it as it is then. */
  decide: nexus.operation<NexusDecide, Review>(),
  /** The reviews of a mission, a task or a plan, open and closed. */
  reviews: nexus.operation<{ workflow_id: string }, Review[]>(),
});
