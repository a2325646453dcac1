import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { MissionUsage } from "../core/agent/budget/mission-usage";
import type { TreeBudgetState } from "../core/agent/budget/tree-budget";
import type { Step } from "../core/agent/result/step";
import type { Failure } from "../core/base/failure";
import type { Paused, PauseRequest } from "../core/base/input/pause";
import type { Json } from "../core/base/json";
import type { Amount } from "../core/calls/host";
import type { Conversation } from "../core/calls/model-call";
import { CALLS_REPORTED } from "../core/calls/run-calls";
import type { ClaimedEffect, GuardAnswer, GuardClaim, GuardSettle } from "../core/effects/effect-guard";
import type { EffectEntry } from "../core/effects/entry";
import type { UndoRunResult } from "../core/effects/undo/undo-input";
import type { Definition } from "../core/graph/definition/schema";
import type { DefinitionSource, StoredVersion } from "../core/graph/definition/stored";
import type { TaskProgress } from "../core/graph/show/progress";
import type { ClaimRequest, ClaimToken } from "../core/graph/task/claim-input";
import type { ChildReport } from "../core/graph/task/fork";
import type { TaskReload } from "../core/graph/task/machine/setup";
import type { SyncRecord } from "../core/graph/task/sync";
import type { Advance, AdvanceAnswer, Task } from "../core/graph/task/task";
import type { JournalDecision } from "../core/journal/decision-input";
import type { PackedRecord } from "../core/journal/record";
import type { RecordView } from "../core/journal/view";
import type { Mover } from "../core/review/people/mover";
import type { Decision, Review } from "../core/review/review";
import type { AgentRunStatus } from "./agent-run-input";
import type { Claimed, TaskAnswer, TaskViewAnswer } from "./navigator-task-input";
import type { EventsAnswer, PlanStatus } from "./plan-run-input";

/**
 * The messages of running workflows: updates for senders that need an answer, signals for senders that have nothing
 * else, and queries, which change nothing. Clients import these objects. A refusal is an ApplicationFailure whose type
 * is the code.
 */

/* Every workflow that runs agents */

/** The effects of the mission so far, in the order of their calls (effects reference, section 2). */
export const effectsQuery = defineQuery<EffectEntry[]>("effects");

/** To every open run of a mission: the effects with these keys were undone (effects reference, section 9). */
export const markUndoneSignal = defineSignal<[{ keys: string[] }]>("markUndone");

/** An activity asks its run to read what its heartbeat keeps (engine reference, section 16). Nothing in the signal counts. */
export const callsReportedSignal = defineSignal<[{ n: number }]>(CALLS_REPORTED);

/* Every workflow that asks people */

/** Decides a review; answers with the review, which stays open until its quorum agrees (engine reference, section 6). */
export const decide = defineUpdate<Review, [Decision]>("decide");
/** The same without an answer: a decision that cannot be taken is counted, and shown on the workflow's page. */
export const decideSignal = defineSignal<[Decision]>("decide");
/**
 * From the activity that makes an approved call, right before it: from now on the approval cannot be taken back. Refusals:
 * `approval_revoked`, `seal_broken` (approvals reference, section 3).
 */
export const startApproved = defineUpdate<void, [{ review: string; seal: string }]>("startApproved");
/** The reviews of the workflow, open and closed, the oldest first. */
export const reviewsQuery = defineQuery<Review[]>("reviews");
/** The usage of the run and of the agents below it so far, and the budget that it owns. */
export interface UsageAnswer {
  used: MissionUsage;
  /** `reserved`: the most that the calls under way may take. null: the run owns no budget. */
  budget: (TreeBudgetState & { reserved: Amount }) | null;
}
/** The usage of the run so far (engine reference, section 2). */
export const usageQuery = defineQuery<UsageAnswer>("usage");

/* Missions and plans */

