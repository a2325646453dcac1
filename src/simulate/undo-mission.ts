import { valueOrThrow } from "../core/base/navigator-error";
import type { EffectEntry } from "../core/effects/entry";
import { type UndoPlan, type UndoRange, undoPlan } from "../core/effects/undo/undo-plan";
import { type OnUndoFailure, type UndoResult, undoSteps } from "../core/effects/undo/undo-steps";
import type { EffectGuards } from "./effect-guards";
import { type MemoryUndo, undoInMemory } from "./memory-host";

/** A mission that was undone in memory. */
export interface MemoryUndoEnd extends UndoResult {
  plan: UndoPlan;
  /** The ledger afterwards. */
  ledger: EffectEntry[];
}

/**
 * Undoes a mission in memory, as `client.undo` does on a server: the same plan, in the same order.
 *
 * @param mission its workflow id, as in `agent/test`
 * @param ledger its effects, in the order of their calls
 * @throws NavigatorError `not_found`
 */
export async function undoMissionInMemory(
  mission: string,
  ledger: readonly EffectEntry[],
  undos: ReadonlyMap<string, MemoryUndo>,
  {
    on_failure = "stop",
    guards,
    ...range
  }: UndoRange & { on_failure?: OnUndoFailure; guards?: EffectGuards | undefined } = {},
): Promise<MemoryUndoEnd> {
  const plan = valueOrThrow(undoPlan(mission, ledger, range));
  const result = await undoSteps(plan.steps, (step) => undoInMemory(undos, step), on_failure);
  const undone = new Set(result.undone);
  for (const key of undone) guards?.undone(key);
  return {
    ...result,
    plan,
    ledger: ledger.map((entry) => (undone.has(entry.key) ? { ...entry, state: "undone" as const } : entry)),
  };
}
