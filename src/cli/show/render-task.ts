import type { KnownTask } from "../../client/tasks/known-task";
import type { TaskDetails } from "../../client/tasks/types";
import { type Definition, nodeName } from "../../core/graph/definition/schema";
import { renderWay } from "../../core/graph/show/diagram";
import { type Task, type TaskEntry, type TaskStatus, versionOf } from "../../core/graph/task/task";
import { taskFailure } from "../../core/graph/task/task-failure";
import { failureText } from "../../core/history/read/workflow-end";
import type { Review } from "../../core/review/review";
import { shellWord } from "../../node/shell-word";
import { type Colors, renderTable, renderTime } from "../terminal/render";
import { indented, valueText } from "./values";

/** A task as text: where it is, its path, and what it waits for. null: its workflow is not loaded. */
export function taskText(
  definition: Definition | null,
  task: TaskDetails,
  reviews: readonly Review[],
  color: Colors,
): string {
  const open = reviews.filter((review) => review.status === "open");
  const decided = reviews.filter((review) => review.decision !== undefined);
  const byAgents = task.history.filter(({ by }) => by !== undefined);
  const name = definition ? nodeName(definition, task.currentStep) : task.currentStep;
  const facts = [
    ["status", statusText(task, open.length > 0, color)],
    ["step", `${task.currentStep}${name === task.currentStep ? "" : `  ${color.dim(name)}`}`],
    ...(task.issueId === task.id ? [] : [["about", task.issueId]]),
    ...(task.priority === 0 ? [] : [["priority", String(task.priority)]]),
    ...(task.claim ? [["claimed by", `${task.claim.owner} until ${renderTime(task.claim.expiresAt)} UTC`]] : []),
    ...(task.waitingFor?.length ? [["waits for", task.waitingFor.join(", ")]] : []),
    ...(task.waitingUntil === undefined ? [] : [["waits until", `${renderTime(task.waitingUntil)} UTC`]]),
    ...(task.parentTaskId === undefined ? [] : [["part of", task.parentTaskId]]),
    ["since", `${renderTime(task.createdAt)} UTC`],
    ["last move", `${renderTime(task.updatedAt)} UTC`],
    ["version", String(versionOf(task))],
  ];
  return [
    `${color.bold(task.id)}  ${definition?.name ?? task.workflowType}`,
    indented(renderTable(facts)),
    ...(Object.keys(task.context).length === 0 ? [] : ["", color.bold("Context"), indented(valueText(task.context))]),
    "",
    color.bold("Graph"),
    definition ? renderWay(definition, task) : `Workflow "${task.workflowType}" is not loaded.`,
    ...(decided.length === 0 ? [] : ["", color.bold("Decided by people"), indented(decisions(decided))]),
    ...(byAgents.length === 0
      ? []
      : ["", color.bold("Moved by agents where people were asked"), indented(moves(byAgents))]),
    ...(open.length === 0 ? [] : ["", color.yellow("Waiting for a person"), indented(waiting(open))]),
    ...taskFailureLines(task, color).flatMap((line) => ["", line]),
  ].join("\n");
}

/** A task whose worker does not answer: where it is, and what is asked of people. */
export function knownTaskText(task: KnownTask, color: Colors): string {
  const { id, status, currentStep, workflowType, issueId, priority, createdAt, reviews } = task;
  const facts = [
    ["status", status],
    ["step", currentStep],
    ...(issueId === id ? [] : [["about", issueId]]),
    ...(priority === 0 ? [] : [["priority", String(priority)]]),
    ["since", `${renderTime(createdAt)} UTC`],
  ];
  return [
    `${color.bold(id)}  ${workflowType}`,
    indented(renderTable(facts)),
    ...(reviews.length === 0 ? [] : ["", color.yellow("Waiting for a person"), indented(waiting(reviews))]),
    "",
    color.dim("No worker answers, so this is what the server knows. Its path, graph and context need a worker."),
  ].join("\n");
}

/** Why a task failed, as one line; nothing if it did not. */
export function taskFailureLines(task: Task, color: Colors): string[] {
  const fail = taskFailure(task);
  return fail === null ? [] : [color.red(`failed: ${failureText(fail)}`)];
}

/** What a status means for a person who waits for the task. Ends have their own results. */
const WORDS: Record<TaskStatus, string> = {
  PENDING: "its step is not done yet",
  IN_PROGRESS: "its step is being worked on",
  PAUSED: "nothing moves until it is resumed",
  HITL: "it cannot continue without a person",
  COMPLETED: "",
  FAILED: "",
};

function statusText({ status, endResult, waitingUntil }: Task, asksSomebody: boolean, color: Colors): string {
  const paint = status === "COMPLETED" ? color.green : status === "FAILED" ? color.red : color.yellow;
  const waits = status === "IN_PROGRESS" && waitingUntil !== undefined ? "it waits for a time" : "";
  const word =
    asksSomebody && status !== "HITL" ? "it waits for a person" : waits || WORDS[status] || (endResult ?? "");
  return `${paint(status)}  ${color.dim(word)}`;
}

const moves = (entries: readonly TaskEntry[]): string =>
  renderTable(
    entries.map(({ step, to, result, by, at }) => [
      `${step} -> ${to ?? "nowhere"}`,
      result ?? "",
      by?.id ?? "",
      `${renderTime(at)} UTC`,
    ]),
  );

function decisions(reviews: readonly Review[]): string {
  return renderTable(
    reviews.map(({ title, decision }) => [
      title,
      decision?.choice ?? "",
      decision?.by ?? "",
      decision ? `${renderTime(decision.at)} UTC` : "",
      decision?.note ?? "",
    ]),
  );
}

function waiting(reviews: readonly Review[]): string {
  return [
    renderTable(reviews.map((review) => [review.title, review.id, review.choices.join(" | ")])),
    ...(reviews[0] === undefined ? [] : [`See: navigator review show ${shellWord(reviews[0].id)}`]),
  ].join("\n");
}