/** The state of a run after it was paused or resumed; null: it is not paused. */
export interface PauseAnswer {
  paused: Paused | null;
}
/** From now on the run begins nothing new, and neither do the runs below it. A second one changes nothing (engine reference, section 15). */
export const pauseRun = defineUpdate<PauseAnswer, [PauseRequest]>("pause");
/** Resumes a paused run. Refusal: `not_paused`. */
export const resumeRun = defineUpdate<PauseAnswer, [PauseRequest]>("resume");
/** From a paused run to the runs below it. */
export const pauseSignal = defineSignal<[Paused]>("pause");
/** From a run that continues to the runs below it. */
export const resumeSignal = defineSignal("resume");

/* agentRun */

/** Records a decision in the journal of a run; answers with the record (engine reference, section 3). */
export const recordDecision = defineUpdate<RecordView, [JournalDecision]>("recordDecision");
/** The same without an answer: a decision that cannot be recorded is counted. */
export const recordDecisionSignal = defineSignal<[JournalDecision]>("recordDecision");
/** The records of the journal, the oldest first. Large values are left out. */
export const journalQuery = defineQuery<RecordView[]>("journal");
/** The journal with every value whole: id -> value. null = the run has no journal. */
export const wholeJournalQuery = defineQuery<{ [id: string]: Json } | null>("wholeJournal");
/** The records of the journal with all that is known of them, for a retry. null = the run has no journal. */
export const recordsQuery = defineQuery<PackedRecord[] | null>("records");
/** The Mission Log, as the agent reads it. */
export const missionLogQuery = defineQuery<string>("missionLog");
/** The progress of the run, as its agent reported it; "" without a report. */
export const progressQuery = defineQuery<string>("progress");
/** Whether the run works, waits or is over, and at which turn. */
export const statusQuery = defineQuery<AgentRunStatus>("status");
/** The Step as it would be if the run ended now. */
export const stepQuery = defineQuery<Step>("step");
/** For workers that have not cached the conversation of a model call (engine reference, section 13). */
export const conversationQuery = defineQuery<{ version: number; conversation: Conversation }>("conversation");

/** From an agent to the run that owns the budget of the tree: the most that a model call can use. */
export const reserveBudget = defineSignal<[{ from: string; held: string; bound: Amount }]>("reserveBudget");
/** From an agent to the run that owns the budget: the amount that a model call has used. */
export const settleBudget = defineSignal<[{ held: string; used: Partial<Amount> }]>("settleBudget");
/** Whether the budget has what a model call needs. */
export interface BudgetAnswer {
  held: string;
  /** null: the amount is set aside. */
  fail: Failure | null;
}
/** From the run that owns the budget to the agent that asked. */
export const budgetAnswer = defineSignal<[BudgetAnswer]>("budgetAnswer");

/* navigatorTask */

/**
 * Moves a task. The answer is that of `advance_task` (graph reference, section 4); for a task in the tree it also has the
 * ids of its records.
 */
export const advance = defineUpdate<
  AdvanceAnswer & { syncs?: string[]; order?: number | null },
  [step: Advance, sent?: SentAt]
