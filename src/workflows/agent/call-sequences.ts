import { ActivityFailure } from "@temporalio/common";
import { CancellationScope, isCancellation, workflowInfo } from "@temporalio/workflow";
import type { SequenceStart } from "../../core/agent/run/host";
import type { AgentState } from "../../core/agent/run/run";
import {
  advanceSequence,
  clockOf,
  contradictedCalls,
  hasActivity,
  isOtherReply,
  isSequenceOpen,
  mayBeginSequence,
  mayFollowReply,
  NO_SEQUENCE,
  type SequenceEvent,
  type SequenceResult,
  type Standstill,
  type Tries,
} from "../../core/agent/sequence/call-sequence";
import { isSameCall } from "../../core/agent/sequence/sequence-host";
import { sharedTools } from "../../core/agent/sequence/sequence-input";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { defined } from "../../core/base/defined";
import type { CallToolInput } from "../../core/calls/activities";
import type { CallsJournal, MadeCall, ModelReplied, RunCallsInput, RunCallsResult } from "../../core/calls/run-calls";
import type { ToolSpec } from "../../core/calls/tool";
import { keptCalls, programCalls } from "../activity-calls";
import type { AgentRunInput } from "../agent-run-input";
import type { PendingChanges } from "../chain/pending-changes";
import { lastHeartbeatOf, lostWorker, wasReturned } from "../failures";
import type { CallParts } from "./call-parts";
import { Contradiction } from "./contradiction";
import { isTooLargeToShare, SequenceSnapshot } from "./sequence-snapshot";

/** The input of an activity without its model and its turn. */
export type CallsPlace = Omit<RunCallsInput, "turn">;

/** Schedules `runCalls` with a model. @param alone no call is made after the reply: Temporal repeats it after a lost worker */
type AskModel = (input: CallsPlace, alone: boolean) => Promise<RunCallsResult>;

/** A message that an activity has reported, as the run reads it. */
type Reported = Pick<CallsJournal, "made"> & Partial<ModelReplied>;

/**
 * Runs the call sequences of a run (engine reference, section 16): an activity makes calls, and the run's own program reads their
 * answers as it asks for them. `core/agent/sequence/call-sequence.ts` decides what happens next.
 */
export class CallSequences {
  private at = NO_SEQUENCE;
  private readonly tools: Map<string, ToolSpec>;
  /** The tools that begin a sequence. A read is a local activity, which is as fast and writes no state. */
  private readonly beginning: Set<string>;
  /** The activity, until it is over. */
  private running: Promise<void> | undefined;
  private wake: (reply?: ModelReplied) => void = () => {};
  private scope: CancellationScope | undefined;
  /** The reply that was reported. */
  private reply: ModelReplied | undefined;
  /** The calls that were reported, until their activity ends. */
  private early: readonly MadeCall[] = [];
  /** Why nothing that an activity of this run has reported can be trusted. */
  readonly contradiction = new Contradiction();
  /** The program is over, and the activity that makes its calls is not. */
  private isUnfinished = false;
  /** Changes of the run that wait until it may change. */
  private readonly deferred: (() => void)[] = [];
  private isReading = false;
  private readonly snapshot: SequenceSnapshot;

  constructor(
    input: AgentRunInput,
    private readonly parts: CallParts,
  ) {
    const { agent } = input;
    this.snapshot = new SequenceSnapshot(input);
    this.tools = new Map(sharedTools(agent));
    const specs = callableSpecs(agent);
    this.beginning = new Set([...this.tools.keys()].filter((name) => specs.get(name)?.effect !== "read"));
  }

  /** Calls of the tool begin no activity with others any more. */
  toolChanged({ name }: ToolSpec): void {
    this.tools.delete(name);
    this.beginning.delete(name);
  }

  /** Answers wait or are waited for: nothing from outside may change the run. */
  get isOpen(): boolean {
    return isSequenceOpen(this.at);
  }

  /** Time of the program, ms since 1970. */
  now(): number {
    return clockOf(this.at) ?? Date.now();
  }

  /** The standstill of the run as its program sees it; undefined: the present one. */
  get stood(): Standstill | undefined {
    return this.isOpen ? this.at.stood : undefined;
  }

  /** The run as it asked its model last; undefined: no worker got it. */
  get asked(): SequenceSnapshot["asked"] {
    return this.snapshot.asked;
  }

  /** The run waits for people: it does not keep its snapshot during that time. */
  forget(): void {
    this.snapshot.forget();
  }

