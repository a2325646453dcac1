import { getExternalWorkflowHandle, isCancellation, sleep, uuid4, workflowInfo } from "@temporalio/workflow";
import type { UsageMeter } from "../../core/agent/budget/mission-usage";
import { usageOfStep } from "../../core/agent/budget/usage-of-step";
import { modelCallsOf } from "../../core/agent/result/step";
import type { AgentEnd, AgentHost, SequenceStart } from "../../core/agent/run/host";
import type { AgentInput, AgentState } from "../../core/agent/run/run";
import type { Standstill } from "../../core/agent/sequence/call-sequence";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { failed, ok, type Result } from "../../core/base/failure";
import { toolRunId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { Amount, EffectLookup, KeyedCall, ModelReply, ModelRequest, Price, ToolCall } from "../../core/calls/host";
import type { ToolSpec } from "../../core/calls/tool";
import type { GuardAnswer, GuardClaim, GuardSettle } from "../../core/effects/effect-guard";
import type { UndoStep } from "../../core/effects/undo/undo-plan";
import type { ReviewRequest } from "../../core/review/kinds";
import type { FinalDecision } from "../../core/review/request";
import { claimCalls, priceCalls, untilServedCalls } from "../activity-calls";
import { runAgentChild } from "../agent-end";
import type { AgentRunInput } from "../agent-run-input";
import { type BlockedCalls, NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import { rootCause } from "../failures";
import * as messages from "../messages";
import type { RequestedReviews } from "../reviews";
import type { RunPause } from "../run-pause";
import { undoOnWorker } from "../undo/undo-effect";
import type { Payer } from "./budget";
import type { CallParts } from "./call-parts";
import type { CallSequences } from "./call-sequences";
import { beforeDue } from "./gate";
import type { AgentModelCalls } from "./model-calls";
import type { AgentToolCalls } from "./tool-calls";

/** The parts of a run that its host uses besides those of its calls. */
interface WorkflowHostOptions {
  models: AgentModelCalls;
  tools: AgentToolCalls;
  sequences: CallSequences;
  reviews: RequestedReviews;
  blocked: BlockedCalls;
  pause: RunPause;
  /** undefined: no budget. */
  payer: Payer | undefined;
  /** Counts what the run and the agents below it use. */
  used: UsageMeter;
  /** 1-based; a parked mission that is woken starts its next invocation. */
  invocation: number;
}

type Prices = { [model: string]: Price | null };

/** AgentHost on activities and workflow time. */
export class WorkflowHost implements AgentHost {
  readonly mission = workflowInfo().workflowId;
  readonly startedAt = workflowInfo().startTime.getTime();
  /** The prices looked up so far. */
  private readonly known: Prices = {};
  invocation: number;
  /** Why a turn stopped in its middle: its history is long, and not only a person's pause. */
  mustContinueAsNew = false;

  constructor(
    private readonly parts: CallParts,
    private readonly options: WorkflowHostOptions,
  ) {
    this.invocation = options.invocation;
  }

  callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    return this.options.models.call(request);
  }

  asksModel(state: () => object): void {
    this.options.models.state = state as () => AgentState;
  }

  callTool(call: KeyedCall): Promise<Result<Json>> {
    return this.options.tools.call(call);
  }

  /** A child workflow, named by its place: `<parent>/<tool>/<turn>.<call>`. It ends with its parent. */
  async runAgent(call: ToolCall, input: AgentInput): Promise<AgentEnd> {
    const { chain, cost, owner } = this.parts;
    const { models, pause, payer, used } = this.options;
    const workflowId = toolRunId(workflowInfo().workflowId, call, this.invocation);
    const given: AgentRunInput = {
      ...input,
      on_waiting: "return",
      tree_calls: models.treeCount,
      ...defined({ owner }),
      ...defined({ budget_root: payer?.root }),
    };
    const bytes = jsonBytes(given as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return {
        step: failed(
          "tool_error",
          `what the agent would be given is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}`,
          { code: "payload_too_large", bytes },
        ),
      };
    cost.answered();
    const name = input.agent.name ?? call.name;
    const summary = `turn ${call.turn}, tool ${call.name}: agent ${name}`;
    pause.begins(workflowId);
    const ended = await runAgentChild({ workflowId, name, summary }, given);
    pause.ended(workflowId);
    payer?.childEnded(workflowId);
    chain.advanceClock();
    if (ended.step.ok && ended.step.value.ledger) chain.child(workflowId, ended.step.value.ledger);
    if (ended.step.ok) {
      models.treeCount += modelCallsOf(ended.step.value);
      used.add(usageOfStep(ended.step.value));
    }
    return ended;
  }

  lookUpEffect(call: KeyedCall): Promise<EffectLookup> {
    return this.options.tools.lookUp(call);
  }

  async undoEffect(step: UndoStep, because: string): Promise<Result<Json>> {
    const { agent, cost, gate, owner } = this.parts;
    const closed = gate.closed();
    if (closed !== undefined) await closed;
    cost.answered();
    return undoOnWorker(this.options.blocked, step, { agent, owner, because });
  }

  async claimEffect(
    guard: string,
    claim: Omit<GuardClaim, "workflow_id">,
    deadline_ms: number | undefined,
  ): Promise<Result<GuardAnswer>> {
    const { cost, gate, owner } = this.parts;
    const due = await gate.opened(deadline_ms);
    const input = { guard, claim: { ...claim, workflow_id: workflowInfo().workflowId }, ...defined({ owner }) };
    cost.answered();
    try {
      return await beforeDue(due, () => claimCalls(`claim ${claim.tool}`).claimEffect(input));
    } catch (error) {
      if (isCancellation(error)) throw error;
      return failed("tool_error", `the effect could not be claimed: ${rootCause(error).message}`, { tool: claim.tool });
    }
  }

  /** If the signal does not reach the guard, the guard reads the outcome from the history of this run. */
  async settleEffect(guard: string, settle: GuardSettle): Promise<void> {
    try {
      await getExternalWorkflowHandle(guard).signal(messages.settleEffect, settle);
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
  }

  reserve(bound: Amount, deadline_ms: number | undefined): Promise<Result<string>> {
    const { payer } = this.options;
    if (payer === undefined) throw new Error("a run without a budget reserves nothing");
    return beforeDue(deadline_ms, () => payer.reserve(bound));
  }

  async settle(holder: string, used: Partial<Amount>): Promise<void> {
    await this.options.payer?.settle(holder, used);
  }

  async prices(models: readonly string[]): Promise<Result<Prices>> {
    const unknown = models.filter((model) => !Object.hasOwn(this.known, model));
    if (unknown.length === 0) return ok(this.known);
    try {
      const found = await this.options.blocked.served({
        call: () => this.parts.local(() => priceCalls().priceModels(unknown)),
        untilServed: (limit) => unlessItFails(() => untilServedCalls("look up prices", limit).priceModels(unknown)),
      });
      return ok(Object.assign(this.known, found));
    } catch (error) {
      if (error instanceof NotConfigured) return notConfigured(error);
      throw error;
    }
  }

  beginSequence(start: SequenceStart, state: () => object): Promise<void> | undefined {
    // A run that shall continue as new does so before the next call.
    if (this.parts.gate.isClosed || this.parts.historyBudget.isUsed(0)) return undefined;
    return this.options.sequences.begin(start, state as () => AgentState);
  }

  blockedMs(): number {
    return this.standstill.blocked_ms;
  }

  pausedMs(): number {
    return this.standstill.paused_ms;
  }

  /** While answers of a sequence wait, it is that of the moment when the sequence began. */
  private get standstill(): Standstill {
    return this.options.sequences.stood ?? this.parts.gate.standstill();
  }

  closed(): Promise<void> | undefined {
    // The run reads the answers of calls that were made.
    return this.options.sequences.isOpen ? undefined : this.parts.gate.closed();
  }

  presentTool(spec: ToolSpec, parallel?: boolean): Promise<ToolSpec> {
    return this.options.tools.present(spec, parallel);
  }

  toolChanged(spec: ToolSpec): void {
    this.parts.tools.set(spec.name, spec);
    this.options.sequences.toolChanged(spec);
  }

  requestReview(
    request: ReviewRequest,
    deadline_ms: number | undefined,
    place?: string,
  ): Promise<Result<FinalDecision>> {
    const named = place === undefined ? undefined : `${this.invocation}/${place}`;
    return this.options.reviews.request(request, deadline_ms, named);
  }

  /** Asked in the middle of a turn: also a person's pause stops it there. */
  shouldPause(underWay: number): boolean {
    if (this.options.sequences.isOpen) return false;
    this.mustContinueAsNew = this.parts.historyBudget.isUsed(underWay);
    return this.mustContinueAsNew || this.options.pause.isOn;
  }

  stepped(steps: number): void {
    this.options.sequences.programEnded();
    this.parts.cost.stepped(steps);
  }

  now(): number {
    return this.options.sequences.now();
  }

  random(): number {
    return Math.random();
  }

  uuid(): string {
    return uuid4();
  }

  async sleep(ms: number): Promise<void> {
    await sleep(ms);
  }
}
