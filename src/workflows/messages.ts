import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { Amount } from "../core/agent/purse";
import type { Step } from "../core/agent/step";
import type { Conversation } from "../core/effects";
import type { Failure } from "../core/failure";
import type { Definition } from "../core/graph/schema";
import type { Advance, AdvanceAnswer, Task } from "../core/graph/task";
import type { JournalDecision } from "../core/journal/decision-input";
import type { JournalRow } from "../core/journal/view";
import type { Json } from "../core/json";
import type { Decision, Review } from "../core/review/review";
import type { AgentRunStatus } from "./agent-run-input";

/** What can be said to a running workflow and asked of it. Clients import these very objects. */

export const recordDecision = defineUpdate<JournalRow, [JournalDecision]>("recordDecision");
export const recordDecisionSignal = defineSignal<[JournalDecision]>("recordDecision");
export const decide = defineUpdate<Review, [Decision]>("decide");
export const decideSignal = defineSignal<[Decision]>("decide");
/** Answers what `advance_task` answers (navigator reference, section 4). */
export const advance = defineUpdate<AdvanceAnswer, [Advance]>("advance");

export const journalQuery = defineQuery<JournalRow[]>("journal");
/** The journal with every value whole: id -> value. */
export const wholeJournalQuery = defineQuery<{ [id: string]: Json } | null>("wholeJournal");
export const missionLogQuery = defineQuery<string>("missionLog");
export const progressQuery = defineQuery<string>("progress");
export const statusQuery = defineQuery<AgentRunStatus>("status");
export const stepQuery = defineQuery<Step>("step");
export const definitionQuery = defineQuery<Definition>("definition");
export const taskQuery = defineQuery<Task>("task");
export const reviewsQuery = defineQuery<Review[]>("reviews");
/** For workers that do not hold the conversation of a model call (design section 13). */
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