>("advance");
/** When its client sent a message, ms since 1970 by its own clock. */
interface SentAt {
  sent_at: number;
}
/** Takes or renews a claim on a task. */
export const claim = defineUpdate<Claimed, [ClaimRequest]>("claim");
/** Gives a claim back by its token: the task is in the queue again. */
export const release = defineUpdate<TaskAnswer, [ClaimToken]>("release");
/** Stops a task where it is. An agent that works there continues, and its outcome is ignored. */
export const pauseTask = defineUpdate<TaskAnswer, [{ note?: string }]>("pause");
/** Lets a paused task continue where it was. */
export const resumeTask = defineUpdate<TaskAnswer, []>("resume");
/** Ends a task where it is, with its agent, its reviews and the tasks that it started. */
export const cancelTask = defineUpdate<TaskAnswer, [{ note?: string }]>("cancelTask");
/** From a task to the tasks that it started, when it continues without them. */
export const cancelTaskSignal = defineSignal<[{ note?: string }]>("cancelTask");
/** The primary store has these records; null = all. Answers with the ids that were there (graph reference, section 7). */
export const confirmSyncs = defineUpdate<{ confirmed: string[]; syncs: string[] }, [string[] | null]>("confirmSyncs");
/** Brings the task into the state of the orchestrator's list. */
export const reload = defineUpdate<TaskAnswer, [TaskReload, by?: Mover]>("reload");
/** Removes the task from the tree. */
export const remove = defineUpdate<TaskAnswer, []>("remove");
/** Gives a definition to a task that was loaded before its workflow. */
export const adoptDefinition = defineUpdate<TaskAnswer, [{ definition: Definition; version: number }]>(
  "adoptDefinition",
);
/** From a branch or subflow to its parent task. */
export const childReport = defineSignal<[ChildReport]>("childReport");
/** The task as it is now. */
export const taskQuery = defineQuery<Task>("task");
/** The task with its claim, its records and its place in the tree. */
export const taskViewQuery = defineQuery<TaskViewAnswer>("taskView");
/** The definition that the task runs on; null while its workflow is not loaded. */
export const definitionQuery = defineQuery<Definition | null>("definition");
/** How far the task has come on its graph; null while its workflow is not loaded. */
export const taskProgressQuery = defineQuery<TaskProgress | null>("progress");
/** Records of moves that are not confirmed yet (graph reference, section 7). */
export const syncsQuery = defineQuery<SyncRecord[]>("syncs");

/* planRun */

/** The events of a plan from an offset on (default 0). Ask again with `next`. */
export const planEventsQuery = defineQuery<EventsAnswer, [offset?: number]>("events");
/** How the plan and each of its tasks stand. */
export const planStatusQuery = defineQuery<PlanStatus>("status");
/** Task id -> value, as far as tasks have given any. */
export const planResultsQuery = defineQuery<{ [task_id: string]: Json }>("results");

/* undoRun */

/** The effects that are undone so far, and those that are not. */
export const undoProgressQuery = defineQuery<UndoRunResult>("progress");

/* workflowDefinition */

/** Stores a version of a definition that `parseDefinition` has read. Storing the same one again changes nothing. */
export const loadDefinition = defineUpdate<
  { version: number; replaced: boolean; changed: boolean },
  [Definition, DefinitionSource]
>("load");
/** The newest version; null if none was loaded. */
export const newestQuery = defineQuery<StoredVersion | null>("newest");
/** One version by its number; null = it does not exist, or not any more. */
export const versionQuery = defineQuery<StoredVersion | null, [number]>("version");
/** All versions without their definitions, the oldest first. */
export const versionsQuery = defineQuery<Omit<StoredVersion, "definition">[]>("versions");

/* effectGuard */

/** A mission asks whether it may make the effect (effects reference, section 10). */
export const claimEffect = defineUpdate<GuardAnswer, [GuardClaim]>("claimEffect");
/** The outcome of the effect. The guard counts a signal that contains nothing new. */
export const settleEffect = defineSignal<[GuardSettle]>("settleEffect");
/** The equal effects of all missions, by number: who made each, and what became of it. */
export const claimedQuery = defineQuery<ClaimedEffect[]>("held");

/* taskTree */

/** The state of the task tree: its beginning, and the next number. */
export interface TreeState {
  /** Tasks with a smaller number are not in the tree any more. */
  base: number;
  next: number;
}
/** Reserves this many numbers, and answers with the first. */
export const allocateOrders = defineUpdate<number, [number]>("allocateOrders");
/** Moves the beginning of the tree to this number. Tasks with smaller numbers are not in the tree any more. It never moves back. */
export const replaceTree = defineUpdate<TreeState, [number]>("replaceTree");
