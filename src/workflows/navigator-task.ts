import {
  allHandlersFinished,
  condition,
  continueAsNew,
  executeChild,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import type { AgentDefinition } from "../core/agent/definition";
import { jsonBytes } from "../core/bytes";
import type { Notification } from "../core/effects";
import { ok, type Result } from "../core/failure";
import { parseAdvance } from "../core/graph/advance-input";
import { renderTaskDetails } from "../core/graph/diagram";
import { outcomeOf } from "../core/graph/outcome";
import { type Node, nodeOf } from "../core/graph/schema";
import { StepWork } from "../core/graph/step-work";
import { type Advance, type AdvanceAnswer, advanceTask, type Task } from "../core/graph/task";
import type { Json, JsonObject } from "../core/json";
import { MAX_PAYLOAD_BYTES, WORKFLOW_TASK_TIMEOUT_MS } from "../core/limits";
import { taskAfter } from "../core/review/after-decision";
import { applyDecision, checkDecision, openReviews, withdrawReviews } from "../core/review/decide";
import { parseDecision } from "../core/review/decision-input";
import type { Decision, Review } from "../core/review/review";
import { escalationReview, gateReview, quoted } from "../core/review/task-reviews";
import { nextDue, passTime } from "../core/review/time";
import { agentRun } from "./agent-run";
import type { AgentRunInput } from "./agent-run-input";
import { childResult } from "./child-result";
import { asApplicationFailure, checked } from "./failures";
import { historyIsLong } from "./history-size";
import * as messages from "./messages";
import type { CarriedTask, NavigatorTaskInput } from "./navigator-task-input";
import { tellPeople } from "./people";
import { agentAttributes, positionAttributes } from "./search-attributes";

/**
 * One task on one graph: walks it node by node, counts retries, opens reviews, runs agents as children.
 * The core decides where to go; this workflow asks, waits and asks again. The result is the task as it ended.
 */
export async function navigatorTask(input: NavigatorTaskInput): Promise<Task> {
  const walk = new Walk(input);
  walk.listen();
  return walk.run();
}

class Walk {
  private task: Task;
  private reviews: Review[];
  private readonly work: StepWork;
  private refusedSignals: number;
  /** Notifications that reached nobody. */
  private unheard = 0;
  /** Counts everything that moved the task, so that a waiting step notices being left. */
  private moves = 0;
  private runningChild: string | null = null;
  private shown = "";

  constructor(private readonly input: NavigatorTaskInput) {
    this.task = input.task;
    this.reviews = input.carried?.reviews ?? [];
    this.work = new StepWork(input.carried);
    this.refusedSignals = input.carried?.refused_signals ?? 0;
  }

  listen(): void {
    setHandler(messages.taskQuery, () => this.task);
    setHandler(messages.definitionQuery, () => this.input.definition);
    setHandler(messages.reviewsQuery, () => this.reviews);
    setHandler(messages.advance, (step) => this.move(checked(parseAdvance(step))), {
      validator: (step) => {
        if (this.runningChild !== null)
          throw asApplicationFailure({
            reason: "child_active",
            message: `${this.task.id} is at "${this.task.currentStep}", where ${this.runningChild} runs: its outcome will advance the task.`,
          });
        checked(this.advanced(checked(parseAdvance(step))));
      },
    });
    setHandler(messages.decide, (decision) => this.decide(checked(this.decision(decision))), {
      validator: (decision) => void checked(this.decision(decision)),
    });
    // A signal cannot be refused, so a bad or late one is counted and shown instead of failing the task.
    setHandler(messages.decideSignal, (raw) => {
      const decision = this.decision(raw);
      if (decision.ok) this.decide(decision.value);
      else {
        this.refusedSignals += 1;
        this.show();
      }
    });
  }

  async run(): Promise<Task> {
    for (;;) {
      this.show();
      const node = nodeOf(this.input.definition, this.task.currentStep) as Node;
      if (node.type === "end" && node.escalation !== "hitl") break;
      if (this.task.status === "FAILED" || this.task.status === "COMPLETED") break;
      await this.visit(node);
      if (historyIsLong()) await this.continueAsNew();
    }
    await condition(allHandlersFinished);
    return this.task;
  }

  /** Stays at a node until something moves the task away from it, or moves it in place. */
  private async visit(node: Node): Promise<void> {
    if (node.type === "start") return void this.move({});
    const before = this.moves;
    if (!this.asked()) {
      const agent = this.agentOf(node);
      if (agent) await this.runAgent(node, agent);
      // A gate that no agent drives is a person's: it shows in the inbox. An orchestrator may still advance it.
      else if (node.type === "gate") this.ask(gateReview);
      else if (node.type === "end") this.ask(escalationReview);
    }
    await this.untilMoved(before);
  }

  /** Waits for people and orchestrators; where a review says how long, its default is taken in the end. */
  private async untilMoved(before: number): Promise<void> {
    const moved = () => this.moves > before;
    for (;;) {
      const due = nextDue(this.reviews);
      if (due === null) return condition(moved);
      if (await condition(moved, Math.max(1, due - Date.now()))) return;
      this.passTime();
    }
  }

  private passTime(): void {
    const { reviews, timedOut, reminded } = passTime(this.reviews, Date.now());
    this.reviews = reviews;
    for (const review of reminded) this.tell("review_reminder", review);
    for (const over of timedOut) this.takeDefault(over);
  }

  /** A default from which no edge leads on is no way out: then it waits for people after all. */
  private takeDefault(over: Review): void {
    const next = this.afterDecision(over.decision as Decision);
    if (next.ok) return this.arrive(next.value);
    const { onTimeout: _, expiresAt: __, decision: ___, closedAt: ____, ...rest } = over;
    this.reviews = this.reviews.map((review) => (review.id === over.id ? { ...rest, status: "open" } : review));
    this.show();
  }

  /** Who is named, or waited for, hears of it; others look into the inbox. */
  private tell(event: Notification["event"], review: Review): void {
    tellPeople(event, review, () => {
      this.unheard += 1;
      this.show();
    });
  }

  /** Whether a person has been asked about the present step and has not answered yet. */
  private asked(): boolean {
    return openReviews(this.reviews).some((review) => review.data.step === this.task.currentStep);
  }

  private agentOf(node: Node): AgentDefinition | undefined {
    if (node.type !== "task" && node.type !== "gate") return undefined;
    return node.agent !== undefined && Object.hasOwn(this.input.agents, node.agent)
      ? this.input.agents[node.agent]
      : undefined;
  }

  private async runAgent(node: Node, agent: AgentDefinition): Promise<void> {
    const step = this.task.currentStep;
    const attempt = this.work.begin(step);
    const { workflowId } = workflowInfo();
    const childId = `${workflowId}/${step}/${attempt}`;
    const input: AgentRunInput = {
      agent,
      context: this.contextOf(),
      journal: this.work.journalOf(step),
      model: this.input.model,
      idempotency_scope: this.work.scope(workflowId, step),
    };
    const bytes = jsonBytes(input as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return this.ask(escalationReview, {
        why: `Its agent cannot be started: what it needs to know is ${bytes} bytes, the limit is ${MAX_PAYLOAD_BYTES}.`,
      });
    this.runningChild = childId;
    const result = await childResult(childId, () =>
      executeChild(agentRun, {
        workflowId: childId,
        args: [input],
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
        typedSearchAttributes: agentAttributes({ agent: agent.name ?? step }),
        staticSummary: `${step}, attempt ${attempt}: agent ${agent.name ?? ""}`.trim(),
        staticDetails: agent.description ?? "",
      }),
    );
    this.runningChild = null;
    if (!result.ok) return this.take(outcomeOf(node, null, result.fail), false);
    const { journal, return: value, fail } = result.value;
    this.work.keep(step, journal);
    this.take(outcomeOf(node, value, fail), fail === null);
  }

  /** Moves on by what an agent gave; where that leads nowhere, a person is asked: trying again would give the same. */
  private take(outcome: { result: string; output: Json }, ended: boolean): void {
    const moved = advanceTask(this.input.definition, this.task, outcome, Date.now());
    if (moved.ok && moved.answer.success) return this.arrive(moved.task, ended && moved.answer.action !== "escalate");
    const why = moved.ok
      ? `Its agent ended with "${outcome.result}", and no edge leads on from that.`
      : moved.fail.message;
    this.ask(escalationReview, { why: `${why}\n\nIt gave: ${quoted(outcome.output)}` });
  }

  /** The task's context, and what each step last gave. */
  private contextOf(): JsonObject {
    const outputs: JsonObject = {};
    for (const entry of this.task.history) if (entry.output !== undefined) outputs[entry.step] = entry.output;
    return Object.keys(outputs).length === 0 ? this.task.context : { ...this.task.context, steps: outputs };
  }

  private ask(review: typeof escalationReview, options: Parameters<typeof escalationReview>[4] = {}): void {
    const { definition } = this.input;
    const opened = review(definition, this.task, this.reviews.length + 1, Date.now(), options);
    this.reviews = [...this.reviews, opened];
    this.show();
    if (opened.assignees || opened.quorum || opened.remindMs || opened.onTimeout) this.tell("review_opened", opened);
  }

  /** A decision that can be taken: checked to the end before anything changes, so that none is half taken. */
  private decision(raw: unknown): Result<Decision> {
    const decision = parseDecision(raw);
    if (!decision.ok) return decision;
    const fail = checkDecision(this.reviews, decision.value, Date.now());
    if (fail) return { ok: false, fail };
    const next = this.afterDecision(decision.value);
    return next.ok ? decision : next;
  }

  private decide(decision: Decision): Review {
    const { reviews, review } = applyDecision(this.reviews, decision, Date.now());
    // With a quorum it may need more people, and what they agreed on may be another choice than this one.
    const next = review.decision === undefined ? null : checked(this.afterDecision(review.decision));
    this.reviews = reviews;
    if (next) this.arrive(next);
    else this.show();
    return review;
  }

  private afterDecision(decision: Decision): Result<Task> {
    const review = this.reviews.find((one) => one.id === decision.review) as Review;
    return taskAfter(this.input.definition, this.task, review, decision, Date.now());
  }

  private move(step: Advance): AdvanceAnswer {
    const { task, answer } = checked(this.advanced(step));
    if (answer.success) this.arrive(task);
    return answer;
  }

  private advanced(step: Advance): Result<{ task: Task; answer: AdvanceAnswer }> {
    const moved = advanceTask(this.input.definition, this.task, step, Date.now());
    return moved.ok ? ok(moved) : moved;
  }

  /** Notes where the task is now: what was finished, reviews that nobody needs any more, what lists and pages show. */
  private arrive(task: Task, finished = true): void {
    const from = this.task.currentStep;
    if (finished && task.currentStep !== from) this.work.finish(from);
    this.task = task;
    this.moves += 1;
    this.reviews = withdrawReviews(this.reviews, Date.now());
    this.show();
  }

  private show(): void {
    const open = openReviews(this.reviews);
    const position = `${this.task.status} ${this.task.currentStep} ${open.length}`;
    if (position !== this.shown) {
      // The start options have set where the task begins; each further upsert is an event.
      if (this.shown !== "" || this.input.carried) upsertSearchAttributes(positionAttributes(this.task, open.length));
      this.shown = position;
    }
    const refused =
      this.refusedSignals === 0
        ? ""
        : `\n\n${this.refusedSignals} signal(s) refused: they decided nothing that is open.`;
    setCurrentDetails(renderTaskDetails(this.input.definition, this.task, open) + refused);
  }

  /** Comes back only when what must be carried over is too large for one payload: then the task goes on where it is. */
  private async continueAsNew(): Promise<void> {
    await condition(allHandlersFinished);
    const carried: CarriedTask = {
      reviews: this.reviews,
      ...this.work.state(),
      refused_signals: this.refusedSignals,
    };
    const next = { ...this.input, task: this.task, carried };
    if (jsonBytes(next as unknown as Json) <= MAX_PAYLOAD_BYTES) await continueAsNew<typeof navigatorTask>(next);
  }
}
