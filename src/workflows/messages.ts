import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { Step } from "../core/agent/result/step";
import type { Failure } from "../core/base/failure";
import type { Json } from "../core/base/json";
import type { Conversation } from "../core/calls/effects";
import type { Amount } from "../core/calls/host";
import type { Definition } from "../core/graph/definition/schema";
import type { DefinitionSource, StoredVersion } from "../core/graph/definition/stored";
import type { TaskProgress } from "../core/graph/show/progress";
import type { ClaimRequest } from "../core/graph/task/claim-input";
import type { Child } from "../core/graph/task/fork";
import type { TaskReload } from "../core/graph/task/machine/setup";
import type { SyncRecord } from "../core/graph/task/sync";
import type { Advance, AdvanceAnswer, Task } from "../core/graph/task/task";
import type { JournalDecision } from "../core/journal/decision-input";
import type { RecordView } from "../core/journal/view";
import type { Decision, Review } from "../core/review/review";
import type { AgentRunStatus } from "./agent-run-input";
import type { Claimed, TaskAnswer, TaskViewAnswer } from "./navigator-task-input";
import type { EventsAnswer, PlanStatus } from "./plan-run-input";

/** What can be said to a running workflow and asked of it. Clients import these very objects. */

export const recordDecision = defineUpdate<RecordView, [JournalDecision]>("recordDecision");
export const recordDecisionSignal = defineSignal<[JournalDecision]>("recordDecision");
export const decide = defineUpdate<Review, [Decision]>("decide");
export const decideSignal = defineSignal<[Decision]>("decide");
/**
 * Answers what `advance_task` answers (graph reference, section 4); of a task in the tree also the ids of its records.
 */
export const advance = defineUpdate<AdvanceAnswer & { syncs?: string[]; order?: number | null }, [Advance]>("advance");

/** Takes or renews a claim on a task. */
export const claim = defineUpdate<Claimed, [ClaimRequest]>("claim");
export const release = defineUpdate<TaskAnswer, [number]>("release");
export const pauseTask = defineUpdate<TaskAnswer, [{ note?: string }]>("pause");
export const resumeTask = defineUpdate<TaskAnswer, []>("resume");
export const cancelTask = defineUpdate<TaskAnswer, [{ note?: string }]>("cancelTask");
/** From a task to those it began, when it goes on without them. */
export const cancelTaskSignal = defineSignal<[{ note?: string }]>("cancelTask");
/** null: all of them. Answers with the ids that were there. */
export const confirmSyncs = defineUpdate<{ confirmed: string[]; syncs: string[] }, [string[] | null]>("confirmSyncs");
/** The task anew, as the orchestrator's list has it. */
export const reload = defineUpdate<TaskAnswer, [TaskReload]>("reload");
/** Takes the task out of the tree. */
export const remove = defineUpdate<TaskAnswer, []>("remove");
/** The definition of a task that was loaded before its workflow. */
export const adoptDefinition = defineUpdate<TaskAnswer, [{ definition: Definition; version: number }]>(
  "adoptDefinition",
);
/** From a branch or subflow to the task that waits for it. */
export const childReport = defineSignal<[Child]>("childReport");

export const taskViewQuery = defineQuery<TaskViewAnswer>("taskView");
export const taskProgressQuery = defineQuery<TaskProgress | null>("progress");
export const syncsQuery = defineQuery<SyncRecord[]>("syncs");

/** Of the workflow that keeps a definition. What it is given was read by `parseDefinition`. */
export const loadDefinition = defineUpdate<
  { version: number; replaced: boolean; changed: boolean },
  [Definition, DefinitionSource]
>("load");
export const newestQuery = defineQuery<StoredVersion | null>("newest");
export const versionQuery = defineQuery<StoredVersion | null, [number]>("version");
export const versionsQuery = defineQuery<Omit<StoredVersion, "definition">[]>("versions");

/** What the task tree is beside its tasks: where it begins, and the next number to give out. */
export interface TreeState {
  /** Tasks whose number is smaller are not in the tree any more. */
  base: number;
  next: number;
}

/** Of the task tree: gives out so many numbers and answers with the first. */
export const allocateOrders = defineUpdate<number, [number]>("allocateOrders");
export const replaceTree = defineUpdate<TreeState, [number]>("replaceTree");

export const journalQuery = defineQuery<RecordView[]>("journal");
/** The journal with every value whole: id -> value. */
export const wholeJournalQuery = defineQuery<{ [id: string]: Json } | null>("wholeJournal");
export const missionLogQuery = defineQuery<string>("missionLog");
export const progressQuery = defineQuery<string>("progress");
export const statusQuery = defineQuery<AgentRunStatus>("status");
export const stepQuery = defineQuery<Step>("step");
export const definitionQuery = defineQuery<Definition | null>("definition");
export const taskQuery = defineQuery<Task>("task");
export const reviewsQuery = defineQuery<Review[]>("reviews");
/** For workers that do not hold the conversation of a model call (engine reference, section 13). */
export const conversationQuery = defineQuery<{ version: number; conversation: Conversation }>("conversation");

/** From an agent to the run that holds the budget of their tree: a model call needs so much at most. */
export const reserveBudget = defineSignal<[{ from: string; held: string; bound: Amount }]>("reserveBudget");
export const settleBudget = defineSignal<[{ held: string; used: Partial<Amount> }]>("settleBudget");
/** And back. */
export interface BudgetAnswer {
  held: string;
  /** null: it is set aside. */
  fail: Failure | null;
}
export const budgetAnswer = defineSignal<[BudgetAnswer]>("budgetAnswer");

/** What happened in a plan from an offset on (default 0): who listens asks again with `next`. */
export const planEventsQuery = defineQuery<EventsAnswer, [offset?: number]>("events");
export const planStatusQuery = defineQuery<PlanStatus>("status");
/** Task id -> value, as far as tasks have given any. */
export const planResultsQuery = defineQuery<{ [task_id: string]: Json }>("results");
