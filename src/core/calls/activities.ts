import type { Result } from "../base/failure";
import type { Json, JsonObject } from "../base/json";
import type { ChainEnd, StepLedger } from "../effects/chain/head";
import type { GuardAnswer, GuardClaim } from "../effects/effect-guard";
import type { EffectFacts } from "../effects/entry";
import type { PackedLedger } from "../effects/packed-ledger";
import type { UndoRest, UndoStep } from "../effects/undo/undo-plan";
import type { Definition } from "../graph/definition/schema";
import type { JournalChanges } from "../journal/changes";
import type { SealedApproval } from "../review/approval";
import type { Decision } from "../review/decision-input";
import type { DeliveryPlan } from "../review/delivery";
import type { DeliverInput, Notification } from "../review/notification";
import type { DecisionMoment } from "../review/policy/signing-time";
import type { Verification } from "../review/verification";
import type { EffectLookup, Price } from "./host";
import type { Owner } from "./owner";
import type { CallsJournal, RunCallsInput, RunCallsResult } from "./run-calls";
import type { ToolCallSettings, ToolSpec } from "./tool";

/**
 * The activities as types: workflows call them by these names, `src/activities` implements them, and neither imports
 * the other.
 *
 * `journal`, where a call has it, is for readers of the history: what the run has recorded since its last event. The
 * activity itself does not use it.
 */
export interface NavigatorActivities {
  /**
   * No or one model call, and calls of tools (engine reference, section 16). A model that fails throws an ApplicationFailure whose
   * `type` is the error class (`rate_limit`, `server_error`, `timeout`, `client_error`, `auth_error`, `config_error`,
   * `malformed_response`, `llm_not_found`, `script_exhausted`, `listener_not_found`, `unknown`). The answers and errors of tools
   * are values; besides, only infrastructure throws.
   */
  runCalls(input: RunCallsInput, journal?: JournalChanges): Promise<RunCallsResult>;
  /** Reads the heartbeat details of the activity `runCalls` with this `n`; null: the workflow has none. */
  readKeptCalls(n: number): Promise<CallsJournal | null>;
  /**
   * One tool call. The answer or error of the tool comes back as a Result; only infrastructure throws. A call whose
   * approval is not valid is not made: `seal_broken`, `approval_expired`, `approval_revoked`, `unverified_decision`. Nor is one whose
   * mission does not know how strict the tool is now: `tool_changed`, with the present `spec`.
   */
  callTool(input: CallToolInput, journal?: JournalChanges): Promise<SignedAnswer>;
  /**
   * Whether the effect of a call has happened, for a call whose outcome is lost: asks the tool, which must not act. If
   * the tool does not know, or fails, the answer is `unknown`; only infrastructure throws.
   */
  lookUpEffect(input: CallToolInput): Promise<Result<EffectLookup>>;
  /** Undoes the effect of a call. The answer or error of the tool comes back as for `callTool`. */
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
  /**
   * Who made each of these decisions, as far as the people of the worker's project prove it. No bad signature throws.
   *
   * @param moment absent: a workflow of an earlier version asks
   */
  verifyDecisions(decisions: Decision[], moment?: DecisionMoment): Promise<Verification[]>;
  /** The recipients and channels of a notification: nothing is sent. It writes the notification to the worker's log. */
  planDeliveries(input: Notification): Promise<DeliveryPlan>;
  /** Sends one message to one recipient. A failure of type `delivery_refused` is final: no retry helps. */
  deliver(input: DeliverInput): Promise<void>;
  /** The newest version of a loaded definition; null = none of this id. */
  findDefinition(id: string): Promise<{ definition: Definition; version: number } | null>;
  /**
   * The end of an agent's run: its Step, or why it has none; null = it was cancelled. While the run continues it throws
   * a failure of type `agent_running`, so that Temporal asks again.
   */
  findAgentEnd(workflowId: string): Promise<Result<Json> | null>;
  /** Plans the undo of a mission as it would be now, from the histories of all its runs. */
  planUndo(input: UndoPlanInput): Promise<Result<PlannedUndo>>;
  /**
   * The steps with these keys, in their order, as far as they can still be undone; and the runs that have not ended.
   */
  findUndoSteps(input: { mission: string; keys: string[] }): Promise<FoundUndoSteps>;
  /** The effects of an agent's run that ended without a Step, and of the agents below it, from their histories. */
  findEffects(run: LostRun): Promise<PackedLedger>;
}

interface UndoPlanInput {
  /** The workflow id of the mission. */
  mission: string;
  /** Only what was done after this record. */
  to?: string;
}

/** The plan of an undo without the arguments and answers of its steps. */
interface PlannedUndo {
  digest: string;
  /** The keys of the steps, in their order. */
  keys: string[];
  remaining: UndoRest[];
}

interface FoundUndoSteps {
  steps: UndoStep[];
  /** The workflow ids of the open runs of the mission: they receive the undone keys. */
  running: string[];
}

/** A run that ended without a Step, and the mission that it belonged to. */
interface LostRun {
  workflow_id: string;
  mission: string;
}

/** The answer of a call, with the worker's signature of the `ledger_head` of its request. */
export type SignedAnswer = Result<Json> & { ledger_signature?: string };

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
  /** The mission knows the tool as one that only reads. */
  reads?: true;
  /** The end of the run's chain, to be signed by the worker. */
  ledger_head?: ChainEnd;
  /** For a call that people approved: it is made only if this is valid. */
  approval?: SealedApproval;
  /**
   * The run is blocked because of this call: Temporal tries it until a worker can make it, for so many milliseconds. Any
   * other failure of it is final.
   */
  blocked_ms?: number;
  /** Attempts of the call in an activity that it shared with others; absent = none. */
  attempts_before?: number;
  /** Absent: the run belongs to nobody, or ends with its parent. */
  owner?: Owner;
  /** The settings of the tool as the agent has them, which its activity follows. */
  settings?: ToolCallSettings;
}

/** A call whose effect is taken back. */
export interface UndoEffectInput extends CallToolInput {
  /** The answer of the call. */
  result: Json;
  /** The key of the undo itself, the same on every attempt: `<key of the call>~undo`. */
  idempotency_key: string;
  /** The idempotency key of the call. */
  call_key: string;
  /** The part of the mission that asked for it, for readers of the history. */
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
