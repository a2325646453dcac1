import { CancellationScope, isCancellation, patched, workflowInfo } from "@temporalio/workflow";
import { completed } from "../../core/agent/definition/definition";
import type { StretchStart } from "../../core/agent/run/host";
import type { AgentState } from "../../core/agent/run/run";
import { isSameCall } from "../../core/agent/stretch/stretch-host";
import { inputForStretch, stateForStretch, stretchTools } from "../../core/agent/stretch/stretch-input";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { STRETCH_BYTES, type StretchInput, type StretchResult } from "../../core/calls/stretch";
import type { CallInStretch, StretchCall, StretchJournal } from "../../core/journal/stretch";
import { stretchCalls } from "../activity-calls";
import type { AgentRunInput } from "../agent-run-input";
import type { ChangeCarrier } from "../chain/change-carrier";
import type { RunChain } from "../chain/run-chain";
import { lastHeartbeatOf } from "../failures";
import type { ReplayCost } from "../history-limits";

/** The parts of a run that its stretches use. */
export interface StretchOptions {
  /** With the format of the run. */
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
  /** The activity, until it is over. */
  private running: Promise<void> | undefined;
  /** How many of its answers it has reported; undefined: it has not reported yet. */
  private reported: number | undefined;
  private wake: () => void = () => {};
  /** The program has come to the call that is under way. */
  private isAwaited = false;
  /** What waits until the answers are given. */
  private readonly put: (() => void)[] = [];
  private count = 0;
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
  private again: Again | undefined;
  private scope: CancellationScope | undefined;
  /** The run was paused: the activity makes no further call. */
  private isHeld = false;

  constructor(private readonly options: StretchOptions) {
    const agent = completed(options.input.agent);
    this.tools = stretchTools(agent);
    const specs = callableSpecs(agent);
    this.beginning = new Set([...this.tools].filter((name) => specs.get(name)?.effect !== "read"));
  }

  /** Answers are being waited for or given: nothing from outside may change the run meanwhile. */
  get isOpen(): boolean {
    return this.answers.length > 0 || (this.running !== undefined && !this.isAwaited);
  }

  get hasAnswers(): boolean {
    return this.answers.length > 0;
  }

  /** The program asks for a call. @returns whether the answer may be there */
  asked(): boolean {
    if (!this.isOpen) this.closed();
    return this.hasAnswers;
  }

