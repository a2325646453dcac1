import { ActivityFailure, TimeoutFailure } from "@temporalio/common";
import { condition, isCancellation, patched, workflowInfo } from "@temporalio/workflow";
import { completed } from "../../core/agent/definition/definition";
import type { StretchStart } from "../../core/agent/run/host";
import type { AgentState } from "../../core/agent/run/run";
import { isSameCall } from "../../core/agent/stretch/stretch-host";
import { inputForStretch, stateForStretch, stretchTools } from "../../core/agent/stretch/stretch-input";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import type { CallToolInput } from "../../core/calls/activities";
import {
  STRETCH_BYTES,
  type StretchCall,
  type StretchInput,
  type StretchJournal,
  type StretchResult,
} from "../../core/calls/stretch";
import { stretchCalls } from "../activity-calls";
import type { AgentRunInput } from "../agent-run-input";
import type { ChangeCarrier } from "../chain/change-carrier";
import type { RunChain } from "../chain/run-chain";
import type { ReplayCost } from "../history-limits";

/** The parts of a run that its stretches use. */
export interface StretchOptions {
  input: AgentRunInput;
  carrier: ChangeCarrier;
  chain: RunChain | null;
  cost: ReplayCost;
  /** How long the run has been blocked and paused so far, ms. */
  stoodStill(): { blocked_ms: number; paused_ms: number };
}

/**
 * The stretches of a run (engine reference, section 16): an activity makes calls ahead, and the run's own program, which
 * goes on behind it, is given their answers as it asks for them.
 */
export class Stretches {
  private readonly tools: ReadonlySet<string>;
  /** Those with which one begins. A read is a local activity, which is as fast and writes no state. */
  private readonly beginning: ReadonlySet<string>;
  /** The answers that the program has not asked for yet. */
  private answers: StretchCall[] = [];
  private isRunning = false;
  /** While there are answers: the time of the run, and how long it had stood still. */
  private clock = 0;
  private stood = { blocked_ms: 0, paused_ms: 0 };
  /** Calls in a row that could have been made in one. */
  private inRow = 0;
  /** No other one is begun: in this program, or in this run. */
  private isOff = false;
  private isOffForRun = false;
  /** The call at which a stretch ended is made by itself. */
  private isNextAlone = false;
  private attempts: number | undefined;

  constructor(private readonly options: StretchOptions) {
    const agent = completed(options.input.agent);
    this.tools = stretchTools(agent);
    const specs = callableSpecs(agent);
    this.beginning = new Set([...this.tools].filter((name) => specs.get(name)?.effect !== "read"));
  }

  /** Answers are being waited for or given: nothing from outside may change the run meanwhile. */
  get isOpen(): boolean {
    return this.isRunning || this.answers.length > 0;
  }

  get hasAnswers(): boolean {
    return this.answers.length > 0;
  }

  /** What the run is given has to wait until the answers are given. */
  async closed(): Promise<void> {
    if (this.isOpen) await condition(() => !this.isOpen);
  }

  /** Workflow time. */
  now(): number {
    return this.answers.length > 0 ? this.clock : Date.now();
  }

  /** How long the run had stood still when the stretch began; undefined: there is none. */
  get stoodStill(): { blocked_ms: number; paused_ms: number } | undefined {
    return this.isOpen ? this.stood : undefined;
  }

  /**
   * Has a call and those that follow it made ahead. A call that may be the only one of its program is made by itself: a stretch
   * costs the state of the run in the history.
   */
  begin({ tool, turn, several }: StretchStart, state: () => AgentState): Promise<void> | undefined {
    if (this.isOpen || this.isOff || this.isOffForRun) return undefined;
    if (this.isNextAlone) return undefined;
    this.inRow = this.tools.has(tool) ? this.inRow + 1 : 0;
    if (!this.beginning.has(tool)) return undefined;
    if (this.inRow < (several ? 1 : 2)) return undefined;
    const input = this.inputWith(state());
    if (isTooLarge(jsonBytes(input as unknown as Json))) {
      this.isOffForRun = true;
      return undefined;
    }
    const head = defined({ ledger_head: this.options.chain?.headToSign() });
    return this.run({ ...input, ...head }, turn);
  }

  /** @throws Error if it has not asked for all that a stretch has made: see `take` */
  programEnded(): void {
    const [left] = this.answers;
    if (left !== undefined)
      throw new Error(
        `The stretch made ${left.input.name} (${left.input.idempotency_key}), and the program did not ask for it.`,
      );
    this.inRow = 0;
    this.isOff = false;
    this.isNextAlone = false;
  }

  /**
   * The answer of a call, if it was made ahead.
   *
   * @throws Error if the program asks for another call. It fails the workflow task, not the run: that is how a change of code
   * shows that the run cannot be replayed with.
   */
  take(asked: CallToolInput): StretchCall | undefined {
    const next = this.answers.shift();
    if (next === undefined) return undefined;
    if (!isSameCall(next.input, asked))
      throw new Error(
        `The stretch made ${next.input.name} (${next.input.idempotency_key}), and the program asks for ${asked.name} (${asked.idempotency_key}).`,
      );
    this.clock = next.at;
    return next;
  }

  /** A call is made by itself. @returns how often it was tried in the stretch before it; undefined: never */
  madeAlone(): number | undefined {
    const { attempts } = this;
    this.isNextAlone = false;
    this.attempts = undefined;
    return attempts;
  }

  private inputWith(state: AgentState): StretchInput {
    const { input } = this.options;
    const { carried: _, ...given } = input;
    this.stood = this.options.stoodStill();
    return {
      run: inputForStretch(given),
      state: stateForStretch(state),
      mission: workflowInfo().workflowId,
      agent: input.agent.name ?? null,
      now: Date.now(),
      ...this.stood,
      ...defined({ owner: input.owner }),
    };
  }

  private async run(input: StretchInput, turn: number): Promise<void> {
    const { carrier, chain, cost } = this.options;
    this.clock = input.now;
    this.isRunning = true;
    cost.answered();
    try {
      const { stretch, end, attempts } = await this.made(input, turn, carrier.forCall());
      this.answers = [...stretch];
      // One that was at its limit goes on at once.
      this.inRow = end === "limit" ? 1 : 0;
      this.isNextAlone = end !== "limit";
      // What it could not make here it will not make for the next calls either.
      if (end === "stopped" || (end === "other" && stretch.length === 0)) this.isOff = true;
      if (end === "off") this.isOffForRun = true;
      this.attempts = attempts;
      chain?.tick();
    } finally {
      this.isRunning = false;
    }
  }

  /** What it has made, also if it failed. */
  private async made(
    input: StretchInput,
    turn: number,
    changes: ReturnType<ChangeCarrier["forCall"]>,
  ): Promise<StretchResult> {
    try {
      return await stretchCalls(`turn ${turn}: a stretch of calls`).runStretch(input, ...changes);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { stretch: keptBy(error), end: "stopped" };
    }
  }
}

/**
 * Whether a run is too large for stretches. A marker keeps it: a later version may write the same state in more or fewer bytes, and a
 * replay must go the same way.
 */
const isTooLarge = (bytes: number): boolean =>
  workflowInfo().unsafe.isReplaying ? patched(TOO_LARGE) : bytes > STRETCH_BYTES && patched(TOO_LARGE);

const TOO_LARGE = "too-large-for-stretches";

/** What a stretch that timed out has kept in its heartbeat. */
function keptBy(error: unknown): StretchCall[] {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const kept = cause instanceof TimeoutFailure ? (cause.lastHeartbeatDetails as StretchJournal | undefined) : undefined;
  return kept?.stretch ?? [];
}
