import { allHandlersFinished, condition, makeContinueAsNewFunc } from "@temporalio/workflow";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { Failure } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { withoutEffects } from "../../core/effects/given-ledger";
import { withoutRecords } from "../../core/journal/retry-of";
import type { AgentRunWorkflow } from "../agent-child";
import type { AgentRunInput, ContinuedRun, Parked } from "../agent-run-input";
import { LONG_RUN_TASK_TIMEOUT_MS } from "../history-limits";
import type { RunParts } from "./run-parts";
import type { RunVisibility } from "./visibility";

/** The failure of a run that can neither continue nor continue as new. */
export const TOO_LONG: Failure = {
  reason: "payload_too_large",
  message: `The run's history is nearly as long as a server takes, and the run's state is larger than the ${MAX_PAYLOAD_BYTES} bytes that may be passed to a new one.`,
};

/**
 * Continues a run as new, with all its state. If it returns, the run keeps its history.
 *
 * @returns `too_large`: the state does not fit into one payload; `busy`: a person has decided during that time, and what follows is
 * under way
 */
export async function continueRunAsNew(
  run: RunParts,
  visibility: RunVisibility,
  parked: Parked | undefined,
): Promise<"too_large" | "busy"> {
  await condition(allHandlersFinished);
  if (!run.agentRun.isPaused || (parked && run.journal.hasUnseenDecision)) return "busy";
  // Nothing may happen between here and the end of the run: the next run must get everything.
  const { input } = run;
  const next = fitInput({
    ...input,
    ...withoutEffects(input.effects),
    ...withoutRecords(input.retry),
    journal: null,
    carried: { ...continuedRun(run, visibility), ...defined({ parked }) },
  });
  if (!next) return "too_large";
  run.journal.pendingChanges.write();
  const options = { workflowTaskTimeout: LONG_RUN_TASK_TIMEOUT_MS, memo: visibility.memo() };
  return makeContinueAsNewFunc<AgentRunWorkflow>(options)(next);
}

function continuedRun(run: RunParts, { isStatusShown }: RunVisibility): ContinuedRun {
  const { agentRun, chain, host, journal, models, pause, reviews, treeBudget, used } = run;
  return {
    ...journal.continueState(agentRun.state),
    ...chain.continueState(),
    ...(isStatusShown ? { status_shown: true } : {}),
    ...pause.continueState(),
    model_calls: models.count,
    tree_calls: models.treeCount,
    invocation: host.invocation,
    refused_signals: run.refusedSignals,
    reviews: reviews.state(),
    ...defined({ tree_budget: treeBudget?.state() }),
    used: used.state(),
  };
}

/** The input of the next run, without the records of past turns if they are too large; null if it is still too large. */
function fitInput(input: AgentRunInput & { carried: ContinuedRun }): AgentRunInput | null {
  if (fits(input)) return input;
  const { state } = input.carried;
  const message = `The record of turns 1 to ${state.turn - 1} was dropped when the run continued as new: it was too large.`;
  const warnings = [...state.warnings, { code: "turns_dropped", message }];
  const light = { ...input, carried: { ...input.carried, state: { ...state, turns: [], warnings } } };
  return fits(light) ? light : null;
}

const fits = (input: AgentRunInput): boolean => jsonBytes(input as unknown as Json) <= MAX_PAYLOAD_BYTES;