  /** What changes the run waits until the answers are given: the program of the stretch has begun without it. */
  whenClosed<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (!this.isOpen) return work();
    return new Promise((resolve, reject) => {
      this.put.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** At once, and not in a promise of its own: the program may be over before that one comes to it. */
  private closed(): void {
    for (const work of this.put.splice(0)) work();
  }

  /** Workflow time. */
  now(): number {
    return this.hasAnswers || (this.reported !== undefined && !this.isAwaited) ? this.clock : Date.now();
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
    if (this.isOpen || this.running !== undefined) return undefined;
    if (this.isOff || this.isOffForRun || this.isNextAlone) return undefined;
    this.inRow = this.tools.has(tool) ? this.inRow + 1 : 0;
    if (!this.beginning.has(tool)) return undefined;
    if (this.inRow < (several ? 1 : 2)) return undefined;
    const before = state();
    const input = this.inputWith(before);
    if (isTooLarge(jsonBytes(input as unknown as Json))) {
      this.isOffForRun = true;
      return undefined;
    }
    const head = defined({ ledger_head: this.options.chain?.headToSign() });
    const left_ms = before.deadline_ms === null ? undefined : before.deadline_ms - input.now;
    return this.run({ ...input, ...head }, { turn, left_ms });
  }

  /** @throws Error if it has not asked for all that a stretch has made: see `take` */
  programEnded(): void {
    if (this.running !== undefined) throw new Error("The stretch makes a call, and the program did not ask for it.");
    const [left] = this.answers;
    if (left !== undefined)
      throw new Error(
        `The stretch made ${left.input.name} (${left.input.idempotency_key}), and the program did not ask for it.`,
      );
    this.inRow = 0;
    this.isOff = false;
    this.isNextAlone = false;
    this.closed();
  }

  /**
   * The answer of a call, if it was made ahead.
   *
   * @throws Error if the program asks for another call. It fails the workflow task, not the run: that is how a change of code
   * shows that the run cannot be replayed with.
   */
  take(asked: Pick<CallInStretch, "name" | "idempotency_key">): StretchCall | undefined {
    const next = this.answers.shift();
    if (next === undefined) return undefined;
    if (!isSameCall(next.input, asked))
      throw new Error(
        `The stretch made ${next.input.name} (${next.input.idempotency_key}), and the program asks for ${asked.name} (${asked.idempotency_key}).`,
      );
    this.clock = next.at;
    return next;
  }

  /**
   * The program asks for the call that a stretch has under way: from now on the run may change. Resolves when the stretch is over;
   * `take` has the answer, if there is one. undefined: none is under way.
   */
  underWay(): Promise<void> | undefined {
    if (this.running === undefined) return undefined;
    this.isAwaited = true;
    this.closed();
    return this.running;
  }

  /** What the activity tells while a call takes long. A second time it says nothing new. @returns whether it can be read */
  report(said: unknown): boolean {
    if (!isObject(said) || typeof said.n !== "number" || !Array.isArray(said.stretch)) return false;
    if (this.running === undefined || this.reported !== undefined || said.n !== this.count) return true;
    this.given(said.stretch as unknown as StretchCall[]);
    this.reported = said.stretch.length;
    this.wake();
    return true;
  }

  /** A call is made by itself. @returns how it was tried in the stretch before it; undefined: it was not */
  madeAlone(): Again | undefined {
    const { again } = this;
    this.isNextAlone = false;
    this.again = undefined;
    return again;
  }

  /** The run is paused: what is under way ends, and nothing more begins. */
  hold(): void {
    if (this.running === undefined || this.isHeld) return;
    this.isHeld = true;
    this.scope?.cancel();
  }

  private inputWith(state: AgentState): StretchInput {
    const { input } = this.options;
    const { carried: _, ...given } = input;
    this.stood = this.options.stoodStill();
    this.count += 1;
    return {
      n: this.count,
      run: inputForStretch(given),
      state: stateForStretch(state),
      mission: workflowInfo().workflowId,
      agent: input.agent.name ?? null,
      now: Date.now(),
      ...this.stood,
      ...defined({ owner: input.owner }),
    };
  }

  /** Resolves when there are answers to give. */
  private run(input: StretchInput, at: Place): Promise<void> {
    this.clock = input.now;
    this.options.cost.answered();
    const reported = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.running = this.untilOver(input, at);
    // After a report its error reaches the call that waits for it.
    this.running.catch(() => {});
    return Promise.race([this.running, reported]);
  }

  private async untilOver(input: StretchInput, at: Place): Promise<void> {
    const { carrier, chain } = this.options;
    try {
      const { stretch, end, attempts, after_ms } = await this.made(input, at, carrier.forCall());
      this.given(stretch.slice(this.reported ?? 0));
      // One that was at its limit goes on at once.
      const goesOn = end === "limit" || (end === "stopped" && this.isHeld);
      this.inRow = goesOn ? 1 : 0;
      this.isNextAlone = !goesOn;
      // What it could not make here it will not make for the next calls either; and where calls take long, one by one costs less.
      const isIdle = end === "other" && stretch.length === 0;
      const isSlow = this.reported !== undefined && stretch.length < WORTH_A_REPORT;
      if ((end === "stopped" && !this.isHeld) || isIdle || isSlow) this.isOff = true;
      if (end === "off") this.isOffForRun = true;
      this.again = attempts === undefined ? undefined : { attempts, ...defined({ after_ms }) };
      chain?.tick();
    } finally {
      this.running = undefined;
      this.reported = undefined;
      this.isAwaited = false;
      this.isHeld = false;
      // It gave nothing: the program makes its call by itself, or is cancelled.
      if (!this.isOpen) this.closed();
    }
  }

  private given(answers: readonly StretchCall[]): void {
    this.answers = [...this.answers, ...answers];
  }

  /** What it has made, also if it failed. */
  private async made(
    input: StretchInput,
    { turn, left_ms }: Place,
    changes: ReturnType<ChangeCarrier["forCall"]>,
  ): Promise<StretchResult> {
    this.scope = new CancellationScope();
    try {
      const calls = stretchCalls(`turn ${turn}: a stretch of calls`, left_ms);
      return await this.scope.run(() => calls.runStretch(input, ...changes));
    } catch (error) {
      // Of one that was held while no worker had it Temporal tells nothing: what it had made is made again, with the same keys.
      if (isCancellation(error) && !this.isHeld) throw error;
      return { stretch: lastHeartbeatOf<StretchJournal>(error)?.stretch ?? [], end: "stopped" };
    }
  }
}

/** Where in its run a stretch begins, and how long the mission has time from then on, ms; undefined: it has no limit. */
interface Place {
  turn: number;
  left_ms: number | undefined;
}

/** How a call was tried that its run makes by itself. */
interface Again {
  attempts: number;
  /** When its tool wants to be asked again, ms. */
  after_ms?: number;
}

/** Calls of a stretch that has reported: a report costs as many events as a call. */
const WORTH_A_REPORT = 3;

/**
 * Whether a run is too large for stretches. A marker keeps it: a later version may write the same state in more or fewer bytes, and a
 * replay must go the same way.
 */
const isTooLarge = (bytes: number): boolean =>
  workflowInfo().unsafe.isReplaying ? patched(TOO_LARGE) : bytes > STRETCH_BYTES && patched(TOO_LARGE);

const TOO_LARGE = "too-large-for-stretches";
