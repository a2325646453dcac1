import { ActivityFailure } from "@temporalio/common";
import { CancellationScope, isCancellation, patched, workflowInfo } from "@temporalio/workflow";
import type { StretchStart } from "../../core/agent/run/host";
import type { AgentState } from "../../core/agent/run/run";
import { isSameCall } from "../../core/agent/stretch/stretch-host";
import { inputForStretch, stateForStretch, stateForTurn, stretchTools } from "../../core/agent/stretch/stretch-input";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { jsonBytes, utf8Bytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { applyJsonDelta, type JsonDelta, jsonDelta } from "../../core/base/json/json-delta";
import type { TurnReply } from "../../core/calls/activities";
import {
  type AskingRun,
  type RunDelta,
  SNAPSHOT_BYTES,
  STRETCH_BYTES,
  type StretchInput,
  type StretchResult,
  TURN_STRETCH_BYTES,
  type TurnStretchInput,
} from "../../core/calls/stretch";
import type {
  BegunCall,
  CallInStretch,
  StretchCall,
  StretchJournal,
  StretchReply,
  StretchReport,
} from "../../core/journal/stretch";
import { stretchCalls } from "../activity-calls";
import type { AgentRunInput } from "../agent-run-input";
import type { ChangeCarrier } from "../chain/change-carrier";
import type { RunChain } from "../chain/run-chain";
import { lastHeartbeatOf, lostWorker } from "../failures";
import type { ReplayCost } from "../history-limits";

/** Asks the model of a turn, with a stretch behind its reply or alone. */
export type AskModel = (ahead?: TurnStretchInput) => Promise<TurnReply>;

/** The parts of a run that its stretches use. */
export interface StretchOptions {
  input: AgentRunInput;
  carrier: ChangeCarrier;
  chain: RunChain;
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
  private wake: (reply?: StretchReply) => void = () => {};
  /** The program has come to the call that is under way. */
  private isAwaited = false;
  /** A model is asked, and its activity may make calls behind the reply. */
  private asks = false;
  /** The run as it was told with a model call, and the bytes of all that was told of it. */
  private lastTold: { n: number; snapshot: AskingRun; bytes: number } | undefined;
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
  /** The call that was under way when the worker of a stretch was lost. */
  private unanswered: BegunCall | undefined;
  private scope: CancellationScope | undefined;
  /** The activity was told to make no further call. */
  private isHeld = false;
  /** The reply that was reported. */
  private lastSaid: StretchReply | undefined;

  constructor(private readonly options: StretchOptions) {
    const { agent } = options.input;
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
    // A model takes its time. What comes meanwhile is heard before the reply, and no call is made behind it.
    if (this.asks) this.hold();
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
    const head = defined({ ledger_head: this.options.chain.headToSign() });
    const kept = this.unanswered === undefined ? {} : { kept: { stretch: [], under_way: this.unanswered } };
    this.unanswered = undefined;
    this.again = undefined;
    const left_ms = before.deadline_ms === null ? undefined : before.deadline_ms - input.now;
    return this.run({ ...input, ...head, ...kept }, { turn, left_ms });
  }

  /**
   * Asks the model of a turn, and has calls of the program in the reply made where it is asked (engine reference, section 16). When it
   * resolves there are their answers, as far as they are known.
   *
   * @param due when the mission's time is over; the caller cancels the call then
   * @param ask in its own way without a parameter
   */
  async reply(state: () => AgentState, due: number | undefined, ask: AskModel): Promise<TurnReply> {
    if (this.beginning.size === 0 || this.isOffForRun) return ask();
    if (this.isOpen || this.running !== undefined) return ask();
    this.inRow = 0;
    this.isOff = false;
    this.isNextAlone = false;
    this.again = undefined;
    this.unanswered = undefined;
    this.asks = true;
    const reported = new Promise<StretchReply | undefined>((resolve) => {
      this.wake = resolve;
    });
    const replied = this.replied(this.turnInput(state(), due), ask);
    this.running = this.untilTurnOver(replied);
    const over = this.running.then(() => replied);
    // After a report its error reaches the call that waits for it.
    over.catch(() => {});
    return Promise.race([over, reported.then((said) => (said === undefined ? over : said.reply))]);
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
    this.opened();
    return this.running;
  }

  /** What the activity tells while a call takes long. A second time it says nothing new. @returns whether it can be read */
  report(said: unknown): boolean {
    if (!isObject(said) || typeof said.n !== "number" || !Array.isArray(said.stretch)) return false;
    if (this.running === undefined || this.reported !== undefined || said.n !== this.count) return true;
    const { reply, replied_at, stretch } = said as unknown as StretchReport;
    if (!this.asks) this.said(stretch);
    else if (reply !== undefined && replied_at !== undefined) this.said(stretch, { reply, replied_at });
    // It was held, and makes no calls behind the reply: the run is as it was without a stretch.
    else this.opened();
    return true;
  }

  private said(stretch: readonly StretchCall[], said?: StretchReply): void {
    this.given(stretch);
    this.reported = stretch.length;
    this.lastSaid = said;
    this.asks = false;
    if (said !== undefined) this.clock = said.replied_at;
    this.wake(said);
  }

  private opened(): void {
    this.isAwaited = true;
    this.closed();
  }

  /** A call is made by itself. @returns how it was tried in the stretch before it; undefined: it was not */
  madeAlone(): Again | undefined {
    const { again } = this;
    this.isNextAlone = false;
    this.again = undefined;
    this.unanswered = undefined;
    return again;
  }

  /** The run is paused, or is told something while its model is asked: what is under way ends, and nothing more begins. */
  hold(): void {
    if (this.running === undefined || this.isHeld) return;
    this.isHeld = true;
    this.scope?.cancel();
  }

  private inputWith(state: AgentState): StretchInput {
    return { ...this.begun(), run: this.runInput(), state: stateForStretch(state) };
  }

  /** The run as it asked its model last; undefined: it is not told. */
  get told(): { n: number; snapshot: AskingRun } | undefined {
    return this.lastTold;
  }

  /** The run waits for people: what it has told is not kept meanwhile. */
  forget(): void {
    this.lastTold = undefined;
  }

  private runInput(): JsonObject {
    const { carried: _, ...given } = this.options.input;
    return inputForStretch(given);
  }

  private turnInput(state: AgentState, due: number | undefined): TurnStretchInput {
    const begun = this.begun();
    const left_ms = due === undefined ? undefined : due - begun.now;
    return { ...begun, ...defined({ run: this.tell(begun.n, state), left_ms }) };
  }

  /** undefined: it is too large. The history does not depend on it. */
  private tell(n: number, state: AgentState): RunDelta | undefined {
    const last = this.lastTold;
    const before = (last?.snapshot ?? {}) as unknown as Json;
    const run = last?.snapshot.run ?? this.runInput();
    const delta = jsonDelta(before, { run, state: stateForTurn(state) });
    // A copy: what the run changes later is compared with it.
    const text = delta === undefined ? "null" : JSON.stringify(delta);
    const bytes = utf8Bytes(text);
    const all = (last?.bytes ?? 0) + bytes;
    if (bytes > (last === undefined ? STRETCH_BYTES : TURN_STRETCH_BYTES) || all > SNAPSHOT_BYTES) return undefined;
    const told = delta === undefined ? undefined : (JSON.parse(text) as JsonDelta);
    this.lastTold = { n, snapshot: applyJsonDelta(before, told) as unknown as AskingRun, bytes: all };
    return { base: last?.n ?? 0, ...defined({ delta: told }) };
  }

  private begun(): Omit<StretchInput, "run" | "state"> {
    const { input } = this.options;
    this.stood = this.options.stoodStill();
    this.count += 1;
    return {
      n: this.count,
      mission: workflowInfo().workflowId,
      agent: input.agent.name ?? null,
      now: Date.now(),
      paused_ms: this.stood.paused_ms,
      ...defined({ owner: input.owner }),
    };
  }

  /** Resolves when there are answers to give. */
  private run(input: StretchInput, at: Place): Promise<void> {
    this.clock = input.now;
    this.options.cost.answered();
    const reported = new Promise<void>((resolve) => {
      this.wake = () => resolve();
    });
    this.running = this.untilOver(input, at);
    // After a report its error reaches the call that waits for it.
    this.running.catch(() => {});
    return Promise.race([this.running, reported]);
  }

  private async untilOver(input: StretchInput, at: Place): Promise<void> {
    const { carrier, chain } = this.options;
    try {
      const made = await this.made(input, at, carrier.forCall());
      this.ended(made);
      // What it could not make here it will not make for the next calls either.
      if (made.end === "other" && made.stretch.length === 0) this.isOff = true;
      chain.tick();
    } finally {
      this.over();
    }
  }

  private async untilTurnOver(replied: Promise<TurnReply>): Promise<void> {
    try {
      const { ahead } = await replied;
      if (ahead === undefined) return;
      if (this.reported === undefined) this.clock = ahead.replied_at;
      this.ended(ahead);
    } finally {
      this.asks = false;
      this.lastSaid = undefined;
      this.over();
    }
  }

  /** The answers are there, and the calls behind them are made so that it pays. */
  private ended(made: StretchResult & { isLost?: true }): void {
    const { stretch, end, attempts, after_ms, under_way } = made;
    this.given(stretch.slice(this.reported ?? 0));
    // Where calls take long, one by one costs less.
    const isSlow = this.reported !== undefined && stretch.length < WORTH_A_REPORT;
    if (made.isLost) return this.wasLost(under_way, isSlow);
    // One that was at its limit goes on at once.
    const goesOn = end === "limit" || (end === "stopped" && this.isHeld);
    this.inRow = goesOn ? 1 : 0;
    this.isNextAlone = !goesOn;
    if ((end === "stopped" && !this.isHeld) || isSlow) this.isOff = true;
    if (end === "off") this.isOffForRun = true;
    this.again = attempts === undefined ? this.tried(under_way) : { attempts, ...defined({ after_ms }) };
  }

  /** Behind what was made another one begins with the call that was under way. Without anything made, the call is made by itself. */
  private wasLost(under_way: BegunCall | undefined, isSlow: boolean): void {
    this.inRow = 1;
    this.isNextAlone = false;
    this.isOff ||= isSlow;
    this.unanswered = under_way;
    this.again = this.tried(under_way);
  }

  /** How often a call was begun that has no answer. Its tool did not ask for a wait. */
  private tried(under_way: BegunCall | undefined): Again | undefined {
    if (under_way === undefined) return undefined;
    return { attempts: under_way.attempts ?? 1, after_ms: 0 };
  }

  private over(): void {
    this.running = undefined;
    this.reported = undefined;
    this.isAwaited = false;
    this.isHeld = false;
    // It gave nothing: the program makes its call by itself, or is cancelled.
    if (!this.isOpen) this.closed();
  }

  /** The reply with what was made behind it, also if its activity was lost. */
  private async replied(input: TurnStretchInput, ask: AskModel): Promise<TurnReply> {
    this.scope = new CancellationScope();
    const { scope } = this;
    let kept: StretchJournal | undefined;
    for (let losses = 1; ; losses++) {
      try {
        return await scope.run(() => ask({ ...input, ...defined({ kept }) }));
      } catch (error) {
        const lost = lostWorker<StretchJournal>(error);
        if (isFurther(lost?.kept, kept)) losses = 1;
        kept = lost?.kept ?? kept;
        if (lost !== undefined && !scope.consideredCancelled && losses <= LOST_WORKERS) continue;
        if (isCancellation(error) && !this.isHeld) throw error;
        const { stretch = [], under_way } = kept ?? {};
        const { reply, replied_at }: Partial<StretchReply> = this.lastSaid ?? kept ?? {};
        if (reply !== undefined && replied_at !== undefined)
          return { ...reply, ahead: { stretch, end: "stopped", replied_at, ...defined({ under_way }) } };
        const isAlone = lost !== undefined || isCancellation(error) || isUntried(error);
        if (!isAlone || (scope.consideredCancelled && !this.isHeld)) throw error;
        // Nothing was made: the model is asked alone, by a call that Temporal makes again, more and more rarely.
        this.opened();
        return ask();
      }
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
  ): Promise<StretchResult & { isLost?: true }> {
    this.scope = new CancellationScope();
    try {
      const calls = stretchCalls(`turn ${turn}: a stretch of calls`, left_ms);
      return await this.scope.run(() => calls.runStretch(input, ...changes));
    } catch (error) {
      if (isCancellation(error) && !this.isHeld) throw error;
      const isOver = this.scope.consideredCancelled && !this.isHeld;
      const lost = lostWorker<StretchJournal>(error);
      const { stretch = [], under_way } = lost?.kept ?? lastHeartbeatOf<StretchJournal>(error) ?? input.kept ?? {};
      return {
        ...{ stretch, end: "stopped" },
        ...(lost === undefined || isOver ? {} : { isLost: true }),
        ...defined({ under_way }),
      };
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

/** A provider failed, and Temporal makes no other attempt of what is to be cancelled. */
const isUntried = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.retryState === "CANCEL_REQUESTED";

/** Workers that may be lost without anything new: then the run makes the calls by itself. */
const LOST_WORKERS = 3;

/** Whether something was made since. */
const isFurther = (kept: StretchJournal | undefined, before: StretchJournal | undefined): boolean =>
  kept !== undefined &&
  (kept.stretch.length !== before?.stretch.length || kept.under_way?.attempts !== before.under_way?.attempts);

/** Calls of a stretch that has reported: a report costs as many events as a call. */
const WORTH_A_REPORT = 3;

/**
 * Whether a run is too large for stretches. A marker keeps it: a later version may write the same state in more or fewer bytes, and a
 * replay must go the same way.
 */
const isTooLarge = (bytes: number): boolean =>
  workflowInfo().unsafe.isReplaying ? patched(TOO_LARGE) : bytes > STRETCH_BYTES && patched(TOO_LARGE);

const TOO_LARGE = "too-large-for-stretches";
