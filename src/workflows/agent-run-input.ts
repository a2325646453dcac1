import type { TreeBudgetState } from "../core/agent/budget/tree-budget";
import type { AgentInput, AgentState } from "../core/agent/run/run";
import type { Json } from "../core/base/json";
import type { RecordView } from "../core/journal/view";
import type { Review } from "../core/review/review";

/** Input of the workflow `agentRun`. */
export interface AgentRunInput extends AgentInput {
  /**
   * What a `{status: "waiting"}` return does: `park` waits in the workflow for a decision and starts the mission
   * again with its journal; `return` ends the run, and the application starts a new one (agent reference, section
   * 18.11).
   */
  on_waiting?: "park" | "return";
  /** Of an agent that another runs as a tool: model calls made in the whole tree before it. */
  tree_calls?: number;
  /** Of an agent that shares a budget: workflow id of the run that holds it. */
  budget_root?: string;
  /** First part of idempotency keys; the workflow id when not given. */
  idempotency_scope?: string;
  /** What the run before this one handed over when it continued as new. */
  carried?: CarriedRun;
}

/** What a run hands over when it continues as new. */
export interface CarriedRun {
  state: AgentState;
  rows: RecordView[];
  resets: [string, number][];
  model_calls: number;
  /** Model calls of the whole tree. */
  tree_calls?: number;
  invocation: number;
  /** Decisions recorded during the present invocation: it may not have seen them. */
  unseen_decisions: number;
  refused_signals: number;
  purse?: TreeBudgetState;
  /** People who were asked, and how often in all. */
  reviews?: { reviews: Review[]; count: number };
}

/** What a run answers when it is asked how it stands. */
export interface AgentRunStatus {
  state: "running" | "waiting" | "completed" | "failed";
  /** What a waiting mission returned: it may say what it waits for. */
  waiting?: Json;
  turn: number;
  invocation: number;
  /** Signals that were refused because they said nothing this run could use. */
  refused_signals: number;
}
