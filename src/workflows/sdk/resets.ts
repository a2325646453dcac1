import { patched } from "@temporalio/workflow";
import { Activator } from "@temporalio/workflow/lib/internals";

/**
 * How a workflow notices that somebody has reset it (`temporal workflow reset`). A reset begins a new run with a part of the
 * history, and the server gives that run a new seed for random numbers at the point of the reset. The SDK has no other sign of
 * it. The seed comes before all else of that point, and at the same place in each replay.
 */

/** The workflow of a run, as far as this file changes it. */
interface ResetRun {
  updateRandomSeed(seed: unknown): void;
  /** How often this run, and those that it comes from, were reset. */
  [RESETS]?: number;
  [LISTENER]?: () => void;
}

const RESETS = Symbol.for("navigator.resets");
const LISTENER = Symbol.for("navigator.reset-listener");
const NOTED = Symbol.for("navigator.resets-noted");

/** The name of the marker in the history. A run that an earlier version continued after a reset has none, and no new path. */
const MARKER = "reset-asks-again";

/** Runs share the code of the bundle, so the method is replaced once. */
function noteSeeds(activator: ResetRun & { [NOTED]?: true }): void {
  if (activator[NOTED]) return;
  activator[NOTED] = true;
  const update = activator.updateRandomSeed;
  activator.updateRandomSeed = function noted(this: ResetRun, seed: unknown) {
    update.call(this, seed);
    this[RESETS] = (this[RESETS] ?? 0) + 1;
    this[LISTENER]?.();
  };
}

noteSeeds(Activator.prototype as unknown as ResetRun);

/** Sets what happens at the point of a reset; if the run was reset before its code began, it happens at once. */
export function whenReset(reset: () => void): void {
  const { __TEMPORAL_ACTIVATOR__: run } = globalThis as { __TEMPORAL_ACTIVATOR__?: ResetRun };
  if (run === undefined) return;
  const unlessEarlierVersion = () => {
    if (patched(MARKER)) reset();
  };
  run[LISTENER] = unlessEarlierVersion;
  if (run[RESETS] !== undefined) unlessEarlierVersion();
}
