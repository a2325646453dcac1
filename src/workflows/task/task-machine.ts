import { allHandlersFinished, condition, continueAsNew, patched, upsertSearchAttributes } from "@temporalio/workflow";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { jsonBytes } from "../../core/base/bytes";
import type { Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { type Definition, kindOf, type Node, nodeOf, workOf } from "../../core/graph/definition/schema";
import type { Child } from "../../core/graph/task/fork";
import { StepWork } from "../../core/graph/task/step-work";
import { type Advance, type AdvanceAnswer, advanceTask, type Task } from "../../core/graph/task/task";
import { TaskBook } from "../../core/graph/task/task-book";
import { escalationReview, gateReview, quoted } from "../../core/review/task-reviews";
import { valueOrReject } from "../failures";
import { historyIsLong } from "../history-limits";
import type { CarriedTask, NavigatorTaskInput, Reload } from "../navigator-task-input";
import { taskAttributes } from "../search-attributes";
import { AgentStep } from "./agent-step";
import { Branches } from "./branches";
import { dropChild } from "./children";
import { Escalations } from "./escalation";
import type { navigatorTask } from "./navigator-task";
import { Reporter } from "./reporter";
import { TaskReviews } from "./reviews";
import { Face } from "./task-visibility";

/** One task as its workflow holds it: where it is, what is under way there, and everything that may move it. */
export class Walk {
  readonly book: TaskBook;
  readonly reviews: TaskReviews;
  readonly work: StepWork;
  readonly agents: AgentStep;
  private readonly branches: Branches;
  private readonly face: Face;
  private readonly reporter: Reporter;
  private readonly escalations: Escalations;
  refusedSignals: number;
  /** Counts everything that moved the task, so that a waiting step notices being left. */
  moves = 0;
  /** Of the last move whose node has begun what it needs (branches, a subflow). */
  private settled = -1;

  constructor(public input: NavigatorTaskInput) {
    const { task, carried, order } = input;
    this.book = new TaskBook(task, order !== undefined, carried?.book);
    this.reviews = new TaskReviews(this, carried?.reviews ?? []);
    this.work = new StepWork(carried);
    this.agents = new AgentStep(this);
    this.branches = new Branches(this);
    this.refusedSignals = carried?.refused_signals ?? 0;
    this.markDriven();
    this.face = new Face(this.book, this.reviews, carried === undefined);
    this.reporter = new Reporter(this.book);
    this.escalations = new Escalations(this);
    // Here and not in `run`, for the reason that Face gives.
    this.reporter.report();
  }

  get task(): Task {
    return this.book.task;
  }

  get definition(): Definition | undefined {
    return this.input.definition;
  }

  async run(): Promise<Task> {
    for (;;) {
      this.changed();
      await this.escalations.atEnd();
      if (this.over()) break;
      await this.visit();
      if (historyIsLong()) await this.continueAsNew();
    }
    await condition(() => allHandlersFinished() && !this.reporter.busy);
    return this.task;
  }

  /** Closed or taken out of the tree, and everything that happened is known to the primary store. */
  private over(): boolean {
    return (this.book.closed || this.book.removed) && this.book.syncs.length === 0;
  }

  /** Stays at a node until something moves the task away from it, or moves it in place. */
  private async visit(): Promise<void> {
    const { task, definition } = this;
    const node = definition && nodeOf(definition, task.currentStep);
    const before = this.moves;
    const rests = this.book.closed || this.book.removed || task.status === "PAUSED";
    if (node && !rests) {
      if (kindOf(node).begins === "move" && this.drivesItself()) return void this.move({});
      if (!this.reviews.asked()) await this.begin(node);
    }
    this.settle();
    await this.waitFor(() => this.moves > before);
  }

  private async begin(node: Node): Promise<void> {
    const agent = this.agentAt(node);
    if (agent) return this.agents.run(node, agent);
    const { begins } = kindOf(node);
    // It shows in the inbox. An orchestrator may still advance it.
    if (begins === "gateReview") return this.reviews.ask(gateReview);
    if (begins === "escalationReview" || this.task.status === "HITL") return this.reviews.ask(escalationReview);
    if ((node.type === "fork" || node.type === "subflow") && patched("branches")) return this.branches.run(node);
  }

  /** A task that nobody drives from outside leaves its start by itself. */
  private drivesItself(): boolean {
    return this.input.drive !== "external";
  }

  /** Waits, while claims run out and reviews are reminded of or decided by their default. */
  async waitFor(done: () => boolean): Promise<void> {
    while (!done()) {
      const next = this.nextDue();
      const news = () => done() || this.nextDue() !== next;
      if (next === null) await condition(news);
      else if (!(await condition(news, Math.max(1, next - Date.now())))) this.passTime();
    }
  }

  private nextDue(): number | null {
    const times = [this.reviews.nextDue(), this.book.nextDue()].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  private passTime(): void {
    const due = this.book.nextDue();
    if (due !== null && due <= Date.now()) {
      this.book.release();
      this.changed();
    }
    this.reviews.passTime();
  }

  private agentAt(node: Node): AgentDefinition | undefined {
    const agent = workOf(node)?.agent;
    const { agents } = this.input;
    return agent !== undefined && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  }

  /** What an agent does is no orchestrator's to take. */
  private markDriven(): void {
    const node = this.definition && nodeOf(this.definition, this.task.currentStep);
    if (this.task.status === "PENDING" && node && this.agentAt(node)) this.book.setStatus("IN_PROGRESS");
  }

  /** Moves on by what an agent or a branch gave; where that leads nowhere, a person is asked: trying again would give the same. */
  async take(outcome: { result: string; output: Json }, ended: boolean, who: string): Promise<void> {
    const before = this.moves;
    if (this.task.status === "PAUSED") await this.waitFor(() => this.task.status !== "PAUSED" || this.moves > before);
    if (this.moves > before) return;
    const moved = advanceTask(this.definition as Definition, this.task, outcome, Date.now());
    if (moved.ok && moved.answer.success) return this.arrive(moved.task, ended && moved.answer.action !== "escalate");
    const why = moved.ok
      ? `${who} ended with "${outcome.result}", and no edge leads on from that.`
      : moved.fail.message;
    this.reviews.ask(escalationReview, { why: `${why}\n\nIt gave: ${quoted(outcome.output)}` });
  }

  /** Why an advance may not happen now, or what it would do. */
  advanced(step: Advance): Result<{ task: Task; answer: AdvanceAnswer }> {
    return this.book.advanced(this.definition, step, Date.now());
  }

  move(step: Advance): AdvanceAnswer {
    const { task, answer } = valueOrReject(this.advanced(step));
    if (answer.success) this.arrive(task);
    return answer;
  }

  /** Once the node where the task is now has begun what belongs to it. */
  async untilSettled(): Promise<void> {
    const node = this.definition && nodeOf(this.definition, this.task.currentStep);
    if (node?.type !== "fork" && node?.type !== "subflow") return;
    const { moves } = this;
    await condition(() => this.settled >= moves || this.moves > moves);
  }

  settle(): void {
    this.settled = this.moves;
  }

  /** Notes where the task is now: what was finished, reviews that nobody needs any more, what lists and pages show. */
  arrive(task: Task, finished = true): void {
    const from = this.task.currentStep;
    if (finished && task.currentStep !== from) this.work.finish(from);
    this.leave();
    this.turn(() => {
      this.book.moveTo(task, Date.now());
      this.markDriven();
    });
  }

  /** What was under way at the present step is not wanted any more. */
  private leave(): void {
    for (const child of this.book.children) if (child.state !== "over") dropChild(child.id);
    this.reviews.withdraw();
  }

  /** What a child says of itself; one that nobody waits for says it in vain. */
  note(report: Child): void {
    this.branches.note(report);
    this.changed();
  }

  cancel(note: string | undefined): void {
    this.leave();
    this.agents.cancel();
    this.turn(() => this.book.cancel(Date.now(), note));
  }

  resume(): void {
    this.turn(() => {
      this.book.resume(this.definition, Date.now());
      this.markDriven();
    });
  }

  removeFromTree(): void {
    this.leave();
    this.agents.cancel();
    this.turn(() => this.book.remove());
  }

  /** Anything that the run loop should look at again. */
  turn(change: () => void): void {
    change();
    this.moves += 1;
    this.changed();
  }

  reload({ task, order, ...rest }: Reload): void {
    this.leave();
    this.agents.cancel();
    const { definition: _, version: __, ...input } = this.input;
    this.input = { ...input, ...rest, task, ...(order === undefined ? {} : { order }) };
    this.turn(() => {
      const place = this.input.order;
      this.book.reload(task, place !== undefined);
      this.markDriven();
      this.escalations.reset();
      upsertSearchAttributes(taskAttributes(this.task, place));
    });
  }

  changed(): void {
    this.reporter.report();
    const { unheard } = this.reviews;
    this.face.show(this.definition, [
      ...(this.refusedSignals === 0
        ? []
        : [`${this.refusedSignals} signal(s) refused: they decided nothing that is open.`]),
      ...(unheard === 0 ? [] : [`${unheard} notification(s) reached nobody.`]),
    ]);
  }

  /** Comes back only when what must be carried over is too large for one payload: then the task goes on where it is. */
  private async continueAsNew(): Promise<void> {
    await condition(() => allHandlersFinished() && !this.reporter.busy);
    const carried: CarriedTask = {
      reviews: this.reviews.all(),
      ...this.work.state(),
      refused_signals: this.refusedSignals,
      book: this.book.snapshot(),
    };
    const next = { ...this.input, task: this.task, carried };
    if (jsonBytes(next as unknown as Json) <= MAX_PAYLOAD_BYTES) await continueAsNew<typeof navigatorTask>(next);
  }
}
