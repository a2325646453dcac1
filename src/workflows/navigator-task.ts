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
import type { Step } from "../core/agent/step";
import { parseAdvance } from "../core/graph/advance-input";
import { renderTaskDetails } from "../core/graph/diagram";
import { outcomeOf } from "../core/graph/outcome";
import { type Node, nodeOf } from "../core/graph/schema";
import { type Advance, type AdvanceAnswer, advanceTask, closeTask, sendTo, type Task } from "../core/graph/task";
import type { Json, JsonObject } from "../core/json";
import { applyDecision, checkDecision, openReviews, withdrawReviews } from "../core/review/decide";
import type { Decision, Review } from "../core/review/review";
import { parseDecision } from "../core/review/review-schema";
import { escalationReview, gateReview } from "../core/review/task-reviews";
import { agentRun } from "./agent-run";
import { asApplicationFailure, checked } from "./failures";
import { historyIsLong } from "./history-size";
import * as messages from "./messages";
import type { CarriedTask, NavigatorTaskInput } from "./navigator-task-input";
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
  private readonly journals: CarriedTask["journals"];
  private readonly attempts: CarriedTask["attempts"];
  private readonly visits: CarriedTask["visits"];
  private refusedSignals: number;
  /** Counts everything that moved the task, so that a waiting step notices being left. */
  private moves = 0;
  private runningChild: string | null = null;
  private shown = "";

  constructor(private readonly input: NavigatorTaskInput) {
    this.task = input.task;
    this.reviews = input.carried?.reviews ?? [];
    this.journals = { ...input.carried?.journals };
    this.attempts = { ...input.carried?.attempts };
    this.visits = { ...input.carried?.visits };
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
        const move = advanceTask(this.input.definition, this.task, checked(parseAdvance(step)), Date.now());
        if (!move.ok) throw asApplicationFailure(move.fail);
      },
    });
    setHandler(messages.decide, (decision) => this.decide(checked(parseDecision(decision))), {
      validator: (decision) => {
        const refusal = checkDecision(this.reviews, checked(parseDecision(decision)), Date.now());
        if (refusal) throw asApplicationFailure(refusal);
      },
    });
    // A signal cannot be refused, so a bad or late one is counted and shown instead of failing the task.
    setHandler(messages.decideSignal, (raw) => {
      const decision = parseDecision(raw);
      if (decision.ok && !checkDecision(this.reviews, decision.value, Date.now())) this.decide(decision.value);
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
    const agent = this.agentOf(node);
    if (agent) return this.runAgent(node, agent);
    if (node.type === "end" || (node.type === "gate" && this.isHuman(node))) this.openReview(node);
    const before = this.moves;
    await condition(() => this.moves > before);
  }

  private agentOf(node: Node): AgentDefinition | undefined {
    if (node.type !== "task" && node.type !== "gate") return undefined;
    return node.agent !== undefined && Object.hasOwn(this.input.agents, node.agent)
      ? this.input.agents[node.agent]
      : undefined;
  }

  /** A gate that no agent drives is a person's: it shows in the inbox. An orchestrator may still advance it. */
  private isHuman(node: Node): boolean {
    return node.type === "gate";
  }

  private async runAgent(node: Node, agent: AgentDefinition): Promise<void> {
    const step = this.task.currentStep;
    const attempt = (this.attempts[step] ?? 0) + 1;
    this.attempts[step] = attempt;
    const { workflowId } = workflowInfo();
    const childId = `${workflowId}/${step}/${attempt}`;
    this.runningChild = childId;
    const result: Step = await executeChild(agentRun, {
      workflowId: childId,
      args: [
        {
          agent,
          context: this.contextOf(),
          journal: this.journals[step] ?? {},
          model: agent.model ?? this.input.model,
          idempotency_scope: this.scope(workflowId, step),
        },
      ],
      typedSearchAttributes: agentAttributes({ agent: agent.name ?? step }),
      staticSummary: `${step}, attempt ${attempt}: agent ${agent.name ?? ""}`.trim(),
      staticDetails: agent.description ?? "",
    });
    this.runningChild = null;
    this.journals[step] = result.journal;
    this.move(outcomeOf(node, result.return, result.fail));
  }

  /**
   * Attempts at a step that is retried in place share one scope and one journal: what an earlier attempt finished is
   * not done again. A step that is entered anew (work sent back by a later gate) is new work with new effects.
   */
  private scope(workflowId: string, step: string): string {
    const visit = this.visits[step] ?? 1;
    return visit === 1 ? `${workflowId}/${step}` : `${workflowId}/${step}@${visit}`;
  }

  /** The task's context, and what each step last gave. */
  private contextOf(): JsonObject {
    const outputs: JsonObject = {};
    for (const entry of this.task.history) if (entry.output !== undefined) outputs[entry.step] = entry.output;
    return Object.keys(outputs).length === 0 ? this.task.context : { ...this.task.context, steps: outputs };
  }

  private openReview(node: Node): void {
    const open = this.reviews.some((review) => review.status === "open" && review.data.step === this.task.currentStep);
    if (open) return;
    const make = node.type === "end" ? escalationReview : gateReview;
    this.reviews = [...this.reviews, make(this.input.definition, this.task, this.reviews.length + 1, Date.now())];
    this.show();
  }

  private decide(decision: Decision): Review {
    const decided = applyDecision(this.reviews, decision, Date.now());
    this.reviews = decided.reviews;
    const { review } = decided;
    const output: Json = {
      choice: decision.choice,
      by: decision.by,
      ...(decision.note === undefined ? {} : { note: decision.note }),
    };
    const step = review.moves[decision.choice];
    if (step?.kind === "send_to") this.sendTo(step.step, output);
    else if (step?.kind === "close") this.arrive(closeTask(this.task, Date.now(), output));
    else this.move({ result: decision.choice, output });
    return review;
  }

  private move(step: Advance): AdvanceAnswer {
    const moved = advanceTask(this.input.definition, this.task, step, Date.now());
    // Asked for only after the validator or the walk itself made sure that it fits.
    if (!moved.ok) throw asApplicationFailure(moved.fail);
    this.arrive(moved.task);
    return moved.answer;
  }

  private sendTo(step: string, output: Json): void {
    this.arrive(sendTo(this.input.definition, this.task, step, Date.now(), output));
  }

  /** Notes where the task is now: counters of attempts, reviews that nobody needs any more, what lists and pages show. */
  private arrive(task: Task): void {
    const from = this.task.currentStep;
    const to = task.currentStep;
    if (to !== from) {
      const again = this.visits[to];
      this.visits[to] = (again ?? 0) + 1;
      // New work, unless nothing was done there before.
      if (again !== undefined) delete this.journals[to];
    }
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

  private async continueAsNew(): Promise<never> {
    await condition(allHandlersFinished);
    const carried: CarriedTask = {
      reviews: this.reviews,
      journals: this.journals,
      attempts: this.attempts,
      visits: this.visits,
      refused_signals: this.refusedSignals,
    };
    return continueAsNew<typeof navigatorTask>({ ...this.input, task: this.task, carried });
  }
}
