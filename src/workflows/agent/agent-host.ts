import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  sleep,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import { type UsageMeter, usageOfReply } from "../../core/agent/budget/mission-usage";
import { usageOfStep } from "../../core/agent/budget/usage-of-step";
import { modelCallsOf } from "../../core/agent/result/step";
import { conversationDelta, EMPTY_CONVERSATION } from "../../core/agent/run/conversation";
import type { AgentEnd, AgentHost, StretchStart } from "../../core/agent/run/host";
import type { AgentInput, AgentState } from "../../core/agent/run/run";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { failed, ok, type Result } from "../../core/base/failure";
import { toolRunId } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { CallToolInput, Conversation, SignedAnswer, TurnReply } from "../../core/calls/activities";
import { batchSize } from "../../core/calls/batch";
import {
  type Amount,
  dueOf,
  type EffectLookup,
  GIVEN_UP,
  type KeyedCall,
  type ModelReply,
  type ModelRequest,
  type Price,
  type ToolCall,
} from "../../core/calls/host";
import type { Owner } from "../../core/calls/owner";
import type { ToolSpec } from "../../core/calls/tool";
import { attemptPolicy, delayAfter } from "../../core/calls/tool-attempts";
import { afterFailure, entryOfCall } from "../../core/effects/call-entry";
import type { GuardAnswer, GuardClaim, GuardSettle } from "../../core/effects/effect-guard";
import { toolVersion } from "../../core/effects/effect-id";
import { MAX_ARGS_CHARS } from "../../core/effects/entry";
import type { UndoStep } from "../../core/effects/undo-plan";
import type { FinalDecision, ReviewRequest } from "../../core/review/request";
import {
  blockedModelCalls,
  blockedToolCalls,
  claimCalls,
  lookUpCalls,
  modelCalls,
  priceCalls,
  runsLocally,
  toolCalls,
  turnCalls,
  untilServedCalls,
  versionCalls,
} from "../activity-calls";
import { runAgentChild } from "../agent-end";
import type { AgentRunInput } from "../agent-run-input";
import { type BlockedCalls, NotConfigured, notConfigured, type ServedCall, unlessItFails } from "../blocked-calls";
import type { ChangeCarrier } from "../chain/change-carrier";
import type { RunChain } from "../chain/run-chain";
import type { DecisionVerifier } from "../decision-verifier";
import { modelCallFailure, rootCause, toolCallFailure } from "../failures";
import { HistoryRoom, type ReplayCost } from "../history-limits";
import * as messages from "../messages";
import type { RequestedReviews } from "../reviews";
import type { RunPause } from "../run-pause";
import { undoOnWorker } from "../undo/undo-effect";
import type { Payer } from "./budget";
import type { CallBatches, MadeInBatch } from "./call-batches";
import type { AskModel, Stretches } from "./stretches";

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
  verifier: DecisionVerifier;
  blocked: BlockedCalls;
  pause: RunPause;
  stretches: Stretches;
  batches: CallBatches;
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
  /** An agent of the same mission has called this one as a tool. */
  isBelowAgent: boolean;
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
  /** How long local activities with effects took since the last activity, as their answers say: a replay counts the same. */
  private untold_ms = 0;
  /** Why a turn stopped in its middle: its history is long, and not only a person's pause. */
  mustContinueAsNew = false;

  constructor(private readonly options: WorkflowHostOptions) {
    this.room = new HistoryRoom(options.cost);
    this.calls = options.callsMade;
    this.treeCalls = options.treeCallsMade;
  }

  /** The conversation of the current model call, for a worker that does not have it in its cache. */
  conversation(): { version: number; conversation: Conversation; run?: Stretches["told"] } {
    return { version: this.version, conversation: this.sent, ...defined({ run: this.options.stretches.told }) };
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
    const { carrier, pause } = this.options;
    const before = pause.total_ms();
    if (pause.isOn) await pause.over();
    const due = deadline_ms === undefined ? undefined : deadline_ms + pause.total_ms() - before;
    this.sent = next;
    this.version = conversation.version;
    this.calls += 1;
    this.treeCalls += 1;
    this.untold_ms = 0;
    this.options.cost.answered();
    const tree = this.treeCalls === this.calls ? {} : { tree_call: this.treeCalls };
    const brief = retry === "brief" ? { retry } : {};
    const input = {
      ...rest,
      ...brief,
      agent: this.options.agent,
      call: this.calls,
      ...tree,
      ...this.owned,
      conversation,
      ...defined({ ledger_head: this.options.chain.headToSign() }),
    };
    try {
      const summary = `turn ${request.turn}: model`;
      const answer = await this.served<TurnReply>(due, {
        call: async (_, deadline) =>
          ok(
            await this.asked(deadline, (stretch) => {
              const changes = carrier.forCall();
              return stretch === undefined
                ? modelCalls(summary, retry).callModel(input, ...changes)
                : turnCalls(summary, retry).runTurn({ ...input, stretch }, ...changes);
            }),
          ),
        untilServed: (limit) =>
          unlessItFails(async () => ok(await blockedModelCalls(summary).callModel({ ...input, blocked_ms: limit }))),
      });
      this.options.chain.tick();
      if (!answer.ok) return answer;
      const { ledger_signature: _, ahead: __, ...reply } = answer.value;
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

  private async asked(due: number | undefined, ask: AskModel): Promise<TurnReply> {
    const { stretches } = this.options;
    if (this.asking === undefined || this.room.isUsed(0)) return ask();
    try {
      return await stretches.reply(this.asking, due, ask);
    } catch (error) {
      // An activity that is told to end may end in another way than by the cancellation.
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
    const ahead = this.answerAhead(call);
    if (ahead !== undefined) return ahead;
    const underWay = this.options.stretches.underWay();
    if (underWay !== undefined) {
      await underWay;
      const answer = this.answerAhead(call);
      if (answer !== undefined) return answer;
    }
    if (this.options.pause.isOn) await this.options.pause.over();
    const batches = batchSize(tool) === undefined ? undefined : this.batchesFor(call);
    if (batches === undefined) this.options.cost.answered();
    const place = call.task === undefined ? `turn ${call.turn}` : `task ${call.task}`;
    const again = this.options.stretches.madeAlone();
    try {
      const input = {
        name: call.name,
        args: call.args,
        idempotency_key: call.key,
        agent: this.options.agent,
        task: call.task ?? null,
        turn: call.turn,
        ...defined({ effect: call.effect, approval: call.approval }),
        ...this.owned,
      };
      const summary = `${place}: ${call.name}`;
      this.noteCall(tool, call);
      const throughServer = this.goesThroughServer(tool, call, bytes);
      const made = batches === undefined ? undefined : await this.madeInBatch(batches, tool, call, input, bytes);
      const tried = again ?? (made?.attempts === undefined ? undefined : { ...made, attempts: made.attempts });
      const wait_ms = tried === undefined ? 0 : (tried.after_ms ?? delayAfter(attemptPolicy(tool), tried.attempts));
      const alone = { ...input, ...defined({ attempts_before: tried?.attempts }) };
      const answer =
        made?.answer ??
        (await this.served(dueOf(this, call), {
          call: (isBlocked) => {
            const make = () => this.makeCall(tool, summary, alone, isBlocked || throughServer || isApart(tool, call));
            return wait_ms === 0 || isBlocked ? make() : sleep(wait_ms).then(make);
          },
          untilServed: async (limit) => {
            const blocked = () => blockedToolCalls(tool, summary).callTool({ ...alone, blocked_ms: limit });
            // What is irreversible is not called a second time after it began.
            return tool.effect === "irreversible" ? { value: await blocked() } : unlessItFails(blocked);
          },
        }));
      if (!runsLocally(tool) || throughServer) this.options.chain.tick();
      this.room.note(bytes + (answer.ok ? jsonBytes(answer.value) : 0));
      // Without the signature that may be beside it.
      return answer.ok ? ok(answer.value) : { ok: false, fail: answer.fail };
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof NotConfigured) return notConfigured(error);
      return toolCallFailure(call.name, error);
    }
  }

  /** The batches, for a call that is one of several and has time left. */
  private batchesFor(call: ToolCall): CallBatches | undefined {
    const due = dueOf(this, call);
    const isOne = call.parallel === true && call.approval === undefined && (due === undefined || due > Date.now());
    return isOne ? this.options.batches : undefined;
  }

  private async madeInBatch(
    batches: CallBatches,
    tool: ToolSpec,
    call: ToolCall,
    { owner: _, ...input }: CallToolInput,
    bytes: number,
  ): Promise<MadeInBatch> {
    const due = dueOf(this, call);
    const left_ms = due === undefined ? undefined : due - Date.now();
    const made = await batches.make(tool, { ...input, ...defined({ left_ms }) }, bytes);
    if (made.answer === undefined) this.options.cost.answered();
    return made;
  }

  isAhead(): boolean {
    return this.options.stretches.asked();
  }

  answerAhead(call: KeyedCall): Result<Json> | undefined {
    const { stretches, tools } = this.options;
    const tool = tools.get(call.name);
    if (tool === undefined) return undefined;
    const made = stretches.take({ name: call.name, idempotency_key: call.key });
    if (made === undefined) return undefined;
    this.options.chain.tickAt(made.began);
    this.noteCall(tool, call);
    this.options.chain.tickAt(made.at);
    this.room.note(jsonBytes(call.args) + jsonBytes(made.answer as unknown as Json));
    return made.answer;
  }

  /** A call with an effect begins: its link rides on it. */
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
    const input = {
      name: call.name,
      args: call.args,
      idempotency_key: call.key,
      agent: this.options.agent,
      task: call.task ?? null,
      turn: call.turn,
      ...this.owned,
    };
    if (this.options.pause.isOn) await this.options.pause.over();
    this.options.cost.answered();
    try {
      const found = await lookUpCalls(tool, `look up ${call.name}`).lookUpEffect(input);
      return found.ok ? found.value : { state: "unknown", message: found.fail.message };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { state: "unknown", message: rootCause(error).message };
    }
  }

  undoEffect(step: UndoStep, because: string): Promise<Result<Json>> {
    const { pause } = this.options;
    if (pause.isOn) return pause.over().then(() => this.undoEffect(step, because));
    this.options.cost.answered();
    const { blocked, agent, owner } = this.options;
    return undoOnWorker(blocked, step, { agent, owner, because });
  }

  async claimEffect(
    guard: string,
    claim: Omit<GuardClaim, "workflow_id">,
    deadline_ms: number | undefined,
  ): Promise<Result<GuardAnswer>> {
    const { pause } = this.options;
    const before = pause.total_ms();
    if (pause.isOn) await pause.over();
    const due = deadline_ms === undefined ? undefined : deadline_ms + pause.total_ms() - before;
    const input = { guard, claim: { ...claim, workflow_id: workflowInfo().workflowId }, ...this.owned };
    this.options.cost.answered();
    try {
      return await beforeDeadline(due, () => claimCalls(`claim ${claim.tool}`).claimEffect(input));
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
    return beforeDeadline(deadline_ms, () => payer.reserve(bound));
  }

  async settle(held: string, used: Partial<Amount>): Promise<void> {
    await this.options.payer?.settle(held, used);
  }

  async prices(models: readonly string[]): Promise<Result<Prices>> {
    const unknown = models.filter((model) => !Object.hasOwn(this.known, model));
    if (unknown.length === 0) return ok(this.known);
    try {
      const found = await this.options.blocked.served({
        call: () => this.duringLocalCall(() => priceCalls().priceModels(unknown)),
        untilServed: (limit) => unlessItFails(() => untilServedCalls("look up prices", limit).priceModels(unknown)),
      });
      return ok(Object.assign(this.known, found));
    } catch (error) {
      if (error instanceof NotConfigured) return notConfigured(error);
      throw error;
    }
  }

  /** @param never_local another worker is asked, or other calls are under way */
  private makeCall(tool: ToolSpec, summary: string, input: CallToolInput, never_local: boolean): Promise<SignedAnswer> {
    const { carrier, chain } = this.options;
    // Before an approved call its activity asks this run, which cannot answer during a local one.
    const isLocal = runsLocally(tool) && !never_local && input.approval === undefined;
    const calls = toolCalls(tool, summary, !isLocal, input.attempts_before);
    if (isLocal) {
      const made = this.duringLocalCall(() => calls.callTool(input));
      return input.effect === undefined ? made : this.toldLater(input, made);
    }
    this.untold_ms = 0;
    return calls.callTool({ ...input, ...defined({ ledger_head: chain.headToSign() }) }, ...carrier.forCall());
  }

  /** A local activity with an effect: what it did is in the history when its workflow task is over. */
  private async toldLater(input: CallToolInput, made: Promise<SignedAnswer>): Promise<SignedAnswer> {
    try {
      const answer = await made;
      this.untold_ms += LOCAL_CALL_MS + (answer.call?.took_ms ?? 0);
      return answer;
    } catch (error) {
      this.tellUnanswered(input, error);
      throw error;
    }
  }

  /** A local activity that has no answer leaves nothing of its call in the history: a change tells of it. */
  private tellUnanswered(input: CallToolInput, error: unknown): void {
    const entry = entryOfCall(input as unknown as Json);
    const cause = rootCause(error);
    // Nothing was done: another worker makes the call.
    const isMissing = cause instanceof ApplicationFailure && cause.type === "configuration_error";
    if (entry === undefined || isMissing) return;
    const failure = isCancellation(error) ? undefined : toolCallFailure(input.name, error);
    const became = failure?.ok === false ? afterFailure(failure.fail) : {};
    this.options.carrier.add({ effect: { ...entry, ...became } });
  }

  /**
   * A call of an idempotent tool that is an activity all the same: one beside others or that people approved; one with
   * arguments that a ledger does not keep; one behind others that took their time, so that messages are heard and the
   * history has what was done; and one of an agent that another one called. The key of that one depends on the place of
   * its agent, and after a run that was terminated the next agent has another place.
   */
  private goesThroughServer(tool: ToolSpec, { parallel, approval }: ToolCall, bytes: number): boolean {
    if (tool.effect !== "idempotent") return false;
    const isLong = bytes > MAX_ARGS_CHARS || this.untold_ms > MAX_UNTOLD_MS;
    return parallel === true || approval !== undefined || isLong || this.options.isBelowAgent;
  }

  /** A local activity. It waits while a worker finds out who decided: see `DecisionVerifier`. */
  private duringLocalCall<T>(call: () => Promise<T>): Promise<T> {
    const { carrier, verifier } = this.options;
    const begin = () => carrier.duringLocalCall(call);
    return verifier.isBusy ? condition(() => !verifier.isBusy).then(begin) : begin();
  }

  /**
   * A call before its deadline. While no worker can do it, the time of the run stands still. One that met a worker without
   * what it needs is not made again in a pause.
   */
  private served<T>(
    deadline_ms: number | undefined,
    {
      call,
      untilServed,
    }: Pick<ServedCall<Result<T>>, "untilServed"> & {
      /** @param deadline when this attempt is given up: the time that the run was blocked or paused is not the mission's */
      call(again: boolean, deadline: number | undefined): Promise<Result<T>>;
    },
  ): Promise<Result<T>> {
    const { blocked, pause } = this.options;
    const before = this.blockedMs();
    const deadline = () => (deadline_ms === undefined ? undefined : deadline_ms + this.blockedMs() - before);
    const made = (again: boolean) => {
      const due = deadline();
      return beforeDeadline(due, () => call(again, due));
    };
    return blocked.served({
      call: (again) => (again && pause.isOn ? pause.over().then(() => made(again)) : made(again)),
      untilServed,
    });
  }

  stretch(start: StretchStart, state: () => object): Promise<void> | undefined {
    const { stretches, pause } = this.options;
    // A run that shall continue as new does so before the next call.
    if (pause.isOn || this.room.isUsed(0)) return undefined;
    return stretches.begin(start, state as () => AgentState);
  }

  blockedMs(): number {
    const then = this.options.stretches.stoodStill;
    return then === undefined ? this.standsStill() : then.blocked_ms;
  }

  private standsStill(): number {
    return this.options.blocked.total_ms() + this.options.pause.total_ms();
  }

  held(): Promise<void> | undefined {
    const { pause, stretches } = this.options;
    // What was made ahead is taken note of.
    return pause.isOn && !stretches.isOpen ? pause.over() : undefined;
  }

  pausedMs(): number {
    return this.options.stretches.stoodStill?.paused_ms ?? this.options.pause.total_ms();
  }

  /** A worker that does not have the tool cannot say: then the version of the agent's spec counts. */
  toolVersion(spec: ToolSpec, parallel = false): Promise<string> {
    return this.duringLocalCall(() => versionCalls(spec, parallel).describeTools([spec.name]))
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
    if (this.options.stretches.isOpen) return false;
    this.mustContinueAsNew = this.room.isUsed(underWay);
    return this.mustContinueAsNew || this.options.pause.isOn;
  }

  stepped(steps: number): void {
    this.options.stretches.programEnded();
    this.options.cost.stepped(steps);
  }

  now(): number {
    return this.options.stretches.now();
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

/**
 * Races work against an absolute deadline in ms since 1970 (agent reference, section 18.4). Work that is given up is
 * cancelled: a running tool may have had its effect.
 */
async function beforeDeadline<T>(deadline_ms: number | undefined, work: () => Promise<Result<T>>): Promise<Result<T>> {
  if (deadline_ms === undefined) return work();
  const left = deadline_ms - Date.now();
  if (left <= 0) return GIVEN_UP;
  const scope = new CancellationScope({ cancellable: true, timeout: left });
  try {
    return await scope.run(work);
  } catch (error) {
    // A cancellation from elsewhere is passed on.
    if (isCancellation(error) && Date.now() >= deadline_ms) return GIVEN_UP;
    throw error;
  }
}

/**
 * Whether a read is no local activity because other calls may be under way. Temporal resolves local activities in the order in
 * which they end, and on a replay in the order in which they began: the calls that follow them would change places.
 */
const isApart = (tool: ToolSpec, { parallel, effect }: ToolCall): boolean =>
  parallel === true && effect === undefined && runsLocally(tool);

/** So long local activities with effects may follow each other, ms. */
const MAX_UNTOLD_MS = 1_000;
/** What Temporal and the run need for one, besides the tool. */
const LOCAL_CALL_MS = 5;
