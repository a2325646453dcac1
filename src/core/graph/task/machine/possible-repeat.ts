import { type Failure, failed } from "../../../base/failure";
import { beginsAt, type Definition, isEnd } from "../../definition/schema";
import type { Advance } from "../advance-input";
import { hasSameResult, versionOf } from "../repeat";
import type { TaskEntry } from "../task-schema";
import { asksPerson } from "./agent-moves";
import type { TaskState } from "./task-state";

/**
 * Calls without a version (graph reference, section 4). A sender whose answer was lost sends its call again, and nothing may distinguish the
 * two apart. Where the repeat would pass over a person, who is asked or has decided during that time, the sender has to name a version.
 */

type Here = Pick<TaskState, "task" | "definition" | "reviews">;

/** Why a call may be one that was made before, and a person's answer is at stake; null if not. Reason: `version_required`. */
export function possibleRepeat(state: Here, given: Advance): Failure | null {
  const { task, definition } = state;
  if (given.version !== undefined || given.mayRepeat !== true) return null;
  const at = task.history.findLastIndex((entry) => hasSameResult(entry, given));
  const move = task.history[at];
  if (move === undefined) return null;
  const decided = task.history.slice(at + 1).find((entry) => wasDecided(definition, entry));
  if (decided === undefined && !asksPerson(state)) return null;
  const { currentStep, status } = task;
  const version = versionOf(task);
  const since = decided === undefined ? "a person is asked there" : `${decisionText(decided)} since`;
  return failed(
    "version_required",
    `Task "${task.id}" has left "${move.step}" with this result already, and ${since}: nothing moved. It is at "${currentStep}", version ${version}. If this is a new result of that step, call again with version ${version}.`,
    { version, currentStep, status },
  ).fail;
}

/** Whether a person may have made a move: an agent's would be recorded. */
const wasDecided = (definition: Definition | undefined, { step, action, by }: TaskEntry): boolean =>
  by === undefined &&
  (action === "send_to" ||
    action === "close" ||
    (definition !== undefined && (beginsAt(definition, step) === "gateReview" || isEnd(definition, step))));

const decisionText = ({ step, to, result }: TaskEntry): string =>
  `"${step}" was decided${result === null ? "" : ` with "${result}"`}${to === null ? "" : `, which led to "${to}",`}`;
