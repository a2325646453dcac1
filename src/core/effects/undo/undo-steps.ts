import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { UndoStep } from "./undo-plan";

/** Whether the undo stops or continues when an effect cannot be taken back although its tool has an undo. */
export type OnUndoFailure = "stop" | "continue";

/** One effect that should have been undone. `unknown`: the answer was lost after all attempts. */
interface UndoFailure {
  key: string;
  tool: string;
  outcome: "failed" | "unknown";
  message: string;
}

/** What became of the steps of a plan. Every step is in exactly one of the lists, by its key. */
export interface UndoResult {
  undone: string[];
  failed: UndoFailure[];
  /** Not tried, because an earlier one failed. */
  left: string[];
}

/**
 * Undoes one effect after the other. Each may have been undone before, with the same key: it is the tool that makes
 * that harmless.
 *
 * @param undo takes one effect back; a failure with code `unknown_outcome` means that nobody knows
 * @param noted is called for each effect that is taken back, before the next one
 */
export async function undoSteps(
  steps: readonly UndoStep[],
  undo: (step: UndoStep) => Promise<Result<Json>>,
  on_failure: OnUndoFailure,
  noted: (step: UndoStep) => void | Promise<void> = () => {},
): Promise<UndoResult> {
  const result: UndoResult = { undone: [], failed: [], left: [] };
  for (const step of steps) {
    const { key, tool } = step;
    if (result.failed.length > 0 && on_failure === "stop") {
      result.left.push(key);
      continue;
    }
    const answer = await undo(step);
    if (answer.ok) {
      result.undone.push(key);
      await noted(step);
      continue;
    }
    const { message, details } = answer.fail;
    const outcome = details?.code === "unknown_outcome" ? "unknown" : "failed";
    result.failed.push({ key, tool, outcome, message });
  }
  return result;
}
