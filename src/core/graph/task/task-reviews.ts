import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import { reviewId } from "../../base/ids";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { cutText, shortened } from "../../base/whole-characters";
import { reviewRequest } from "../../review/kinds";
import type { AskingStep } from "../../review/kinds/about-step";
import { termsWith } from "../../review/policy/terms";
import { openReview } from "../../review/request";
import { type Decision, moveOf, type Review } from "../../review/review";
import {
  type Definition,
  edgesFrom,
  isEnd,
  MAX_RETRIES_EXCEEDED,
  maxRetriesOf,
  nodeName,
  nodeOf,
  outputsOf,
  workOf,
} from "../definition/schema";
import { advanceTask, closeTask, retriesUsedAt, sendTo, type Task } from "./task";
import { moveUndoText } from "./undo-over-edges";

/** The reviews of a task on a graph: at human gates, and where it cannot continue without a person. */

/** How a review of a task is asked for. */
export interface ReviewOptions {
  /** Why a step that usually needs no person asks one. */
  why?: string;
}

const MAX_OUTPUT_CHARS = 2_000;

/** The review of the step where the task is: its choices are the step's outputs. */
export function gateReview(
  definition: Definition,
  task: Task,
  number: number,
  nowMs: number,
  options: ReviewOptions = {},
): Review {
  const node = nodeOf(definition, task.currentStep);
  const asking = asked(definition, task, [
    options.why ?? "",
    ...prose(definition, task),
    retriesText(definition, task),
  ]);
  const request = reviewRequest("gate", { ...asking, results: node ? outputsOf(node) : [] });
  return openReview(request, reviewId(task.id, task.currentStep, number), nowMs);
}

/**
 * The review of a task that cannot continue: at a HITL end, or at a step whose result found no way (`why` has the reason).
 * Choices: `passed` if a recovery edge exists (at a step: the results that have an edge), `send back to <step>` for
 * every work step, `close`.
 */
export function escalationReview(
  definition: Definition,
  task: Task,
  number: number,
  nowMs: number,
  options: ReviewOptions = {},
): Review {
  const work = Object.entries(definition.nodes).filter(([, node]) => workOf(node));
  const request = reviewRequest("escalation", {
    ...asked(definition, task, [options.why ?? "", ...prose(definition, task)]),
    results: waysOn(definition, task),
    steps: work.map(([step]) => step),
  });
  return openReview(request, reviewId(task.id, task.currentStep, number), nowMs);
}

/** The task after a decision that was checked; a failure when the choice has no edge. */
export function taskAfter(
  definition: Definition,
  task: Task,
  review: Review,
  { choice, by, note, value }: Decision,
  nowMs: number,
): Result<Task> {
  const output: JsonObject = { choice, by, ...defined({ note }) };
  if (value !== undefined) output.value = value;
  const move = moveOf(review, choice);
  if (move?.kind === "send_to") return ok(sendTo(definition, task, move.step, nowMs, output));
  if (move?.kind === "close") return ok(closeTask(task, nowMs, output));
  const advanced = advanceTask(definition, task, { result: choice, output }, nowMs);
  if (!advanced.ok) return advanced;
  const { answer } = advanced;
  if (answer.success) return ok(advanced.task);
  const ways = answer.availableEdges.map(({ on }) => on ?? "anything").join(", ");
  return failed(
    answer.action,
    `No edge leads on from "${answer.previousStep}" when it ends with "${choice}". Edges lead on: ${ways}.`,
  );
}

/** Results that move the task from its current step. */
function waysOn(definition: Definition, { currentStep }: Task): string[] {
  const results = edgesFrom(definition, currentStep).map((edge) => edge.on);
  const atEnd = isEnd(definition, currentStep);
  return results.filter(
    (on): on is string => on !== undefined && (atEnd ? on === "passed" : on !== MAX_RETRIES_EXCEEDED),
  );
}

/** @param texts about the step; the last move of the task follows them */
function asked(definition: Definition, task: Task, texts: readonly string[]): AskingStep {
  const node = nodeOf(definition, task.currentStep);
  const options = node && "review" in node ? node.review : undefined;
  return {
    task: task.id,
    step: task.currentStep,
    name: nodeName(definition, task.currentStep),
    texts: [...texts, lastMove(task)],
    data: dataOf(task),
    terms: termsWith(definition.people, options ?? {}),
  };
}

/** The task's own context and outputs stay in the task: the state must not contain a large value twice. */
function dataOf(task: Task): JsonObject {
  const last = task.history.at(-1);
  return {
    task: task.id,
    issue: task.issueId,
    workflow: task.workflowType,
    step: task.currentStep,
    ...(last === undefined ? {} : { last_step: last.step, last_result: last.result }),
    ...(last?.output === undefined ? {} : { last_output: short(last.output) }),
  };
}

/** A value, or the beginning of its text. */
function short(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= MAX_OUTPUT_CHARS ? value : `${cutText(text, MAX_OUTPUT_CHARS)}... (${text.length} characters)`;
}

function prose(definition: Definition, { currentStep }: Task): string[] {
  const node = nodeOf(definition, currentStep);
  if (!node) return [];
  return [node.description ?? "", workOf(node)?.instructions ?? ""];
}

function retriesText(definition: Definition, task: Task): string {
  const node = nodeOf(definition, task.currentStep);
  const max = node ? maxRetriesOf(node) : 0;
  const used = retriesUsedAt(task, task.currentStep);
  return used === 0 ? "" : `${used} of ${max} retries are used.`;
}

function lastMove({ history }: Task): string {
  const last = history.at(-1);
  if (!last) return "";
  const result = last.result === null ? "was left" : `ended with "${last.result}"`;
  const used = last.action === "escalate" ? ", its retries used up" : "";
  const gave = last.output === undefined ? "" : `\n\nIt gave: ${outputText(last.output)}`;
  const undo = last.undo === undefined ? "" : `\n\n${moveUndoText(last.undo)}`;
  return `Step "${last.step}" ${result}${used}.${gave}${undo}`;
}

const MAX_QUOTED_CHARS = 500;

/** An output as one line for people: a flat map as `outcome: passed, tx: tx_1`, a text as it is. */
export function outputText(value: Json): string {
  const flat = isObject(value) && Object.values(value).every((item) => typeof item !== "object" || item === null);
  const text = flat
    ? Object.entries(value)
        .map(([key, item]) => `${key}: ${item}`)
        .join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
  const line = joinLines(text);
  return shortened(line, MAX_QUOTED_CHARS);
}