  /** Changes the run, after the program has read the answers: the activity's program ran without the change. */
  whenClosed<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (!this.isOpen) return work();
    // A model takes its time. The change is made before the reply, and the activity makes no call after it.
    if (this.at.phase === "asking") this.stop();
    return new Promise((resolve, reject) => {
      this.deferred.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** The run is paused: the activity begins no other call. */
  stop(): void {
    if (this.running === undefined || this.at.isStopping) return;
    this.advance({ type: "stopping" });
    this.scope?.cancel();
  }

  /** @throws Error if the program has not asked for all calls that were made: see `answer` */
  programEnded(): void {
    if (this.running !== undefined) {
      // Its result shows whether it has contradicted itself.
      this.isUnfinished = true;
      return;
    }
    const [left] = this.at.answers;
    if (left !== undefined) throw endsWithout(left);
    this.advance({ type: "program_ended" });
    this.release();
  }

  /** After a turn. undefined: the program and its activity are over. @throws Error as for `programEnded` */
  untilOver(): Promise<void> | undefined {
    if (!this.isUnfinished) return undefined;
    return (this.running ?? Promise.resolve()).then(() => {
      throw endsWithout(this.at.answers[0]);
    });
  }

  /**
   * The answer of a call, if an activity makes or has made it; undefined: the run makes it.
   *
   * @throws Error if an activity has made another call. It fails the workflow task, not the run: that is how a change of code shows that
   * the run cannot be replayed with
   */
  async answer(asked: Pick<CallToolInput, "name" | "idempotency_key">): Promise<MadeCall | undefined> {
    if (!this.isOpen) this.release();
    const [next] = this.at.answers;
    // The activity may contradict what it has reported: its result shows it.
    if (next !== undefined && !isSameCall(next, asked)) await this.running;
    const made = this.take(asked);
    if (made !== undefined || this.running === undefined) return made;
    this.advance({ type: "awaited" });
    this.release();
    await this.running;
    return this.take(asked);
  }

  private take(asked: Pick<CallToolInput, "name" | "idempotency_key">): MadeCall | undefined {
    const [next] = this.at.answers;
    if (next === undefined) return undefined;
    if (!isSameCall(next, asked))
      throw new Error(
        `Nondeterminism: an activity called ${next.input?.name} (${next.input?.idempotency_key}), and the program asks for ${asked.name} (${asked.idempotency_key}). Deploy the code that started this run.`,
      );
    this.advance({ type: "taken" });
    return next;
  }

  /** The number of an activity that the run schedules for other calls. */
  number(): number {
    this.advance({ type: "numbered" });
    return this.at.n;
  }

  /** The run makes a call alone. @returns how it was tried before; undefined: it was not */
  madeAlone(): Tries | undefined {
    const { tried } = this.at;
    this.advance({ type: "made_alone" });
    return tried;
  }

  /**
   * The activity asks the run to read what its heartbeat keeps, while a call takes long. Anybody can send this signal, so it only makes the
   * run look: nothing in it counts.
   *
   * @returns whether the signal can be read
   */
  reported(n: unknown): boolean {
    if (typeof n !== "number") return false;
    const { phase } = this.at;
    const isCurrent = (phase === "asking" || phase === "running") && n === this.at.n;
    if (isCurrent && !this.isReading) {
      this.isReading = true;
      void this.read(n);
    }
    return true;
  }

  private async read(n: number): Promise<void> {
    try {
      const kept = await this.parts.local(() => keptCalls().readKeptCalls(n));
      const { phase } = this.at;
      const isCurrent = n === this.at.n && (phase === "asking" || phase === "running");
      if (kept?.reported === true && isCurrent) this.takeReport(kept);
    } catch (error) {
      // The run reads the answers when the activity ends.
      if (!isCancellation(error)) return;
    } finally {
      this.isReading = false;
    }
  }

  private takeReport({ made, reply, replied_at }: Reported): void {
    this.early = made;
    if (this.at.phase !== "asking") {
      this.advance({ type: "reported", made });
      return this.wake();
    }
    if (reply === undefined || replied_at === undefined) {
      this.advance({ type: "only_asks" });
      return this.release();
    }
    this.reply = { reply, replied_at };
    this.advance({ type: "reported", made, replied_at });
    this.wake(this.reply);
  }

  /** Has a call and those that follow it made by an activity, where that pays. Resolves when there are answers. */
  begin({ tool, turn, several }: SequenceStart, state: () => AgentState): Promise<void> | undefined {
    this.advance({ type: "asked", may: this.tools.has(tool) });
    if (!this.beginning.has(tool) || !mayBeginSequence(this.at, { several })) return undefined;
    const before = state();
    const run = this.snapshot.whole(before);
    const n = this.at.n + 1;
    const stood = this.parts.gate.standstill();
    const left_ms = before.deadline_ms === null ? undefined : before.deadline_ms - Date.now();
    const input = { ...this.place(n, stood), ...defined({ left_ms }), run };
    if (isTooLargeToShare(input)) {
      this.advance({ type: "too_large" });
      return undefined;
    }
    const { unanswered } = this.at;
    const kept: CallsJournal | undefined =
      unanswered === undefined ? undefined : { activity: "", n, made: [], under_way: { ...unanswered, n: 1 } };
    this.parts.cost.answered();
    this.advance({ type: "began", now: input.now, stood, asks: false });
    const reported = new Promise<void>((resolve) => {
      this.wake = () => resolve();
    });
    const head = defined({ ledger_head: this.parts.chain.headToSign(), kept });
    this.running = this.untilEnd({ ...input, ...head, turn });
    // After a report its error reaches the call that waits for it.
    this.running.catch(() => {});
    return Promise.race([this.running, reported]);
  }

  /**
   * Asks the model of a turn, and has calls of the program in the reply made where it is asked. When it resolves, their answers are
   * there as far as they are known.
   *
   * @param state of the run that asks; undefined: its calls are not made there
   * @param due when the mission's time is over; the caller cancels the call then
   */
  async askModel(
    state: (() => AgentState) | undefined,
    due: number | undefined,
    ask: AskModel,
  ): Promise<RunCallsResult> {
    if (state === undefined || this.beginning.size === 0 || !mayFollowReply(this.at))
      return askAlone({ ...this.place(this.number(), this.parts.gate.standstill()), ...leftUntil(due) }, ask);
    const n = this.at.n + 1;
    const stood = this.parts.gate.standstill();
    const input = { ...this.place(n, stood), ...leftUntil(due), ...defined({ run: this.snapshot.delta(n, state()) }) };
    this.advance({ type: "began", now: input.now, stood, asks: true });
    const reported = new Promise<ModelReplied | undefined>((resolve) => {
      this.wake = resolve;
    });
    const replied = this.replied(input, ask);
    this.running = this.untilTurnEnds(replied);
    const over = this.running.then(() => replied);
    // After a report its error reaches the call that waits for it.
    over.catch(() => {});
    return Promise.race([
      over,
      reported.then((report) => (report === undefined ? over : { ...report, made: [], end: "other" as const })),
    ]);
  }

  private async untilEnd(input: RunCallsInput): Promise<void> {
    const { pendingChanges, chain } = this.parts;
    try {
      const { isWhole, ...result } = await this.made(input, pendingChanges.forCall());
      const differ = contradictedCalls(this.early, result.made, isWhole === true);
      if (differ.length > 0) await this.contradiction.stop(differ);
      this.ended(result);
      chain.advanceClock();
    } finally {
      this.over();
    }
  }

  private async untilTurnEnds(replied: Promise<Ended<RunCallsResult>>): Promise<void> {
    try {
      const { made, end, under_way, open, replied_at, reply, isWhole } = await replied;
      const isOther = this.reply !== undefined && isOtherReply(this.reply, defined({ reply }));
      const differ = isOther ? [...this.early, ...made] : contradictedCalls(this.early, made, isWhole === true);
      if (isOther || differ.length > 0) await this.contradiction.stop(differ);
      // Without it no program ran after the reply.
      if (replied_at !== undefined) this.ended({ made, end, ...defined({ under_way, open }) }, replied_at);
    } finally {
      this.reply = undefined;
      this.over();
    }
  }

  private ended(result: SequenceResult, replied_at?: number): void {
    this.advance({ type: "ended", result, ...defined({ replied_at }) });
  }

  private over(): void {
    this.running = undefined;
    this.early = [];
    // It failed: the program makes its call alone, or is cancelled.
    if (hasActivity(this.at)) this.advance({ type: "ended", result: null });
    if (!this.isOpen) this.release();
  }

  /** The reply and the calls that were made after it, also if the activity was lost. */
  private async replied(input: CallsPlace, ask: AskModel): Promise<Ended<RunCallsResult>> {
    this.scope = new CancellationScope();
    const { scope } = this;
    let kept: CallsJournal | undefined;
    for (let losses = 1; ; losses++) {
      try {
        return { ...(await scope.run(() => ask({ ...input, ...defined({ kept }) }, false))), isWhole: true };
      } catch (error) {
        const lost = lostWorker<CallsJournal>(error);
        if (isFurther(lost?.kept, kept)) losses = 1;
        kept = lost?.kept ?? kept;
        if (lost !== undefined && !scope.consideredCancelled && losses <= LOST_WORKERS) continue;
        if (isCancellation(error) && !this.at.isStopping) throw error;
        const { made = [], under_way } = kept ?? {};
        const { reply, replied_at }: Partial<ModelReplied> = this.reply ?? kept ?? {};
        if (reply !== undefined && replied_at !== undefined)
          return { reply, replied_at, made, end: "stopped", ...defined({ under_way }) };
        const isAlone = lost !== undefined || isCancellation(error) || isUntried(error);
        if (!isAlone || (scope.consideredCancelled && !this.at.isStopping)) throw error;
        // Nothing was made: the model is asked alone, by an activity that Temporal repeats, more and more rarely.
        this.advance({ type: "only_asks" });
        this.release();
        const { run: _, ...alone } = input;
        const { replied_at: __, ...answer } = await askAlone(alone, ask);
        return answer;
      }
    }
  }

  /** The calls that the activity has made, also if it failed. */
  private async made(
    input: RunCallsInput,
    changes: ReturnType<PendingChanges["forCall"]>,
  ): Promise<Ended<SequenceResult>> {
    this.scope = new CancellationScope();
    const { scope } = this;
    try {
      const calls = programCalls(`turn ${input.turn}: calls of the program`, input.left_ms);
      return { ...(await scope.run(() => calls.runCalls(input, ...changes))), isWhole: true };
    } catch (error) {
      const { isStopping } = this.at;
      if (isCancellation(error) && !isStopping) throw error;
      const isOver = scope.consideredCancelled && !isStopping;
      const lost = lostWorker<CallsJournal>(error);
      const { made = [], under_way } = lost?.kept ?? lastHeartbeatOf<CallsJournal>(error) ?? input.kept ?? {};
      return {
        ...{ made, end: "stopped" },
        ...(lost === undefined || isOver ? {} : { isLost: true }),
        ...defined({ under_way }),
      };
    }
  }

  private place(n: number, { paused_ms }: Standstill): CallsPlace {
    const { agent, owner } = this.parts;
    return { n, mission: workflowInfo().workflowId, agent, now: Date.now(), paused_ms, ...defined({ owner }) };
  }

  private advance(event: SequenceEvent): void {
    this.at = advanceSequence(this.at, event);
  }

  /** At once, and not in a later promise: the program may be over before that one. */
  private release(): void {
    for (const work of this.deferred.splice(0)) work();
  }
}

/** The calls of an activity that has ended, as far as the run knows. `isWhole`: the activity has returned them. */
type Ended<T> = T & { isWhole?: true };

/** It fails the workflow task, not the run: as for `answer`. */
const endsWithout = (left: MadeCall | undefined): Error =>
  new Error(
    `Nondeterminism: an activity called ${left?.input?.name ?? "a tool"} (${left?.input?.idempotency_key ?? "under way"}), and the program ends without this call. Deploy the code that started this run.`,
  );

/** Asks a model, and makes no call. A worker that starts again returns the activities of its killed predecessor: they are repeated here. */
async function askAlone(input: CallsPlace, ask: AskModel): Promise<RunCallsResult> {
  for (let losses = 1; ; losses++) {
    try {
      return await ask(input, true);
    } catch (error) {
      if (losses > LOST_WORKERS || !wasReturned(error)) throw error;
    }
  }
}

const leftUntil = (due: number | undefined): { left_ms?: number } =>
  due === undefined ? {} : { left_ms: due - Date.now() };

/** A provider failed, and Temporal makes no other attempt of an activity that is being cancelled. */
const isUntried = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.retryState === "CANCEL_REQUESTED";

/** Workers that may be lost without anything new: then the run makes the calls alone. */
const LOST_WORKERS = 3;

/** Whether calls were made since. */
const isFurther = (kept: CallsJournal | undefined, before: CallsJournal | undefined): boolean =>
  kept !== undefined &&
  (kept.made.length !== before?.made.length || kept.under_way?.attempts !== before.under_way?.attempts);
