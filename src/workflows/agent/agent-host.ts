import { CancelledFailure } from "@temporalio/common";
import { getExternalWorkflowHandle, isCancellation, sleep, uuid4, workflowInfo } from "@temporalio/workflow";
import { type UsageMeter, usageOfReply } from "../../core/agent/budget/mission-usage";
import { usageOfStep } from "../../core/agent/budget/usage-of-step";
import { modelCallsOf } from "../../core/agent/result/step";
import { conversationDelta, EMPTY_CONVERSATION } from "../../core/agent/run/conversation";
import type { AgentEnd, AgentHost, SequenceStart } from "../../core/agent/run/host";
import type { AgentInput, AgentState } from "../../core/agent/run/run";
import type { Standstill, Tries } from "../../core/agent/sequence/call-sequence";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { failed, ok, type Result } from "../../core/base/failure";
import { toolRunId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { CallToolInput } from "../../core/calls/activities";
import { callInput } from "../../core/calls/call-input";
import type { Amount, EffectLookup, KeyedCall, ModelReply, ModelRequest, Price, ToolCall } from "../../core/calls/host";
import type { Conversation } from "../../core/calls/model-call";
import type { Owner } from "../../core/calls/owner";
import { type CallPlan, planCall } from "../../core/calls/plan-call";
import type { MadeCall, RunCallsResult } from "../../core/calls/run-calls";
import type { ToolSpec } from "../../core/calls/tool";
import { attemptPolicy, delayAfter } from "../../core/calls/tool-attempts";
import type { GuardAnswer, GuardClaim, GuardSettle } from "../../core/effects/effect-guard";
import { toolVersion } from "../../core/effects/effect-id";
import type { UndoStep } from "../../core/effects/undo/undo-plan";
import type { ReviewRequest } from "../../core/review/kinds";
import type { FinalDecision } from "../../core/review/request";
import {
  blockedModelCalls,
  blockedToolCalls,
  claimCalls,
  localCalls,
  lookUpCalls,
  modelCalls,
  priceCalls,
  toolCalls,
  untilServedCalls,
  versionCalls,
} from "../activity-calls";
import { runAgentChild } from "../agent-end";
import type { AgentRunInput } from "../agent-run-input";
import { type BlockedCalls, NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import type { ChangeCarrier } from "../chain/change-carrier";
import type { RunChain } from "../chain/run-chain";
import { modelCallFailure, rootCause, toolCallFailure } from "../failures";
import { HistoryRoom, type ReplayCost } from "../history-limits";
import * as messages from "../messages";
import type { RequestedReviews } from "../reviews";
import type { RunPause } from "../run-pause";
import { undoOnWorker } from "../undo/undo-effect";
import type { Payer } from "./budget";
import type { AskModel, CallSequences } from "./call-sequences";
import type { CallsSideBySide, MadeSideBySide } from "./calls-side-by-side";
import { beforeDue, type Gate } from "./gate";

/** The parts of a run that its host uses. */
export interface WorkflowHostOptions {
  agent: string | null;
  tools: ReadonlyMap<string, ToolSpec>;
  /** Takes the changes of the journal that wait for an activity. */
  carrier: ChangeCarrier;
  /** Hears of calls with effects and of agents below. */
  chain: RunChain;
  /** Counts what a replay would have to do again. */
  cost: ReplayCost;
  reviews: RequestedReviews;
  blocked: BlockedCalls;
  pause: RunPause;
  gate: Gate;
  sequences: CallSequences;
  sideBySide: CallsSideBySide;
  /** Runs a local activity while no other one is under way. */
  local<T>(call: () => Promise<T>): Promise<T>;
  /** undefined: no budget. */
  payer: Payer | undefined;
  /** The task or plan that the run works for, if it would outlive it. */
  owner: Owner | undefined;
  /** Identifies the conversation across workers. */
  conversationKey: string;
  /** Model calls made by earlier runs of this workflow (continue-as-new). */
  callsMade: number;
  /** The same for the whole tree of agents. */
  treeCallsMade: number;
  /** Counts what the run and the agents below it use. */
  used: UsageMeter;
}

type Prices = { [model: string]: Price | null };

/** AgentHost on activities and workflow time. */
export class WorkflowHost implements AgentHost {
  readonly mission = workflowInfo().workflowId;
  readonly startedAt = workflowInfo().startTime.getTime();
  private sent: Conversation = EMPTY_CONVERSATION;
  private version = 0;
  /** The state of the run as it asks its model; undefined: no call is made behind a reply. */
  private asking: (() => AgentState) | undefined;
  /** The prices looked up so far. */
  private readonly known: Prices = {};
  private calls: number;
  private treeCalls: number;
  /** 1-based; a parked mission that is woken starts its next invocation. */
  invocation = 1;
  /** Room in the history for calls in the middle of a turn. */
  readonly room: HistoryRoom;
  /** Why a turn stopped in its middle: its history is long, and not only a person's pause. */
  mustContinueAsNew = false;

  constructor(private readonly options: WorkflowHostOptions) {
    this.room = new HistoryRoom(options.cost);
    this.calls = options.callsMade;
    this.treeCalls = options.treeCallsMade;
  }

  /** The conversation of the current model call, for a worker that does not have it in its cache. */
  conversation(): { version: number; conversation: Conversation; run?: CallSequences["asked"] } {
    return { version: this.version, conversation: this.sent, ...defined({ run: this.options.sequences.asked }) };
  }

  private get owned(): { owner?: Owner } {
    return defined({ owner: this.options.owner });
  }

  get callsMade(): number {
    return this.calls;
  }

  get treeCallsMade(): number {
    return this.treeCalls;
  }

  async callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    const { system, messages, deadline_ms, retry, ...rest } = request;
    const next = { system, messages };
    const conversation = conversationDelta(this.options.conversationKey, this.version, this.sent, next);
    const bytes = jsonBytes(conversation as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed("llm_error", `The prompt grew by ${bytes} bytes in one turn; the limit is ${MAX_PAYLOAD_BYTES}.`, {
        bytes,
      });
    const { carrier, gate } = this.options;
    const due = await gate.opened(deadline_ms);
    this.sent = next;
    this.version = conversation.version;
    this.calls += 1;
    this.treeCalls += 1;
    this.options.cost.answered();
    const model = {
      ...rest,
      ...(retry === "brief" ? { retry } : {}),
      agent: this.options.agent,
      call: this.calls,
      ...(this.treeCalls === this.calls ? {} : { tree_call: this.treeCalls }),
      conversation,
    };
    const head = defined({ ledger_head: this.options.chain.headToSign() });
    const summary = `turn ${request.turn}: model`;
    try {
      let last: Parameters<AskModel>[0] | undefined;
      const answer = await gate.served<RunCallsResult>(due, {
        call: async (_, late) =>
          ok(
            await this.asked(late, (place, alone) => {
              last = place;
              const input = { ...place, turn: request.turn, model, ...head };
              return modelCalls(summary, retry, alone).runCalls(input, ...carrier.forCall());
            }),
          ),
        untilServed: (limit) => {
          const { run: _, kept: __, ...place } = last as Parameters<AskModel>[0];
          const input = { ...place, turn: request.turn, model, ...head, blocked_ms: limit };
          return unlessItFails(async () => ok(await blockedModelCalls(summary).runCalls(input)));
        },
      });
      this.options.chain.tick();
      if (!answer.ok) return answer;
      const reply = answer.value.reply as ModelReply;
      this.options.used.add(usageOfReply(reply.tokens, reply.model ?? request.model));
      return ok(reply);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof NotConfigured) return notConfigured(error);
      return modelCallFailure(error);
    }
  }

  asksModel(state: () => object): void {
    this.asking = state as () => AgentState;
  }

  private async asked(due: number | undefined, ask: AskModel): Promise<RunCallsResult> {
    // A run that shall continue as new does so before the next call.
    const state = this.room.isUsed(0) ? undefined : this.asking;
    try {
      return await this.options.sequences.askModel(state, due, ask);
    } catch (error) {
      // An activity that is asked to end may end in another way than by the cancellation.
      const isLate = due !== undefined && Date.now() >= due && !isCancellation(error);
      throw isLate ? new CancelledFailure("the time of the mission is over") : error;
    }
  }

  async callTool(call: KeyedCall): Promise<Result<Json>> {
    const tool = this.options.tools.get(call.name);
    if (!tool)
      return failed(
        "tool_not_found",
        `Unknown tool: ${call.name}. Available tools: ${[...this.options.tools.keys()].join(", ")}`,
      );
    const bytes = jsonBytes(call.args);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed(
        "tool_error",
        `the arguments are ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Pass a reference instead.`,
        {
          code: "payload_too_large",
          bytes,
        },
      );
    const { gate, sequences } = this.options;
    const made = await sequences.answer({ name: call.name, idempotency_key: call.key });
    if (made !== undefined) return this.madeBySequence(tool, call, made);
    const closed = gate.closed();
    if (closed !== undefined) await closed;
    const tried = sequences.madeAlone();
    try {
      const answer = await this.makeCall(tool, call, bytes, tried);
      this.room.note(bytes + (answer.ok ? jsonBytes(answer.value) : 0));
      // Without the signature that may come with it.
      return answer.ok ? ok(answer.value) : { ok: false, fail: answer.fail };
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof NotConfigured) return notConfigured(error);
      return toolCallFailure(call.name, error);
    }
  }

  private madeBySequence(tool: ToolSpec, call: KeyedCall, { began, at, answer }: MadeCall): Result<Json> {
    const { chain } = this.options;
    chain.tickAt(began);
    this.noteCall(tool, call);
    chain.tickAt(at);
    this.room.note(jsonBytes(call.args) + jsonBytes(answer as unknown as Json));
    return answer;
  }

  private async makeCall(
    tool: ToolSpec,
    call: KeyedCall,
    bytes: number,
    tried: Tries | undefined,
  ): Promise<Result<Json>> {
    const { gate, chain, cost } = this.options;
    const due = gate.due(call);
    const situation = {
      parallel: call.parallel === true,
      approved: call.approval !== undefined,
      late: due !== undefined && due <= Date.now(),
      blocked: false,
      tried: tried !== undefined,
    };
    const input = callInput(call, tool, this.options);
    this.noteCall(tool, call);
    let tries = tried;
    if (planCall(tool, situation) === "side_by_side") {
      const made = await this.makeSideBySide(tool, input, due, bytes);
      if (made.answer !== undefined) {
        chain.tick();
        return made.answer;
      }
      if (made.attempts !== undefined) tries = { attempts: made.attempts, ...defined({ after_ms: made.after_ms }) };
    }
    cost.answered();
    const plan = (blocked: boolean) => planCall(tool, { ...situation, blocked, tried: true });
    const answer = await this.makeAlone(tool, call, input, tries, plan);
    if (plan(false) !== "local") chain.tick();
    return answer;
  }

  private async makeAlone(
    tool: ToolSpec,
    call: KeyedCall,
    input: CallToolInput,
    tries: Tries | undefined,
    plan: (blocked: boolean) => CallPlan,
  ): Promise<Result<Json>> {
    const { gate, chain, carrier, local } = this.options;
    const summary = `${call.task === undefined ? `turn ${call.turn}` : `task ${call.task}`}: ${call.name}`;
    const wait_ms = tries === undefined ? 0 : (tries.after_ms ?? delayAfter(attemptPolicy(tool), tries.attempts));
    const alone = { ...input, ...defined({ attempts_before: tries?.attempts }) };
    const make = (blocked: boolean): Promise<Result<Json>> => {
      if (plan(blocked) === "local") return local(() => localCalls(tool, summary).callTool(alone));
      const head = defined({ ledger_head: chain.headToSign() });
      return toolCalls(tool, summary, tries?.attempts).callTool({ ...alone, ...head }, ...carrier.forCall());
    };
    return gate.served(gate.due(call), {
      call: async (blocked) => {
        if (wait_ms !== 0 && !blocked) await sleep(wait_ms);
        return make(blocked);
      },
      untilServed: async (limit) => {
        const blocked = () => blockedToolCalls(tool, summary).callTool({ ...alone, blocked_ms: limit });
        // An irreversible call that has begun is not repeated.
        return tool.effect === "irreversible" ? { value: await blocked() } : unlessItFails(blocked);
      },
    });
  }

  private makeSideBySide(
    tool: ToolSpec,
    { owner: _, ...input }: CallToolInput,
    due: number | undefined,
    bytes: number,
  ): Promise<MadeSideBySide> {
    const left_ms = due === undefined ? undefined : due - Date.now();
    return this.options.sideBySide.make(tool, { ...input, ...defined({ left_ms }) }, bytes);
  }

  /** A call with an effect begins: the next event has its link. */
  private noteCall(tool: ToolSpec, { name, args, key, turn, effect, approval }: KeyedCall): void {
    if (effect === undefined) return;
    this.options.chain.effect({
      key,
      tool: name,
      effect: effect.kind,
      state: "intended",
      args,
      turn,
      ...(tool.approval ? { approval: true } : {}),
      ...defined({ by: effect.by, deed: effect.deed, review: approval?.review }),
    });
  }

  /** A child workflow, named by its place: `<parent>/<tool>/<turn>.<call>`. It ends with its parent. */
  async runAgent(call: ToolCall, input: AgentInput): Promise<AgentEnd> {
    const workflowId = toolRunId(workflowInfo().workflowId, call, this.invocation);
    const given: AgentRunInput = {
      ...input,
      on_waiting: "return",
      tree_calls: this.treeCalls,
      ...this.owned,
      ...(this.options.payer === undefined ? {} : { budget_root: this.options.payer.root }),
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
    this.options.cost.answered();
    const name = input.agent.name ?? call.name;
    const summary = `turn ${call.turn}, tool ${call.name}: agent ${name}`;
    const { pause } = this.options;
    pause.begins(workflowId);
    const ended = await runAgentChild({ workflowId, name, summary }, given);
    pause.ended(workflowId);
    this.options.payer?.childEnded(workflowId);
    this.options.chain.tick();
    if (ended.step.ok && ended.step.value.ledger) this.options.chain.child(workflowId, ended.step.value.ledger);
    if (ended.step.ok) {
      this.treeCalls += modelCallsOf(ended.step.value);
      this.options.used.add(usageOfStep(ended.step.value));
    }
    return ended;
  }

  /** A tool that no worker has any more cannot say, and neither can one that fails. */
  async lookUpEffect(call: KeyedCall): Promise<EffectLookup> {
    const tool = this.options.tools.get(call.name);
    if (!tool) return { state: "unknown" };
    const input = callInput(call, tool, this.options);
    const closed = this.options.gate.closed();
    if (closed !== undefined) await closed;
    this.options.cost.answered();
    try {
      const found = await lookUpCalls(tool, `look up ${call.name}`).lookUpEffect(input);
      return found.ok ? found.value : { state: "unknown", message: found.fail.message };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { state: "unknown", message: rootCause(error).message };
    }
  }

  async undoEffect(step: UndoStep, because: string): Promise<Result<Json>> {
    const closed = this.options.gate.closed();
    if (closed !== undefined) await closed;
    this.options.cost.answered();
    const { blocked, agent, owner } = this.options;
    return undoOnWorker(blocked, step, { agent, owner, because });
  }

  async claimEffect(
    guard: string,
    claim: Omit<GuardClaim, "workflow_id">,
    deadline_ms: number | undefined,
  ): Promise<Result<GuardAnswer>> {
    const due = await this.options.gate.opened(deadline_ms);
    const input = { guard, claim: { ...claim, workflow_id: workflowInfo().workflowId }, ...this.owned };
    this.options.cost.answered();
    try {
      return await beforeDue(due, () => claimCalls(`claim ${claim.tool}`).claimEffect(input));
    } catch (error) {
      if (isCancellation(error)) throw error;
      return failed("tool_error", `the effect could not be claimed: ${rootCause(error).message}`, { tool: claim.tool });
    }
  }

  /** A guard that does not hear of it learns it from the history of this run. */
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

  async settle(held: string, used: Partial<Amount>): Promise<void> {
    await this.options.payer?.settle(held, used);
  }

  async prices(models: readonly string[]): Promise<Result<Prices>> {
    const unknown = models.filter((model) => !Object.hasOwn(this.known, model));
    if (unknown.length === 0) return ok(this.known);
    try {
      const found = await this.options.blocked.served({
        call: () => this.options.local(() => priceCalls().priceModels(unknown)),
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
    if (this.options.gate.isClosed || this.room.isUsed(0)) return undefined;
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
    return this.options.sequences.stood ?? this.options.gate.standstill();
  }

  closed(): Promise<void> | undefined {
    // The run reads the answers of calls that were made.
    return this.options.sequences.isOpen ? undefined : this.options.gate.closed();
  }

  /** A worker that does not have the tool cannot say: then the version of the agent's spec counts. */
  toolVersion(spec: ToolSpec, parallel = false): Promise<string> {
    return this.options
      .local(() => versionCalls(spec, parallel).describeTools([spec.name]))
      .then((found) => toolVersion(found.ok ? (found.value[0] as ToolSpec) : spec))
      .catch((error: unknown) => {
        if (isCancellation(error)) throw error;
        return toolVersion(spec);
      });
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
    this.mustContinueAsNew = this.room.isUsed(underWay);
    return this.mustContinueAsNew || this.options.pause.isOn;
  }

  stepped(steps: number): void {
    this.options.sequences.programEnded();
    this.options.cost.stepped(steps);
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
