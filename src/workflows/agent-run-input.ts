import type { UsageState } from "../core/agent/budget/mission-usage";
import type { TreeBudgetState } from "../core/agent/budget/tree-budget";
import type { AgentInput, AgentState } from "../core/agent/run/run";
import type { Missing } from "../core/base/input/missing";
import type { ContinuedPause, Paused } from "../core/base/input/pause";
import type { Json } from "../core/base/json";
import type { RunFormat } from "../core/base/run-format";
import type { Owner } from "../core/calls/owner";
import type { ContinuedChain } from "../core/effects/chain/link-chain";
import type { PackedRecord } from "../core/journal/record";
import type { Review } from "../core/review/review";

/** Input of the workflow `agentRun`. */
export interface AgentRunInput extends AgentInput, RunFormat {
  /**
   * The result of a `{status: "waiting"}` return: `park` waits in the workflow for a decision and starts the mission
   * again with its journal; `return` ends the run, and the application starts a new one (agent reference, section
   * 18.11).
   */
  on_waiting?: "park" | "return";
  /** For an agent that runs as a tool: the number of earlier model calls in the whole tree. */
  tree_calls?: number;
  /** For an agent that shares a budget: the workflow id of the run that owns it. */
  budget_root?: string;
  /** The task or plan that it works for, if it would outlive it. */
  owner?: Owner;
  /** The state of the previous run, which continued as new. */
  carried?: ContinuedRun;
}

/** The state that a run passes on when it continues as new. */
export interface ContinuedRun extends ContinuedChain {
  /** Its journal is null: see `records`. */
  state: AgentState;
  /** The journal; absent = the run has none. */
  records?: PackedRecord[];
  model_calls: number;
  /** Model calls of the whole tree. */
  tree_calls: number;
  invocation: number;
  /** Decisions recorded during the present invocation: it may not have seen them. */
  unseen_decisions: number;
  refused_signals: number;
  tree_budget?: TreeBudgetState;
  /** The open reviews, the number of all reviews, and the places of the calls that wait for one. */
  reviews: { reviews: Review[]; count: number; places?: [place: string, review: string][] };
  /** The run was parked: it continues to wait. */
  parked?: Parked;
  /** NavigatorStatus was set, so it must be kept up to date. */
  status_shown?: true;
  /** The usage of the run and the agents below it. */
  used: UsageState;
  /** The run was paused. */
  pause?: ContinuedPause;
}

/** A run that waits for a decision between two invocations. */
export interface Parked {
  /** The value that the mission returned. */
  waiting: Json;
  /** Ms since 1970. */
  since: number;
  /** When the wait ends, ms since 1970; null = never. */
  until: number | null;
}

/** The status of a run. */
export interface AgentRunStatus {
  /** `waiting`: the run waits for a person, who makes a decision that it needs, or who closes an open review. */
  state: "running" | "waiting" | "blocked" | "paused" | "completed" | "failed" | "cancelled";
  /**
   * For a blocked run: the part that no worker has (`text`), and how to add it (`help`). The run continues
   * automatically when a worker has it.
   */
  blocked?: Pick<Missing, "kind" | "name" | "text" | "help">;
  /** For a paused run: who paused it, why, and when. */
  paused?: Paused;
  /** The value that a waiting mission returned. It may name the reason for the wait. */
  waiting?: Json;
  /** The number of open reviews: approvals, questions, budgets. */
  open_reviews: number;
  turn: number;
  invocation: number;
  /** The number of signals that were refused because this run could not use them. */
  refused_signals: number;
}
