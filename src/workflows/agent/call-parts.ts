import type { Owner } from "../../core/calls/owner";
import type { ToolSpec } from "../../core/calls/tool";
import type { PendingChanges } from "../chain/pending-changes";
import type { RunChain } from "../chain/run-chain";
import type { HistoryBudget, ReplayCost } from "../history-limits";
import type { Gate } from "./gate";

/** The parts of a run with which it makes its calls, of models and of tools, alone or together. */
export interface CallParts {
  agent: string | null;
  /** The task or plan that the run works for, if it would outlive it. */
  owner: Owner | undefined;
  tools: Map<string, ToolSpec>;
  gate: Gate;
  /** Takes the changes of the journal that wait for an activity. */
  pendingChanges: PendingChanges;
  /** Notes calls with effects and agents below. */
  chain: RunChain;
  /** Counts what a replay would have to do again. */
  cost: ReplayCost;
  /** The events and bytes of the history that are left for calls in the middle of a turn. */
  historyBudget: HistoryBudget;
  /** Runs a local activity while no other one is under way. */
  local<T>(call: () => Promise<T>): Promise<T>;
}
