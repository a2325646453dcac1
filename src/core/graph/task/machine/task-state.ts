import type { AgentDefinition } from "../../../agent/definition/definition";
import { defined } from "../../../base/defined";
import { ReviewBook } from "../../../review/book";
import type { Review } from "../../../review/review";
import { type Definition, type Node, nodeOf, workOf } from "../../definition/schema";
import { StepWork } from "../step-work";
import type { Task } from "../task";
import { TaskBook } from "../task-book";
import type { escalationReview, ReviewOptions } from "../task-reviews";
import type { TaskEffect, VisibleTask } from "./actions";
import type { CarriedTask, TaskReload, TaskSetup } from "./setup";

/**
 * All that the workflow of one task holds, and the ways in which it changes. Every change leaves effects behind; the
 * workflow takes them and carries them out before anything else happens.
 */
export class TaskState {
  readonly book: TaskBook;
  readonly reviews: ReviewBook;
  readonly work: StepWork;
  private given: TaskSetup;
  private turns = 0;
  private agent: string | null = null;
  private refusedSignals: number;
  private unheard = 0;
  private effects: TaskEffect[] = [];

  constructor(setup: TaskSetup, carried?: CarriedTask) {
    this.given = setup;
    this.book = new TaskBook(setup.task, setup.order !== undefined, carried?.book);
    const reviews = carried?.reviews ?? [];
    this.reviews = new ReviewBook(reviews, reviews.length, Number.POSITIVE_INFINITY);
    this.work = new StepWork(carried);
    this.refusedSignals = carried?.refused_signals ?? 0;
    this.markDriven();
  }

  /** What the task was begun with, or last loaded with. */
  get setup(): TaskSetup {
    return this.given;
  }

  get task(): Task {
    return this.book.task;
  }

  get definition(): Definition | undefined {
    return this.given.definition;
  }

  /** Where the task is; undefined while its workflow is not loaded. */
  get node(): Node | undefined {
    return this.definition && nodeOf(this.definition, this.task.currentStep);
  }

  /** Counts the turns of the task: a stay at a node is over when there is a new one. */
  get moves(): number {
    return this.turns;
  }

  /** Workflow id of the agent's run that is under way; null when none is, or when it is not wanted any more. */
  get runningAgent(): string | null {
    return this.agent;
  }

  set runningAgent(workflowId: string | null) {
    this.agent = workflowId;
  }

  /** The agent that does the step where the task is; undefined where that is somebody else's work. */
  agentHere(): AgentDefinition | undefined {
    const agent = workOf(this.node)?.agent;
    const { agents } = this.given;
    return agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  }

  /**
   * Notes where the task is now. Reviews and children of the step that it left are not needed any more.
   *
   * @param finished whether the work of the step is done: if the task comes back, it is new work
   */
  arrive(task: Task, nowMs: number, finished = true): void {
    const from = this.task.currentStep;
    if (finished && task.currentStep !== from) this.work.finish(from);
    this.leaveStep(nowMs);
    this.turn(() => {
      this.book.moveTo(task, nowMs);
      this.markDriven();
    });
  }

  /** A change that ends the task where it is, with all that is under way there. */
  end(change: () => void, nowMs: number): void {
    this.leaveStep(nowMs);
    this.cancelAgent();
    this.turn(change);
  }

  /** Goes on after a pause. */
  resume(nowMs: number): void {
    this.turn(() => {
      this.book.resume(this.definition, nowMs);
      this.markDriven();
    });
  }

  /** The task as the orchestrator's list has it. Of the task before, only the unconfirmed records stay. */
  reload({ task, order, ...rest }: TaskReload, nowMs: number): void {
    this.leaveStep(nowMs);
    this.cancelAgent();
    const { definition: _, version: __, ...before } = this.given;
    this.given = { ...before, ...rest, task, ...defined({ order }) };
    this.turn(() => {
      const place = this.given.order;
      this.book.reload(task, place !== undefined);
      this.markDriven();
      this.effects.push({ kind: "reloaded", task: this.task, ...defined({ order: place }) });
    });
  }

  /** Gives a definition to a task that was loaded before its workflow. */
  adopt(definition: Definition, version: number): void {
    this.turn(() => {
      this.given = { ...this.given, definition, version };
    });
  }

  /** A change that ends the present stay at the node, whether the task moves or not. */
  turn(change: () => void): void {
    change();
    this.turns += 1;
    this.changed();
  }

  /** Something that lists and pages show has changed. */
  changed(): void {
    this.effects.push({ kind: "show", view: this.view() });
  }

  /** Opens a review of the step where the task is. */
  ask(review: typeof escalationReview, nowMs: number, options: ReviewOptions = {}): void {
    const opened = review(this.definition as Definition, this.task, this.reviews.nextNumber, nowMs, options);
    this.reviews.add(opened);
    this.changed();
    // Who is named, or waited for, hears of it; others look into the inbox.
    if (opened.assignees || opened.quorum || opened.remindMs || opened.onTimeout) this.notify("review_opened", opened);
  }

  notify(event: "review_opened" | "review_reminder", review: Review): void {
    this.effects.push({ kind: "notify", event, review });
  }

  /** A signal decided nothing that is open: it cannot be refused, so it is counted and shown. */
  countRefusedSignal(): void {
    this.refusedSignals += 1;
    this.changed();
  }

  /** A notification reached nobody. */
  countUnheard(): void {
    this.unheard += 1;
  }

  /** What is to be told since this was asked last, oldest first. */
  takeEffects(): TaskEffect[] {
    const { effects } = this;
    this.effects = [];
    return effects;
  }

  /** The task as it is seen from outside now. */
  view(): VisibleTask {
    const { task, removed, tracked, syncs } = this.book;
    const { refusedSignals, unheard } = this;
    const refused = `${refusedSignals} signal(s) refused: they decided nothing that is open.`;
    const notes = [
      ...(refusedSignals === 0 ? [] : [refused]),
      ...(unheard === 0 ? [] : [`${unheard} notification(s) reached nobody.`]),
    ];
    return { definition: this.definition, task, removed, tracked, syncs, openReviews: this.reviews.open(), notes };
  }

  /** For the run that continues as new. */
  carried(): CarriedTask {
    return {
      reviews: this.reviews.all(),
      ...this.work.state(),
      refused_signals: this.refusedSignals,
      book: this.book.snapshot(),
    };
  }

  /** What an agent does is no orchestrator's to take. */
  private markDriven(): void {
    if (this.task.status === "PENDING" && this.agentHere()) this.book.setStatus("IN_PROGRESS");
  }

  /** What is under way at the present step is not wanted any more. */
  private leaveStep(nowMs: number): void {
    for (const task_id of this.book.openChildren()) this.effects.push({ kind: "drop_child", task_id });
    this.reviews.withdraw(nowMs);
  }

  private cancelAgent(): void {
    if (this.agent !== null) this.effects.push({ kind: "cancel_agent" });
    this.agent = null;
  }
}
