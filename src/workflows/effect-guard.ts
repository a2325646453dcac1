import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import { ok, type Result } from "../core/base/failure";
import { effectIdOf } from "../core/base/ids";
import { invalidWorkflowInput, shownKind } from "../core/base/input/wrong-input";
import { isObject } from "../core/base/is-object";
import { EffectGuard, type GuardState, type HeldEffect } from "../core/effects/effect-guard";
import { readGuardClaim, readGuardSettle } from "../core/effects/guard-input";
import { valueOrReject } from "./failures";
import { historyIsLong } from "./history-limits";
import * as messages from "./messages";

/** Input of the workflow `effectGuard`. Whoever claims the effect first starts it, without any. */
export interface EffectGuardInput {
  /** Of the run before. */
  state?: GuardState;
  /** Signals that said nothing about the effect. */
  refused_signals?: number;
}

/**
 * Guards one effect that all missions of a project share: says which mission makes it, and what became of it (effects
 * reference, section 10). The effect is in the id of the workflow.
 */
export async function effectGuard(raw?: EffectGuardInput): Promise<void> {
  const { id, state, refused_signals = 0 } = valueOrReject(readInput(raw));
  const guard = new EffectGuard(state);
  let refused = refused_signals;
  const show = () => setCurrentDetails(shown(guard.held(), refused));
  show();

  setHandler(messages.heldQuery, () => guard.held());
  setHandler(
    messages.claimEffect,
    (claim) => {
      const answer = guard.claim(claim);
      show();
      return answer;
    },
    { validator: (claim) => void valueOrReject(readGuardClaim(id, claim)) },
  );
  setHandler(messages.settleEffect, (settle) => {
    const read = readGuardSettle(settle);
    if (!read.ok || !guard.settle(read.value)) refused += 1;
    show();
  });

  await condition(historyIsLong);
  await condition(allHandlersFinished);
  await continueAsNew<typeof effectGuard>({ state: guard.state(), refused_signals: refused });
}

/** A state comes only from the run before: anything else would tell of effects that nobody has claimed. */
function readInput(raw: unknown): Result<EffectGuardInput & { id: string }> {
  const { continuedFromExecutionRunId, workflowId } = workflowInfo();
  const refuse = (path: string, message: string) => invalidWorkflowInput("effectGuard", [{ path, message }]);
  const id = effectIdOf(workflowId);
  if (id === undefined) return refuse("", "needs a workflow id of the form effect/EFFECT_ID");
  if (continuedFromExecutionRunId !== undefined) return ok({ ...(raw as EffectGuardInput), id });
  if (raw !== undefined && raw !== null && !isObject(raw))
    return refuse("", `it must be left out, got ${shownKind(raw)}`);
  const [field] = Object.keys(raw ?? {});
  return field === undefined ? ok({ id }) : refuse(field, "is not a field: the guard begins without effects");
}

/** For the page of the workflow. */
function shown(held: readonly HeldEffect[], refused: number): string {
  const rows = held
    .slice(-SHOWN)
    .map(
      ({ n, tool, state, workflow_id, turn, at }) =>
        `| ${n} | ${tool} | ${state} | ${workflow_id} | ${turn} | ${new Date(at).toISOString()} |`,
    );
  const table = ["| number | tool | state | run | turn | since |", "| --- | --- | --- | --- | --- | --- |", ...rows];
  const signals = refused === 0 ? [] : ["", `${refused} signals changed nothing.`];
  return [...table, ...signals].join("\n");
}

const SHOWN = 20;
