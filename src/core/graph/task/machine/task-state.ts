import { UsageMeter } from "../../../agent/budget/mission-usage";
import type { AgentDefinition } from "../../../agent/definition/definition";
import { defined } from "../../../base/defined";
import { isWithinScope, scopeIn, scopePart } from "../../../effects/effect-key";
import type { MissionLedger } from "../../../effects/mission-ledger";
import { type UndoneWork, withoutTasks } from "../../../effects/undo/undo-scopes";
import { ReviewBook } from "../../../review/book";
import type { ReviewEvent } from "../../../review/delivery";
import { isShown } from "../../../review/refused-signals";
import type { Review } from "../../../review/review";
import { type Definition, type Node, nodeKind, nodeOf, workOf } from "../../definition/schema";
import type { BranchUndo } from "../fork";
import { movesOf } from "../recent-moves";
import { sentBackSteps } from "../sent-back";
import { StepWork } from "../step-work";
import type { Task, TaskEntry } from "../task";
import { TaskBook } from "../task-book";
import type { escalationReview, ReviewOptions } from "../task-reviews";
import { edgeName, leavesFailed, type OwedUndo, stepsUndoneBy, stepUndoneAtJoin } from "../undo-over-edges";
import type { TaskEffect, VisibleTask } from "./actions";
import type { ContinuedTask, TaskReload, TaskSetup } from "./setup";

/**
 * The state of one task's workflow, and the ways in which it changes. Every change leaves effects; the workflow takes
 * them and carries them out before anything else happens.
 */
export class TaskState {
  readonly book: TaskBook;
  readonly reviews: ReviewBook;
  readonly work: StepWork;
  /** What its agents and branches used. */
  readonly used: UsageMeter;
  private given: TaskSetup;
  private turns = 0;
  private agent: string | null = null;
  /** The agent that the run before had at work, as long as nothing in this run waits for it. */
  private earlierAgent: string | null;
  private refusedSignals: number;
  private undelivered = 0;
  private effects: TaskEffect[] = [];
  private owed: OwedUndo[];
  /** The turn in which the task left the queue because its last move has something to undo; null = it did not. */
  private leftQueueAt: number | null = null;

  /** @param nonce a text that was never used before, for the seals of reviews */
  constructor(
    setup: TaskSetup,
    continued: ContinuedTask | undefined,
    readonly ledger: MissionLedger,
    nonce: () => string,
  ) {
    this.given = setup;
    this.book = new TaskBook(setup.task, setup.order !== undefined, continued?.book);
    const reviews = continued?.reviews ?? [];
    this.reviews = new ReviewBook(reviews, reviews.length, Number.POSITIVE_INFINITY, nonce, setup.requested_by);
    this.work = new StepWork(continued);
    this.used = new UsageMeter(continued?.used);
    this.refusedSignals = continued?.refused_signals ?? 0;
    this.agent = continued?.agent ?? null;
    this.earlierAgent = this.agent;
    this.owed = continued?.owed ?? [];
    this.markDriven();
  }

  /** What the task was started with, or last loaded with. */
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

  /** Counts the turns of the task: a new turn ends the stay at a node. */
  get moves(): number {
    return this.turns;
  }

  /** Workflow id of the agent's running run; null if there is none, or it is no longer needed. */
  get runningAgent(): string | null {
    return this.agent;
  }

  set runningAgent(workflowId: string | null) {
    this.agent = workflowId;
  }

  /**
   * An agent that the run before had at work, and that a message made needless before this run waited for it: nothing has
   * cancelled it yet. null = there is none.
   */
  get droppedAgent(): string | null {
    return this.earlierAgent === this.agent ? null : this.earlierAgent;
  }

  /** From now on the workflow waits for the agent of the run before, and cancels it when it is not needed. */
  waitsForEarlierAgent(): void {
    this.earlierAgent = null;
  }

  /** The agent of the current step; undefined if somebody else does the work. */
  agentHere(): AgentDefinition | undefined {
    const agent = workOf(this.node)?.agent;
    const { agents } = this.given;
    return agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  }

