import { type Failure, failed } from "../../../base/failure";
import { beginsAt, type Definition, isEnd, nodeOf, workOf } from "../../definition/schema";
import type { Advance } from "../advance-input";
import { hasSameResult, staleVersion, versionOf } from "../repeat";
import type { Task, TaskEntry } from "../task-schema";
import { asksPerson } from "./agent-moves";
import type { TaskState } from "./task-state";

/**
 * Calls without a version (graph reference, section 4). Their senders may have seen an earlier version of the task, or send a call again
 * whose answer was lost. Where such a call would pass over a person, its sender has to name the version that it saw.
 */

type Here = Pick<TaskState, "task" | "definition" | "reviews">;

/** Why a call without a version does not count; null if it does. Reasons: `stale_version`, `version_required`. */
export function unclearVersion(state: Here, given: Advance): Failure | null {
  const { task } = state;
  const { version, seen, mayRepeat, expectedStep } = given;
  const isElsewhere = expectedStep !== undefined && expectedStep !== task.currentStep;
  if (version !== undefined || isElsewhere) return null;
  if (seen !== undefined && seen !== versionOf(task)) return staleVersion(task, seen).fail;
  return mayRepeat === true ? possibleRepeat(state, given) : null;
}

/** Where a person is asked, no call from outside moves the task without a version. Reason: `version_required`. */
export function versionForPerson(state: Here, { version, seen, mayRepeat, by }: Advance): Failure | null {
  const isFromOutside = by !== undefined || seen !== undefined || mayRepeat === true;
  if (version !== undefined || !isFromOutside || !asksPerson(state) || isGateOfAgent(state)) return null;
  const { id, currentStep } = state.task;
  return versionRequired(state.task, `A person is asked at "${currentStep}" of task "${id}"`, "To move it from there");
}

/** The gate names an agent: the one that drives the task has it decide. */
const isGateOfAgent = ({ task, definition }: Here): boolean =>
  task.status !== "HITL" &&
  definition !== undefined &&
  workOf(nodeOf(definition, task.currentStep))?.agent !== undefined;

/** The call may be one that was made before, and a person is asked or has decided since. */
function possibleRepeat(state: Here, given: Advance): Failure | null {
  const { task, definition } = state;
  const at = task.history.findLastIndex((entry) => hasSameResult(entry, given));
  const move = task.history[at];
  if (move === undefined) return null;
  const decided = task.history.slice(at + 1).find((entry) => wasDecided(definition, entry));
  if (decided === undefined && !asksPerson(state)) return null;
  const since = decided === undefined ? "a person is asked there" : `${decisionText(decided)} since`;
  const happened = `Task "${task.id}" has left "${move.step}" with this result already, and ${since}`;
  return versionRequired(task, happened, "If this is a new result of that step");
}

function versionRequired(task: Task, happened: string, when: string): Failure {
  const { currentStep, status } = task;
  const version = versionOf(task);
  const text = `${happened}: nothing moved. It is at "${currentStep}", version ${version}. ${when}, call again with version ${version}.`;
  return failed("version_required", text, { version, currentStep, status }).fail;
}

/** Whether a person may have made a move: an agent's would be recorded. */
const wasDecided = (definition: Definition | undefined, { step, action, by }: TaskEntry): boolean =>
  by === undefined &&
  (action === "send_to" ||
    action === "close" ||
    (definition !== undefined && (beginsAt(definition, step) === "gateReview" || isEnd(definition, step))));

const decisionText = ({ step, to, result }: TaskEntry): string =>
  `"${step}" was decided${result === null ? "" : ` with "${result}"`}${to === null ? "" : `, which led to "${to}",`}`;
