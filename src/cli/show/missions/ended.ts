import type { AskedEffects } from "../../../client/mission-effects";
import { type WorkflowEnd, workflowEndText } from "../../../core/journal/workflow-end";
import { shellWord } from "../../../node/shell-word";
import type { Colors } from "../../terminal/render";
import { effectsText } from "../render-effects";

/** What a cancelled mission had done, and how to take it back. @param end null: it has not ended yet */
export function cancelledText(told: AskedEffects, end: WorkflowEnd | null, color: Colors): string {
  const { workflow_id, effects } = told;
  const id = shellWord(workflow_id);
  const state =
    end === null
      ? color.yellow(`${workflow_id} is asked to stop. It has not ended yet: navigator list shows when it has.`)
      : `${workflow_id} ${workflowEndText(end)}.`;
  if (effects.length === 0) return `${state}\nIt had done nothing to the world.`;
  return [
    state,
    "",
    effectsText({ ...told, end: null }, false, color),
    "",
    `To take it back: navigator undo ${id}`,
  ].join("\n");
}

/** A mission that was terminated. */
export function terminatedText(workflowId: string, meaning: string): string {
  const id = shellWord(workflowId);
  return [
    `${workflowId} is terminated: ${meaning}`,
    `What it did: navigator effects ${id}`,
    `To take it back: navigator undo ${id}`,
  ].join("\n");
}
