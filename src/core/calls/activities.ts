import type { Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { ToldCall } from "../effects/call-entry";
import type { ChainEnd, StepLedger } from "../effects/chain/head";
import type { GuardAnswer, GuardClaim } from "../effects/effect-guard";
import type { EffectFacts } from "../effects/entry";
import type { PackedLedger } from "../effects/packed-ledger";
import type { UndoRest, UndoStep } from "../effects/undo-plan";
import type { Definition } from "../graph/definition/schema";
import type { JournalChanges } from "../journal/changes";
import type { SealedApproval } from "../review/approval";
import type { Decision } from "../review/decision-input";
import type { DeliveryPlan } from "../review/delivery";
import type { DeliverInput, Notification } from "../review/notification";
import type { Verification } from "../review/verification";
import type { BatchInput, BatchResult } from "./batch";
import type { EffectLookup, Message, ModelReply, ModelRequest, Price } from "./host";
import type { Owner } from "./owner";
import type { StretchInput, StretchResult, TurnStretchInput, TurnStretchResult } from "./stretch";
import type { ToolSpec } from "./tool";

/**
 * The activities as types: workflows call them by these names, `src/activities` implements them, and neither imports
 * the other.
 *
 * `journal`, where a call has it, is for readers of the history: what the run has recorded since its last event. The
 * activity itself does not use it.
 */
export interface NavigatorActivities {
  /**
   * One model turn. Resolves with the reply; throws an ApplicationFailure whose `type` is the error class
   * (`rate_limit`, `server_error`, `timeout`, `client_error`, `auth_error`, `config_error`, `malformed_response`,
   * `llm_not_found`, `script_exhausted`, `listener_not_found`, `unknown`).
   */
  callModel(input: CallModelInput, journal?: JournalChanges): Promise<SignedReply>;
  /**
   * One model turn, and calls of the program in the reply as a stretch (engine reference, section 16). It throws what `callModel`
   * throws, and for a call only infrastructure.
   */
  runTurn(input: RunTurnInput, journal?: JournalChanges): Promise<TurnReply>;
  /**
   * One tool call. What the tool itself answers or throws comes back as a Result; only infrastructure throws. A call whose
   * approval does not hold is not made: `seal_broken`, `approval_expired`, `approval_revoked`, `unverified_decision`.
   */
  callTool(input: CallToolInput, journal?: JournalChanges): Promise<SignedAnswer>;
  /** Calls of a program that follow each other, as one activity (engine reference, section 16). Only infrastructure throws. */
  runStretch(input: StretchInput, journal?: JournalChanges): Promise<StretchResult>;
  /** Calls of one tool that were asked for at the same moment (engine reference, section 17). Only infrastructure throws. */
  callTools(input: BatchInput, journal?: JournalChanges): Promise<BatchResult>;
  /**
   * Whether the effect of a call has happened, for a call whose outcome is lost: asks the tool, which must not act.
   * What it cannot say, and any error of it, is `unknown`; only infrastructure throws.
   */
  lookUpEffect(input: CallToolInput): Promise<Result<EffectLookup>>;
  /** Takes the effect of a call back. What the tool answers or throws comes back as for `callTool`. */
  undoEffect(input: UndoEffectInput): Promise<Result<Json>>;
  /**
   * Asks the guard of an effect that all missions share whether this run may make it. While another run makes it, it
   * throws a failure of type `effect_held`, so that Temporal asks again.
   */
  claimEffect(input: ClaimEffectInput): Promise<Result<GuardAnswer>>;
  /** The specs of registered tools by name, for agents that were started with names only. */
  describeTools(names: string[]): Promise<Result<ToolSpec[]>>;
  /** The prices of these models; null = unknown. */
  priceModels(names: string[]): Promise<{ [model: string]: Price | null }>;
  /** Signs where the chain of the workflow that asks has ended for good; null twice: this worker has no key. */
  signLedgerHead(end: ChainEnd): Promise<Pick<StepLedger, "kid" | "signature">>;
  /** Who made each of these decisions, as far as the people of the worker's project can tell. No bad signature throws. */
  verifyDecisions(decisions: Decision[]): Promise<Verification[]>;
  /** To whom a notification goes, and how: nothing is sent. It writes the notification to the worker's log. */
  planDeliveries(input: Notification): Promise<DeliveryPlan>;
  /** Sends one message to one recipient. A failure of type `delivery_refused` is final: no retry helps. */
  deliver(input: DeliverInput): Promise<void>;
  /** The newest version of a loaded definition; null = none of this id. */
  findDefinition(id: string): Promise<{ definition: Definition; version: number } | null>;
  /**
   * The end of an agent's run: its Step, or why it has none; null = it was cancelled. While the run goes on it throws a
   * failure of type `agent_running`, so that Temporal asks again.
   */
  findAgentEnd(workflowId: string): Promise<Result<Json> | null>;
  /** What would be undone of a mission now, from the histories of all its runs. */
  planUndo(input: UndoPlanInput): Promise<Result<PlannedUndo>>;
  /** The steps with these keys, in their order, as far as they can still be undone; and the runs that go on. */
  findUndoSteps(input: { mission: string; keys: string[] }): Promise<FoundUndoSteps>;
  /** The effects of an agent's run that ended without a Step, and of the agents below it, from their histories. */
  findEffects(run: LostRun): Promise<PackedLedger>;
}

export interface UndoPlanInput {
  /** The workflow id of the mission. */
  mission: string;
  /** Only what was done after this record. */
  to?: string;
}

/** The plan of an undo without the arguments and answers of its steps. */
export interface PlannedUndo {
  digest: string;
  /** Of the steps, in their order. */
  keys: string[];
  remaining: UndoRest[];
}

export interface FoundUndoSteps {
  steps: UndoStep[];
  /** The workflow ids of the runs of the mission that go on: they hear what is undone. */
  running: string[];
}

/** A run that ended without a Step, and the mission that it belonged to. */
export interface LostRun {
  workflow_id: string;
  mission: string;
}

/** A reply, with the worker's signature of the `ledger_head` of its request. */
export interface SignedReply extends ModelReply {
  ledger_signature?: string;
}

/** The same with what was made behind it; absent: nothing was, because the worker did not know the run. */
export interface TurnReply extends SignedReply {
  ahead?: TurnStretchResult;
}

/**
 * What a call gave, with the worker's signature of the `ledger_head` that came with it. A local activity with an effect has the
 * call beside it, for readers of the history: its input is no event.
 */
export type SignedAnswer = Result<Json> & { ledger_signature?: string; call?: ToldCall };

/** One model call, as the activity gets it. */
export interface CallModelInput extends Omit<ModelRequest, "system" | "messages" | "deadline_ms" | "retry"> {
  /** The activity ends its attempts early: another model is waiting. */
  retry?: "brief";
  /** Name of the agent, for scripts and logs. */
  agent: string | null;
  /** 1-based number of this model call in the whole run (re-invocations included). */
  call: number;
  /** The same, counted over the run and the agents it runs as tools. */
  tree_call?: number;
  conversation: ConversationDelta;
  /** The end of the run's chain, to be signed by the worker. */
  ledger_head?: ChainEnd;
  /** As for a tool. */
  blocked_ms?: number;
  /** As for a tool. */
  owner?: Owner;
}

/** A model call, and what its activity needs to make calls of the program in the reply. */
export interface RunTurnInput extends CallModelInput {
  stretch: TurnStretchInput;
}

/** One tool call, as the activity gets it. */
export interface CallToolInput {
  name: string;
  args: JsonObject;
  /** The same on every attempt (`core/effects/effect-key.ts`). */
  idempotency_key: string;
  agent: string | null;
  task: string | null;
  turn: number;
  /** For a call with an effect: for readers of the history. */
  effect?: EffectFacts;
  /** As for a model call. */
  ledger_head?: ChainEnd;
  /** For a call that people approved: it is made only if this holds. */
  approval?: SealedApproval;
  /**
   * The run is blocked because of this call: Temporal tries it until a worker can make it, for so many milliseconds. Any
   * other failure of it is final.
   */
  blocked_ms?: number;
  /** Attempts of the call in a stretch that ended with it, or in a batch; absent = none. */
  attempts_before?: number;
  /** Absent: the run belongs to nobody, or ends with its parent. */
  owner?: Owner;
}

/** A call whose effect is taken back. */
export interface UndoEffectInput extends CallToolInput {
  /** What the call answered. */
  result: Json;
  /** Of the undo itself, the same on every attempt: `<key of the call>~undo`. */
  idempotency_key: string;
  /** The idempotency key of the call. */
  call_key: string;
  /** What of the mission asked for it, for readers of the history. */
  because?: string;
}

/** A run asks whether it may make an effect. */
export interface ClaimEffectInput {
  /** The workflow id of the effect's guard. */
  guard: string;
  claim: GuardClaim;
  /** As for a tool. */
  owner?: Owner;
}

/** All that a model is sent: the system prompt and the messages. */
export interface Conversation {
  system: string;
  messages: Message[];
}

/**
 * The new part of the conversation since the last model call (engine reference, section 13). History grows only by new
 * text; a worker that does not hold version `base` asks the workflow's `conversation` query for the whole.
 */
export interface ConversationDelta {
  /** Identifies the conversation across workers: `<workflow id>/<run id>`. */
  key: string;
  /** Version this delta builds on; 0 = the empty conversation. */
  base: number;
  version: number;
  /** Keep the first `keep` characters of the previous system prompt, then append `add`. */
  system: { keep: number; add: string };
  /** Keep the first `keep` messages, then append `add`. */
  messages: { keep: number; add: Message[] };
}
