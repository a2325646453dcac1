import { canonical } from "../../base/canonical";
import { type Failure, failed, ok, type Result } from "../../base/failure";
import { type Definition, isEnd, maxRetriesOf, nodeOf } from "../definition/schema";
import { endingAt } from "../nodes/end";
import type { AdvanceAnswer } from "./advance";
import type { Advance } from "./advance-input";
import { movesOf } from "./recent-moves";
import type { Task, TaskEntry } from "./task-schema";

/**
 * Repeated calls (graph reference, section 4): a call may name the version of the task that it saw. The version of a task
 * is the number of its moves, so it changes with every move, also with one that leads back to the same step.
 */

/** The version of a task: the number of its moves. */
export const versionOf = (task: Task): number => movesOf(task);

/** The place in the history of the move that was made from a version. */
const placeOf = ({ earlierMoves = 0 }: Task, version: number): number => version - earlierMoves;

/**
 * The answer of the move that was already made from the version that a call names; null when the call names none, or the
 * present one. Refuses with `stale_version` when another move was made from there.
 */
export function repeatedMove(
  definition: Definition | undefined,
  task: Task,
  given: Advance,
): Result<AdvanceAnswer> | null {
  const { version } = given;
  if (version === undefined || version === versionOf(task)) return null;
  const entry = task.history[placeOf(task, version)];
  if (entry === undefined || !hasSameResult(entry, given)) return staleVersion(task, version);
  return ok({ ...answerOf(definition, task, version, entry), repeated: true });
}

/** The refusal of a call whose sender saw an earlier version of the task. */
export function staleVersion(task: Task, version: number): { ok: false; fail: Failure } {
  const { currentStep, status } = task;
  const text = staleText(task, version, task.history[placeOf(task, version)]);
  return failed("stale_version", text, { version: versionOf(task), currentStep, status });
}

/** Whether a call has the result and output that a move was made with. */
export const hasSameResult = (entry: TaskEntry, { result, output }: Pick<Advance, "result" | "output">): boolean =>
  entry.action !== "send_to" &&
  entry.action !== "close" &&
  entry.result === (result ?? null) &&
  canonical(entry.output ?? null) === canonical(output ?? null);

function staleText(task: Task, version: number, entry: TaskEntry | undefined): string {
  const now = `It is at version ${versionOf(task)}, at "${task.currentStep}": nothing moved.`;
  if (version >= 0 && placeOf(task, version) < 0)
    return `Task "${task.id}" has moved since version ${version}, so long ago that the move is only counted. ${now}`;
  if (entry === undefined) return `Task "${task.id}" never had version ${version}. ${now}`;
  const how = entry.result === null ? "without a result" : `with "${entry.result}"`;
  return `Task "${task.id}" has moved since version ${version}: it left "${entry.step}" ${how}. ${now}`;
}

/** The answer as it was, with the task as it is now. */
function answerOf(definition: Definition | undefined, task: Task, version: number, entry: TaskEntry): AdvanceAnswer {
  const { step, to, action } = entry as TaskEntry & { action: Extract<AdvanceAnswer, { success: true }>["action"] };
  const onward = task.history[placeOf(task, version) + 1];
  const ended = definition !== undefined && to !== null && isEnd(definition, to);
  const continued = ended && onward !== undefined && onward.step === to && onward.at === entry.at;
  return {
    success: true,
    previousStep: step,
    nextStep: continued ? onward.to : to,
    action,
    task,
    ...counters(definition, task, version, entry),
    ...(continued ? { autonomyContinued: true as const } : ended ? endingAt(definition, to) : {}),
  };
}

function counters(definition: Definition | undefined, task: Task, version: number, { step, action }: TaskEntry) {
  const node = definition === undefined ? undefined : nodeOf(definition, step);
  if (node === undefined || (action !== "retry" && action !== "escalate")) return {};
  const maxRetries = maxRetriesOf(node);
  if (action === "escalate")
    return { reason: "max_retries_exceeded" as const, retriesUsed: maxRetries, retriesRemaining: 0, maxRetries };
  let retriesUsed = 0;
  for (const move of task.history.slice(0, placeOf(task, version) + 1))
    if (move.step === step) retriesUsed = move.action === "retry" ? retriesUsed + 1 : 0;
  return { retriesUsed, retriesRemaining: Math.max(0, maxRetries - retriesUsed), maxRetries };
}