  /**
   * Notes where the task is now. Reviews and children of the previous step are dropped.
   *
   * @param finished whether the work of the step is done: if the task comes back, it is new work
   */
  arrive(task: Task, nowMs: number, finished = true): void {
    // Before the ledger records the move: afterwards the work of a step may have another agent scope.
    const owed = this.owedBy(task);
    const from = this.task.currentStep;
    if (finished && task.currentStep !== from) {
      this.work.finish(from);
      if (task.history.at(-1)?.result !== "failed") this.ledger.succeeded(from);
    }
    for (const step of sentBackSteps(this.definition, task)) this.ledger.sentBack(step);
    this.leaveStep(nowMs);
    this.turn(() => {
      this.book.moveTo(task, nowMs);
      this.markDriven();
      if (owed.length > 0) this.owe(owed);
    });
  }

  /** What has to be undone before anything follows; undefined = nothing. */
  get owedUndo(): OwedUndo | undefined {
    return this.owed[0];
  }

  /** What was owed first is undone, as far as it can be. */
  paid({ undone, remaining, tasks }: UndoneWork): void {
    const [paid, ...owed] = this.owed;
    if (paid === undefined) return;
    this.owed = owed;
    // The work of a step that had failed continues with its records if the task comes back.
    for (const step of paid.steps) {
      const journal = this.work.journalOf(step);
      if (journal !== undefined) this.work.keep(step, withoutTasks(journal, tasks));
    }
    if (undone > 0 || remaining.length > 0) this.book.noteUndo(paid.move, { steps: paid.steps, undone, remaining });
    if (owed.length === 0 && this.leftQueueAt === this.turns) this.book.setStatus("PENDING");
    if (owed.length === 0) this.leftQueueAt = null;
    this.changed();
  }

  /** What a move has to undo, the latest first. */
  private owedBy(task: Task): OwedUndo[] {
    const { definition, ledger } = this;
    if (definition === undefined) return [];
    const owed: OwedUndo[] = [];
    const add = (one: OwedUndo) => {
      if (ledger.inScopes(one.lanes).length > 0) owed.push(one);
    };
    const { history } = task;
    const before = movesOf(task) - history.length;
    for (let i = this.task.history.length; i < history.length; i++) {
      const move = history[i] as TaskEntry;
      const steps = stepsUndoneBy(definition, history, i);
      // The work of a fork is that of all its branches.
      if (leavesFailed(move) && !steps.some(({ step }) => step === move.step)) {
        const branches = this.branchesUndoneBy(move);
        const to = nodeKind(nodeOf(definition, move.step) as Node).exit(
          nodeOf(definition, move.step) as Node,
          move.step,
        );
        add({
          move: before + i,
          steps: branches.map(({ step }) => step),
          lanes: branches.flatMap(({ lanes }) => lanes),
          edges: branches.map(({ step }) => edgeName({ from: step, to })),
        });
      }
      for (const { step, edge } of steps)
        add({ move: before + i, steps: [step], lanes: ledger.scopesOfWork(step), edges: [edgeName(edge)] });
    }
    return owed;
  }

  /** The work of branches that is undone when their fork is left because the join failed. */
  private branchesUndoneBy({ step }: TaskEntry): BranchUndo[] {
    const lane = this.ledger.scopeOf(step);
    return this.book.children.flatMap(({ branch, undo_on_failure: undo }) => {
      // A report is a signal: it is about its sender's branch only.
      const own = scopeIn(lane, scopePart(branch));
      return undo === undefined ? [] : [{ ...undo, lanes: undo.lanes.filter((one) => isWithinScope(one, own)) }];
    });
  }

  /** The task is not in the queue before it is undone: nobody begins the next step. */
  private owe(owed: OwedUndo[]): void {
    this.owed.push(...owed);
    if (this.task.status !== "PENDING") return;
    this.book.setStatus("IN_PROGRESS");
    // The turn is counted when the change is made.
    this.leftQueueAt = this.turns + 1;
  }

  /** What the edge into the join undoes of this branch if the join fails. */
  private undoAtJoin(): BranchUndo | undefined {
    const { definition, ledger, task } = this;
    if (definition === undefined || task.parentTaskId === undefined) return undefined;
    const step = stepUndoneAtJoin(definition, task.history);
    return step === undefined ? undefined : { step, lanes: ledger.scopesOfWork(step) };
  }

