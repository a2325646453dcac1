import { undoneText } from "../../effects/undo/undo-scopes";
import { type Definition, type Edge, nodeOf } from "../definition/schema";
import { takenEdge } from "./taken-edge";
import type { MoveUndo, TaskEntry } from "./task-schema";

/**
 * `on_failure: undo` of an edge: when the node that it leads to fails, what was done at the node that it comes from is
 * undone (effects reference, section 9).
 */

/** What a move has to undo, before anything follows. */
export interface OwedUndo {
  /** The number of the move among all moves of the task, from 0. */
  move: number;
  /** Steps of the task itself, or of its branches. */
  steps: string[];
  /** The agent scopes of their work in the ledger. */
  lanes: string[];
  /** The edges with `on_failure: undo`, as `from -> to`. */
  edges: string[];
}

/** The edges that caused an undo, as people read them. */
export const edgesText = ({ edges }: OwedUndo): string => `edge ${edges.join(", ")}`;

/** How an undo names an edge. */
export const edgeName = ({ from, to }: { from: string; to: string }): string => `${from} -> ${to}`;

/** A step whose work a move undoes, and the edge with `on_failure: undo`. */
export interface UndoneStep {
  step: string;
  edge: Edge;
}

/**
 * The steps of a task whose work a move undoes, the latest first: the one that it leaves, if it leads to an end that is no
 * success, and the one from which the task had come to the step that fails. An edge that leads back to its own node, and
 * a retry in place, leave nothing.
 *
 * @param index the place of the move in the history
 */
export function stepsUndoneBy(definition: Definition, history: readonly TaskEntry[], index: number): UndoneStep[] {
  const move = history[index] as TaskEntry;
  const taken = takenEdge(definition, move);
  const steps: UndoneStep[] = [];
  if (taken?.on_failure === "undo" && isFailingEnd(definition, taken.to)) steps.push({ step: move.step, edge: taken });
  if (!leavesFailed(move)) return steps;
  const arrival = arrivalAt(history, index);
  const entered = arrival === undefined ? undefined : takenEdge(definition, arrival);
  if (arrival !== undefined && entered?.on_failure === "undo") steps.push({ step: arrival.step, edge: entered });
  return steps;
}

/** Whether a move takes the task away from a step that failed, or ends it there. */
export const leavesFailed = ({ step, to, result }: TaskEntry): boolean => result === "failed" && to !== step;

/** The step at which a branch took an edge with `on_failure: undo` into its join: its work is undone if the join fails. */
export function stepUndoneAtJoin(definition: Definition, history: readonly TaskEntry[]): string | undefined {
  const last = history.at(-1);
  if (last === undefined) return undefined;
  const taken = takenEdge(definition, last);
  const undoes = taken?.on_failure === "undo" && nodeOf(definition, taken.to)?.type === "join";
  return undoes ? last.step : undefined;
}

/** What a move undid, as people and agents read it; "" if there was nothing to undo. */
export const moveUndoText = (undo: MoveUndo): string =>
  undoneText(undo, undo.steps.map((step) => `"${step}"`).join(" and "));

/** Longer lists of what remains are cut: a task's history is passed whole. */
const MAX_REMAINING = 20;

/** What a move undid, with what it had undone before. */
export function addedUndo(before: MoveUndo | undefined, { steps, undone, remaining }: MoveUndo): MoveUndo {
  const { steps: earlier = [], undone: count = 0, remaining: rest = [] } = before ?? {};
  const left = remaining.length - MAX_REMAINING;
  const listed = left <= 0 ? remaining : [...remaining.slice(0, MAX_REMAINING), `and ${left} more`];
  return { steps: [...earlier, ...steps], undone: count + undone, remaining: [...rest, ...listed] };
}

/** The move that brought the task to the step which this one leaves; undefined where the task began, or was loaded. */
function arrivalAt(history: readonly TaskEntry[], index: number): TaskEntry | undefined {
  const { step } = history[index] as TaskEntry;
  for (let i = index - 1; i >= 0; i--) {
    const move = history[i] as TaskEntry;
    if (move.to !== step) return undefined;
    if (move.step !== step) return move;
  }
  return undefined;
}

function isFailingEnd(definition: Definition, id: string): boolean {
  const node = nodeOf(definition, id);
  return node?.type === "end" && node.result !== "success";
}
