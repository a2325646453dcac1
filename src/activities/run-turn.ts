import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { defined } from "../core/base/defined";
import type { NavigatorActivities, RunTurnInput, TurnReply } from "../core/calls/activities";
import { GIVEN_UP } from "../core/calls/host";
import type { AskingRun, TurnStretchResult } from "../core/calls/stretch";
import type { StretchJournal, StretchReply } from "../core/journal/stretch";
import { innerCall } from "../node/telemetry/inner-calls";
import { AttemptClock } from "./attempt-clock";
import { askModel, type ModelWorker } from "./call-model";
import { HeartbeatJournal } from "./heartbeat-journal";
import { asWorkflowSees, unlessAborted } from "./inner-attempt";
import { isEnded, makeStretch, reportStretch, type StretchTools } from "./run-stretch";

/**
 * A model call that goes on with calls of the program in the reply, as a stretch. Reply and answers are kept before each call. If the
 * worker is lost, the run has them from the last heartbeat, and the next activity asks the model no more.
 */
export const runTurn =
  (worker: ModelWorker, tools: StretchTools): NavigatorActivities["runTurn"] =>
  async (input) => {
    const attempt = new TurnAttempt(worker, tools, input);
    try {
      return await attempt.make();
    } catch (error) {
      const { context } = attempt;
      if (context.cancellationSignal.aborted) await context.cancelled;
      throw error;
    } finally {
      attempt.journal.close();
    }
  };

/** The clock of a worker may be a little ahead. */
const MOMENT_MS = 100;

class TurnAttempt {
  readonly context = Context.current();
  readonly journal: HeartbeatJournal<StretchJournal>;
  private readonly clock = new AttemptClock(this.context.info);
  /** The run as it asked; undefined: this worker does not know it. */
  private run: AskingRun | undefined;
  private hasReplied: boolean;
  private hasToldHeld = false;

  constructor(
    private readonly worker: ModelWorker,
    private readonly tools: StretchTools,
    private readonly input: RunTurnInput,
  ) {
    this.journal = HeartbeatJournal.open<StretchJournal>({
      endsAtOnce: () => this.endsAtOnce(),
      // A model may take long, and until it has replied nothing is kept: then the SDK sends the heartbeats.
      isHandedOver: true,
      kept: input.stretch.kept,
    });
    const { kept } = this.journal;
    // Also while this worker still asks for the run: what was kept is given back.
    this.hasReplied = kept !== undefined && hasReply(kept);
  }

  async make(): Promise<TurnReply> {
    const { kept } = this.journal;
    const said = kept !== undefined && hasReply(kept) ? await this.saidBefore(kept) : await this.asked();
    this.hasReplied = true;
    await this.journal.takeBack();
    return { ...said.reply, ...defined({ ahead: await this.ahead(said) }) };
  }

  private async asked(): Promise<StretchReply> {
    const { context, input, journal, worker } = this;
    const held = async () => {
      const { conversation, run } = await this.known();
      this.run = run;
      return conversation;
    };
    const limit = this.timeLimit();
    const signal = AbortSignal.any([journal.signal, limit.signal]);
    try {
      const reply = await innerCall("model", async () => {
        // The run waits for its activity, and not for a provider that does not hear of the abort.
        const answer = await unlessAborted(signal, askModel(worker, input, { context, signal, held }));
        return asWorkflowSees({ ...answer, model: answer.model ?? input.model });
      });
      return { reply, replied_at: this.clock.now(input.stretch.now) };
    } finally {
      limit.release();
    }
  }

  /** Aborted a moment after the time of the mission is over: the run has cancelled the activity by then, which hears of it later. */
  private timeLimit(): { signal: AbortSignal; release: () => void } {
    const { left_ms = Number.POSITIVE_INFINITY, now } = this.input.stretch;
    const limit = new AbortController();
    const left = left_ms - (this.clock.now(now) - now);
    // An activity ends before that, and a timer knows no longer times.
    if (left > this.context.info.startToCloseTimeoutMs) return { signal: limit.signal, release: () => {} };
    const late = () =>
      limit.abort(ApplicationFailure.nonRetryable("the time of the mission is over", GIVEN_UP.fail.reason));
    const timer = setTimeout(late, Math.max(0, left) + MOMENT_MS);
    return { signal: limit.signal, release: () => clearTimeout(timer) };
  }

  /** An attempt before has asked. What it kept is given back also where the run cannot be known. */
  private async saidBefore({ reply, replied_at }: StretchReply): Promise<StretchReply> {
    this.run = await this.known().then(
      ({ run }) => run,
      () => undefined,
    );
    return { reply, replied_at };
  }

  private async known() {
    const { conversation, stretch } = this.input;
    const { conversations } = this.worker;
    if (stretch.run === undefined) return { conversation: await conversations.conversation(conversation) };
    const { run, ...found } = await conversations.withRun(conversation, stretch.n, stretch.run);
    return { ...found, ...defined({ run: run?.snapshot }) };
  }

  /** It throws nothing: the reply was paid for, and of an attempt that fails Temporal gives nothing to the run. */
  private async ahead(said: StretchReply): Promise<TurnStretchResult | undefined> {
    const { run, journal, clock } = this;
    const { replied_at } = said;
    if (run === undefined) return this.keptAhead(replied_at);
    try {
      const given = { ...this.input.stretch, ...run, now: replied_at };
      return { ...(await makeStretch(given, this.tools, { journal, clock, said })), replied_at };
    } catch (error) {
      // The run goes on by itself behind what was made, and meets the error where it can be seen.
      this.context.log.warn("no_calls_ahead", { error });
      return this.keptAhead(replied_at);
    }
  }

  /** What was made so far; undefined: no call was begun. */
  private keptAhead(replied_at: number): TurnStretchResult | undefined {
    const { stretch = [], under_way } = this.journal.last ?? {};
    if (stretch.length === 0 && under_way === undefined) return undefined;
    return { stretch, end: "stopped", replied_at, ...defined({ under_way }) };
  }

  /** Whether a cancellation ends it. One that does not is of a run that makes the calls behind the reply itself. */
  private async endsAtOnce(): Promise<boolean> {
    const { context, input } = this;
    const atOnce = await isEnded(context);
    if (atOnce || this.hasReplied || this.hasToldHeld) return atOnce;
    // What waits in the run need not wait for the model.
    await reportStretch(context, { n: input.stretch.n, stretch: [] });
    this.hasToldHeld = true;
    return false;
  }
}

const hasReply = (kept: StretchJournal): kept is StretchJournal & StretchReply =>
  kept.reply !== undefined && kept.replied_at !== undefined;