  /** A change that ends the task at its current step, with everything that runs there. */
  end(change: () => void, nowMs: number): void {
    this.leaveStep(nowMs);
    this.cancelAgent();
    this.turn(change);
  }

  /** Continues after a pause. */
  resume(nowMs: number): void {
    this.turn(() => {
      this.book.resume(this.definition, nowMs);
      this.markDriven();
    });
  }

  /** The task as the orchestrator's list has it: its place only if the list names one. Its unconfirmed records stay. */
  reload({ given, ...next }: TaskReload, nowMs: number): void {
    const { task, order, definition, version } = next;
    if (given === undefined || !this.book.keepsPlace(task, given)) return this.reloadWhole(next, nowMs);
    if (this.given.definition === undefined && definition !== undefined) this.adopt(definition, version ?? 1);
    this.given = { ...this.given, ...defined({ order }) };
    this.book.update(task, given, nowMs);
    this.effects.push({ kind: "reloaded", task: this.task, ...defined({ order: this.given.order }) });
    this.changed();
  }

  private reloadWhole({ task, order, ...rest }: TaskReload, nowMs: number): void {
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

  /** A change of something that lists and pages show. */
  changed(): void {
    this.effects.push({ kind: "show", view: this.view() });
  }

  /** Opens a review of the current step. */
  ask(review: typeof escalationReview, nowMs: number, options: ReviewOptions = {}): void {
    const opened = this.reviews.add(
      review(this.definition as Definition, this.task, this.reviews.nextNumber, nowMs, options),
    );
    this.changed();
    // People who are named, or waited for, are notified; others look into the inbox.
    if (opened.assignees || opened.quorum || opened.remindMs || opened.onTimeout) this.notify("review_opened", opened);
  }

  notify(event: ReviewEvent, review: Review): void {
    this.effects.push({ kind: "notify", event, review });
  }

  /** A signal decided no open review. It cannot be refused, so it is counted and shown. */
  countRefusedSignal(): void {
    this.refusedSignals += 1;
    if (isShown(this.refusedSignals)) this.changed();
  }

  /** A notification reached nobody. */
  countUndelivered(): void {
    this.undelivered += 1;
  }

  /** The effects since the last call, oldest first. */
  takeEffects(): TaskEffect[] {
    const { effects } = this;
    this.effects = [];
    return effects;
  }

  /** The task as it is visible from outside now. */
  view(): VisibleTask {
    const { task, removed, tracked, syncs } = this.book;
    const { refusedSignals, undelivered } = this;
    const refused = `${refusedSignals} signal(s) refused: they decided nothing that is open.`;
    const notes = [
      ...(refusedSignals === 0 ? [] : [refused]),
      ...(undelivered === 0 ? [] : [`${undelivered} notification(s) reached nobody.`]),
      ...(this.owed.length === 0 ? [] : ["What was done before the failure is being undone."]),
    ];
    return {
      ...{ definition: this.definition, task, removed, tracked, syncs, notes },
      openReviews: this.reviews.open(),
      undoing: this.owed.length > 0,
      ...defined({ undo_on_failure: this.undoAtJoin() }),
    };
  }

  /** For the run that continues as new. */
  continueState(): ContinuedTask {
    return {
      reviews: this.reviews.all(),
      ...this.work.state(),
      refused_signals: this.refusedSignals,
      book: this.book.snapshot(),
      ...(this.agent === null ? {} : { agent: this.agent }),
      effects: this.ledger.state(),
      ...(this.owed.length === 0 ? {} : { owed: this.owed }),
      ...(this.used.total().turns === 0 ? {} : { used: this.used.state() }),
    };
  }

  /** An orchestrator must not do the work of an agent. */
  private markDriven(): void {
    if (this.task.status === "PENDING" && this.agentHere()) this.book.setStatus("IN_PROGRESS");
  }

  /** The work at the current step is no longer needed. */
  private leaveStep(nowMs: number): void {
    for (const task_id of this.book.openChildren()) this.effects.push({ kind: "drop_child", task_id });
    this.reviews.withdraw(nowMs);
  }

  private cancelAgent(): void {
    if (this.agent !== null) this.effects.push({ kind: "cancel_agent" });
    this.agent = null;
  }
}
