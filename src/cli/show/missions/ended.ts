import type { AskedEffects } from "../../../client/mission-effects";
import type { EffectEntry } from "../../../core/effects/entry";
import { undoStep } from "../../../core/effects/undo/undo-plan";
import { type WorkflowEnd, workflowEndText } from "../../../core/history/read/workflow-end";
import { shellWord } from "../../../node/shell-word";
import type { Colors } from "../../terminal/render";
import { effectsText, underWayLines } from "../render-effects";

const NOTHING = "It had done nothing to the world.";

/**
 * What a cancelled mission had done, and how to take it back, if anything of it can be.
 *
 * @param end null: it has not ended yet
 * @param silent the task queue of the mission, if no worker serves it, and what a worker there does not know of the mission
 */
export function cancelledText(
  told: AskedEffects,
  end: WorkflowEnd | null,
  silent: { task_queue: string; unknown_format?: string } | undefined,
  color: Colors,
): string {
  const { workflow_id, effects } = told;
  const waits =
    silent === undefined
      ? "It has not ended yet: navigator list shows when it has."
      : silent.unknown_format === undefined
        ? `No worker runs: this acts when a worker of task queue "${silent.task_queue}" starts.`
        : `It has ${silent.unknown_format}: this acts when a worker that knows it serves task queue "${silent.task_queue}".`;
  const state =
    end === null
      ? color.yellow(`${workflow_id} is asked to stop. ${waits}`)
      : `${workflow_id} ${workflowEndText(end)}.`;
  const missing = underWayLines(told, color);
  if (effects.length === 0) return [state, ...(missing.length === 0 ? [NOTHING] : missing)].join("\n");
  const back = takenBackText(workflow_id, effects);
  return [state, "", effectsText(told, false, color), ...(back === "" ? [] : ["", back])].join("\n");
}

/** A mission that was terminated. */
export function terminatedText(told: AskedEffects, meaning: string, color: Colors): string {
  const { workflow_id: workflowId, effects } = told;
  const missing = underWayLines(told, color);
  const back = takenBackText(workflowId, effects);
  return [
    `${workflowId} is terminated: ${meaning}`,
    ...(effects.length > 0 ? [`What it did: navigator effects ${shellWord(workflowId)}`] : []),
    ...(effects.length === 0 && missing.length === 0 ? [NOTHING] : missing),
    ...(back === "" ? [] : [back]),
  ].join("\n");
}

function takenBackText(workflowId: string, effects: readonly EffectEntry[]): string {
  const count = effects.filter((entry) => !("obstacle" in undoStep(entry))).length;
  if (count === 0) return "";
  const what = count === effects.length ? "it" : `${count} of ${effects.length}`;
  return `To take ${what} back: navigator undo ${shellWord(workflowId)}`;
}
