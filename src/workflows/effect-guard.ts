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
import { formatFields, invalidWorkflowInput, like, workflowInput } from "../core/base/input/workflow-input";
import type { RunFormat } from "../core/base/run-format";
import { type ClaimedEffect, EffectGuard, type GuardState } from "../core/effects/effect-guard";
import { readGuardClaim, readGuardSettle } from "../core/effects/guard-input";
import { isContinued, isUnnamed } from "./checked-input";
import { valueOrReject } from "./failures";
import { historyIsLong } from "./history-limits";
import * as messages from "./messages";
import { givenFormat } from "./run-format";
import { takeUnreadableSignals } from "./sdk/unreadable-signals";

/** Input of the workflow `effectGuard`. The first run that claims the effect starts it, without input. */
export interface EffectGuardInput extends RunFormat {
  /** The state of the run before. */
  state?: GuardState;
  /** How many signals contained nothing about the effect. */
  refused_signals?: number;
}

/**
 * Guards one effect that all missions of a project share. It knows which mission makes it, and its outcome (effects
 * reference, section 10). The effect is in the id of the workflow.
 */
export async function effectGuard(raw?: EffectGuardInput): Promise<void> {
  takeUnreadableSignals();
  const format = givenFormat(raw);
  const { id, state, refused_signals = 0 } = valueOrReject(readInput(raw));
  const guard = new EffectGuard(state);
  let refused = refused_signals;
  const show = () => setCurrentDetails(shown(guard.claimed(), refused));
  show();

  setHandler(messages.claimedQuery, () => guard.claimed());
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
  await continueAsNew<typeof effectGuard>({ ...format, state: guard.state(), refused_signals: refused });
}

const readState = workflowInput(
  "effectGuard",
  "nothing in it",
  () => ({
    fields: formatFields(),
    continuedFields: { state: like({ next: 0, effects: [] }), refused_signals: like(0) },
  }),
  (raw) => () => raw as unknown as EffectGuardInput,
);

/** The first run has no input: the guard begins without effects. */
function readInput(raw: unknown): Result<EffectGuardInput & { id: string }> {
  const id = effectIdOf(workflowInfo().workflowId);
  if (id === undefined)
    return invalidWorkflowInput("effectGuard", [
      { path: "", message: "needs a workflow id of the form effect/EFFECT_ID" },
    ]);
  const read = readState(raw ?? {}, { knownFields: isUnnamed(raw), continued: isContinued() });
  return read.ok ? ok({ ...read.value, id }) : read;
}

/** For the page of the workflow. */
function shown(claimed: readonly ClaimedEffect[], refused: number): string {
  const rows = claimed
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
