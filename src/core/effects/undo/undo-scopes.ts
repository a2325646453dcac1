import type { Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { MissionLedger } from "../mission-ledger";
import { type UndoStep, undoStep } from "./undo-plan";
import { undoSteps } from "./undo-steps";

/** What became of work that was undone: of a task of a plan, or of steps of a graph. */
export interface UndoneWork {
  /** The number of effects that were taken back. */
  undone: number;
  /** What was done, or may have been done, and could not be taken back, each with the reason. */
  remaining: string[];
  /** The ids of the journal's tasks that are not done any more. */
  tasks: string[];
}

/**
 * Takes back the effects of these scopes, the last effect first, as far as possible: later work learns what remains.
 */
export async function undoScopes(
  ledger: MissionLedger,
  scopes: readonly string[],
  undo: (step: UndoStep) => Promise<Result<Json>>,
): Promise<UndoneWork> {
  const steps: UndoStep[] = [];
  const remaining: string[] = [];
  for (const entry of [...ledger.inScopes(scopes)].sort((a, b) => a.at - b.at).reverse()) {
    const step = undoStep(entry);
    if ("result" in step) steps.push(step);
    else if (step.obstacle !== "undone" && step.obstacle !== "not_done") remaining.push(`${step.tool}: ${step.why}`);
  }
  const { undone, failed } = await undoSteps(steps, undo, "continue", ({ key }) => ledger.markUndone([key]));
  const keys = new Set(undone);
  const tasks = steps.flatMap(({ key, task }) => (keys.has(key) && task !== undefined ? [task] : []));
  const lost = failed.map(({ tool, message }) => `${tool}: ${message}`);
  return { undone: undone.length, remaining: [...lost, ...remaining], tasks: [...new Set(tasks)] };
}

/**
 * The undone effects, as people and planners read them after the failure; "" if nothing was done.
 *
 * @param who the owner of the work, in the middle of a sentence
 */
export function undoneText({ undone, remaining }: Pick<UndoneWork, "undone" | "remaining">, who = "it"): string {
  const parts = [
    ...(undone === 0 ? [] : [`What ${who} had done was undone (${undone}).`]),
    ...(remaining.length === 0 ? [] : [`Not undone: ${remaining.join("; ")}.`]),
  ];
  return parts.join(" ");
}

/** A journal without the records of tasks whose effects were taken back. */
export function withoutTasks(journal: JsonObject | null, tasks: readonly string[]): JsonObject | null {
  if (journal === null || tasks.length === 0) return journal;
  return Object.fromEntries(Object.entries(journal).filter(([id]) => !tasks.includes(id)));
}
