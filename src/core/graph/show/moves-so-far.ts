import { isoTime } from "../../base/iso-time";
import type { Task, TaskEntry } from "../task/task-schema";

const MAX_MOVES = 25;

/** What was done with a task so far: a line for each of the last moves, with who made it where that is known. */
export function movesSoFar({ history, earlierMoves = 0 }: Pick<Task, "history" | "earlierMoves">): string[] {
  const shown = history.slice(-MAX_MOVES);
  const left = history.length - shown.length + earlierMoves;
  return [...(left > 0 ? [`${left} earlier moves`] : []), ...shown.map(moveText)];
}

function moveText({ step, to, result, action, at, by, undo }: TaskEntry): string {
  const resultText = result === null ? "" : `: ${result}`;
  const how = action === "unconditional" || action === "conditional" ? "" : ` (${action.replace("_", " ")})`;
  const who = by === undefined ? "" : `, by ${by.id}`;
  const undone = undo === undefined || undo.undone === 0 ? "" : `, ${undo.undone} effects undone`;
  // To the second.
  const when = `${isoTime(at).slice(0, 19)}Z`;
  return `${when} ${step}${to === null ? "" : ` -> ${to}`}${resultText}${how}${who}${undone}`;
}
