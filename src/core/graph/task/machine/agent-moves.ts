import { canonical } from "../../../base/canonical";
import { defined } from "../../../base/defined";
import { type Failure, failed } from "../../../base/failure";
import type { Mover } from "../../../review/people/mover";
import { neededPeople } from "../../../review/policy/agreement";
import { termsWith } from "../../../review/policy/terms";
import type { Review } from "../../../review/review";
import { beginsAt, type Definition, nodeOf } from "../../definition/schema";
import type { Task } from "../task-schema";
import type { TaskReload } from "./setup";
import type { TaskState } from "./task-state";

/**
 * What an agent may do where a person is asked (approvals reference, section 1): it may move the task if nobody is named
 * for the review, and the history records it. If somebody is named, or agents are left out, only a decision moves the task.
 */

type Here = Pick<TaskState, "task" | "definition" | "reviews">;

/** Who is asked, and how many of them. */
type Reviewers = Pick<Review, "assignees" | "quorum" | "distinctGroups" | "noAgents">;

/** Whether a review or a node names the people who decide, or how many. */
export const namesReviewers = (asked: Reviewers): boolean =>
  (asked.assignees?.length ?? 0) > 0 || neededPeople(asked) > 1;

/** Whether only a decision counts: people are named, or any person may decide and no agent. */
export const isForPeople = (asked: Reviewers): boolean => namesReviewers(asked) || asked.noAgents === true;

/**
 * Why this mover may not move the task from its step; null if it may. Reasons: `agents_may_not_decide`, and
 * `unverified_decision` for anybody else: a move is signed by nobody.
 */
export function moveRefusal(state: Here, by: Mover | undefined): Failure | null {
  const terms = termsHere(state);
  return terms !== null && isForPeople(terms) ? refusal(state, by, terms) : null;
}

/** The same for a task that is loaded again: it would be elsewhere, or others would be asked. */
export function reloadRefusal(state: Here, next: TaskReload, by: Mover | undefined): Failure | null {
  const refused = moveRefusal(state, by);
  if (refused === null) return null;
  const { currentStep } = state.task;
  const stays =
    next.task.currentStep === currentStep &&
    canonical(nodeTerms(next.definition, currentStep)) === canonical(nodeTerms(state.definition, currentStep));
  return stays ? null : refused;
}

/** Who alone decides where a task is, for a sentence; null: the client that works on the task may move it. */
export function onlyPeopleAt(definition: Definition, { currentStep, status }: Pick<Task, "currentStep" | "status">) {
  if (status === "COMPLETED" || status === "FAILED" || status === "PAUSED") return null;
  if (beginsAt(definition, currentStep) !== "gateReview" && status !== "HITL") return null;
  const terms = nodeTerms(definition, currentStep);
  return isForPeople(terms) ? decidersText(terms) : null;
}

/** The mover, if the history has to record that no person moved the task. */
export const recordedMover = (state: Here, by: Mover | undefined): { by?: Mover } =>
  by?.kind === "agent" && termsHere(state) !== null ? { by } : {};

/** Whether a person is asked where the task is. */
export const asksPerson = (state: Here): boolean => termsHere(state) !== null;

/** On which terms people are asked at the present step; null if nobody is asked. */
function termsHere(state: Here): Reviewers | null {
  const { task, definition, reviews } = state;
  const asked = reviews.open().find(({ data }) => data.step === task.currentStep);
  if (asked !== undefined) return asked;
  // The review is opened a moment after the task arrives.
  const isGate = definition !== undefined && beginsAt(definition, task.currentStep) === "gateReview";
  return isGate || task.status === "HITL" ? nodeTerms(definition, task.currentStep) : null;
}

/** The terms of a node, and those of its graph where the node has none. */
function nodeTerms(definition: Definition | undefined, step: string): Reviewers {
  const node = definition && nodeOf(definition, step);
  const own = (node && "review" in node ? node.review : undefined) ?? {};
  const { assignees, quorum, distinct_groups: distinctGroups, agents } = termsWith(definition?.people, own);
  return { ...defined({ assignees, quorum, distinctGroups }), ...(agents === false ? { noAgents: true } : {}) };
}

function refusal({ task, reviews }: Here, by: Mover | undefined, asked: Reviewers): Failure {
  const { assignees, quorum } = asked;
  const { names, verb } = decidersText(asked);
  const review = reviews.open().find(({ data }) => data.step === task.currentStep)?.id;
  const isAgent = by?.kind === "agent";
  const why = isAgent ? `, and "${by.id}" is an agent` : " in its review";
  return failed(
    isAgent ? "agents_may_not_decide" : "unverified_decision",
    `${names} ${verb} at "${task.currentStep}" of task "${task.id}"${why}: nothing moved.`,
    { currentStep: task.currentStep, ...defined({ assignees, quorum, review }) },
  ).fail;
}

function decidersText(asked: Reviewers): { names: string; verb: "decide" | "decides" } {
  const { assignees = [] } = asked;
  const needed = neededPeople(asked);
  if (assignees.length > 0) return { names: assignees.join(", "), verb: "decide" };
  return needed > 1 ? { names: `${needed} people`, verb: "decide" } : { names: "A person", verb: "decides" };
}
