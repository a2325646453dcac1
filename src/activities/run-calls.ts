import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { runSequence } from "../core/agent/sequence/sequence-host";
import { jsonBytes } from "../core/base/bytes";
import { defined } from "../core/base/defined";
import type { Json } from "../core/base/json";
import { applyJsonDelta } from "../core/base/json/json-delta";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { NavigatorActivities } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { GIVEN_UP } from "../core/calls/host";
import type { CallModelInput } from "../core/calls/model-call";
import { ownActivityReason } from "../core/calls/own-activity";
import { changedTool } from "../core/calls/present-tool";
import {
  BATCH_ANSWER_BYTES,
  CALLS_REPORTED,
  type CallsJournal,
  type LeftCall,
  type ListedCall,
  type MadeCall,
  type ModelReplied,
  type RunAsAsked,
  type RunCallsInput,
  type RunCallsResult,
} from "../core/calls/run-calls";
import { innerCall } from "../node/telemetry/inner-calls";
import type { ToolRegistry } from "../tools";
import { AttemptClock } from "./attempt-clock";
import { asWorkflowSees, attemptSharedCall, SHARED_ATTEMPTS, unlessAborted } from "./attempt-shared-call";
import { askModel, type ModelWorker } from "./call-model";
import { toolOfCall } from "./call-tool";
import { untilReached } from "./heartbeat";
import { HeartbeatJournal } from "./heartbeat-journal";
import { endOfCall } from "./running-calls/end-of-call";
import { type RunningCalls, runningCallKey } from "./running-calls/running-calls";
import { SequenceCalls } from "./sequence-calls";
import { signatureOf } from "./sign-ledger-head";

/** The parts of a worker with which calls are made. */
export interface CallsWorker extends ModelWorker {
  tools: ToolRegistry;
  documents: ProjectDocuments | undefined;
  running: RunningCalls;
  /** `false`: programs do not run here, and each of their calls is alone. */
  sequences: boolean;
}

/**
 * Asks a model, or none, and makes calls: those of the program in their order, or listed calls side by side (engine reference, section
 * 16). The heartbeat keeps each answer. If the worker is lost, the run gives what was kept to the next activity.
 */
export const runCalls =
  (worker: CallsWorker): NavigatorActivities["runCalls"] =>
  async (input) => {
    // Before a call is made: nothing may fail after one has acted.
    const signature = await signatureOf(input.ledger_head, worker.sign);
    const attempt = new RunCallsAttempt(worker, input, signature);
    try {
      const result = await attempt.make();
      await attempt.untilReached();
      return { ...result, ...signature };
    } catch (error) {
      const { context } = attempt;
      if (context.cancellationSignal.aborted) await context.cancelled;
      throw error;
    } finally {
      attempt.close();
    }
  };

/** The clock of a worker may be a little fast. */
const MOMENT_MS = 100;
/** A result that comes so soon after the server has given the activity reaches it. */
const REACHED_MS = 1_000;
/** Most calls side by side have ended by then. Later the SDK sends the heartbeats, one within 2 s of each answer. */
const HANDED_OVER_MS = 4_000;

class RunCallsAttempt {
  readonly context = Context.current();
  private readonly journal: HeartbeatJournal<CallsJournal>;
  /** Aborted when its calls shall end. */
  private readonly ends: AbortSignal;
  private readonly clock = new AttemptClock(this.context.info);
  /** The run as it asked; undefined: this worker does not know it. */
  private run: RunAsAsked | undefined;
  private hasReplied: boolean;
  private hasGivenUpCalls = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly worker: CallsWorker,
    private readonly input: RunCallsInput,
    private readonly signature: { ledger_signature?: string },
  ) {
    const { calls, model, run, kept } = input;
    this.journal = HeartbeatJournal.open<CallsJournal>({
      ...(run === undefined ? {} : { endsAtOnce: () => this.endsAtOnce() }),
      // A model may take long, and nothing is kept before its reply: the SDK sends the heartbeats.
      isHandedOver: model !== undefined,
      kept,
    });
    const { journal } = this;
    this.ends = endOfCall(this.context, { signal: journal.signal, isGivenUp: () => journal.isGivenUp });
    // This worker returns what was kept, also while it still asks for the run.
    this.hasReplied = model === undefined || this.journal.kept?.reply !== undefined;
    if (calls !== undefined) this.timer = setTimeout(() => this.journal.handOver(), HANDED_OVER_MS);
  }

  close(): void {
    clearTimeout(this.timer);
    this.journal.close();
  }

  /** The SDK would give up a result that it cannot send. */
  async untilReached(): Promise<void> {
    if (this.clock.elapsed() > REACHED_MS && !this.journal.isStopped)
      await untilReached(this.context, this.journal.last);
  }

  async make(): Promise<RunCallsResult> {
    const { calls, model, run, now } = this.input;
    if (calls !== undefined) return this.sideBySide(calls);
    if (model === undefined) {
      this.run = applyJsonDelta({}, run?.delta) as unknown as RunAsAsked;
      return this.program(now);
    }
    const { kept } = this.journal;
    const replied = hasReply(kept) ? await this.repliedBefore(kept) : await this.asked(model);
    this.hasReplied = true;
    if (run === undefined) return { reply: replied.reply, made: [], end: "other" };
    await this.journal.takeBack();
    return this.afterReply(replied);
  }

  // --- the model ---------------------------------------------------------------------------------------------------

  private async asked(model: CallModelInput): Promise<ModelReplied> {
    const { context, input, journal, worker } = this;
    const conversation = async () => {
      const known = await this.known(model);
      this.run = known.run;
      return known.conversation;
    };
    const limit = this.timeLimit();
    const signal = AbortSignal.any([journal.signal, limit.signal]);
    const call = {
      key: runningCallKey(context.info, "model", `${input.n}`),
      activity: context.info.activityId,
      // No other call of the run has this number.
      isRepeat: true,
      ends: AbortSignal.any([this.ends, limit.signal]),
    };
    try {
      const reply = await innerCall("model", async () => {
        // The run waits for this activity, and not for a provider that ignores the abort.
        const asking = worker.running.run(call, (end) =>
          askModel(worker, model, { context, signal: end, conversation, blocked_ms: input.blocked_ms }),
        );
        const answer = await unlessAborted(signal, asking);
        // An earlier attempt asked: this one does not know the run yet.
        if (input.run !== undefined && this.run === undefined) await conversation().catch(() => {});
        return asWorkflowSees({ ...answer, model: answer.model ?? model.model });
      });
      return { reply, replied_at: this.clock.now(input.now) };
    } finally {
      limit.release();
    }
  }

  /** Aborted a moment after the mission's time is over: the run has cancelled the activity by then, which gets the news later. */
  private timeLimit(): { signal: AbortSignal; release: () => void } {
    const { left_ms = Number.POSITIVE_INFINITY, now } = this.input;
    const limit = new AbortController();
    const left = left_ms - (this.clock.now(now) - now);
    // An activity ends before that, and a timer has no longer times.
    if (left > this.context.info.startToCloseTimeoutMs) return { signal: limit.signal, release: () => {} };
    const late = () =>
      limit.abort(ApplicationFailure.nonRetryable("the time of the mission is over", GIVEN_UP.fail.reason));
    const timer = setTimeout(late, Math.max(0, left) + MOMENT_MS);
    return { signal: limit.signal, release: () => clearTimeout(timer) };
  }

  /** An earlier attempt has asked. This one returns what it kept also where the run cannot be known. */
  private async repliedBefore({ reply, replied_at }: ModelReplied): Promise<ModelReplied> {
    const { model } = this.input;
    this.run = await this.known(model as CallModelInput).then(
      ({ run }) => run,
      () => undefined,
    );
    return { reply, replied_at };
  }

  private async known({ conversation }: CallModelInput) {
    const { conversations } = this.worker;
    const { run, n } = this.input;
    if (run === undefined) return { conversation: await conversations.conversation(conversation) };
    const { run: cached, ...found } = await conversations.withRun(conversation, n, run);
    return { ...found, ...defined({ run: cached?.snapshot }) };
  }

  // --- the program -------------------------------------------------------------------------------------------------

  /** It throws nothing: the reply was paid for, and Temporal gives nothing of a failed attempt to the run. */
  private async afterReply(replied: ModelReplied): Promise<RunCallsResult> {
    if (this.run === undefined) return this.keptSoFar(replied);
    try {
      return { ...replied, ...(await this.program(replied.replied_at, replied)) };
    } catch (error) {
      // The run continues after the calls that were made, and meets the error where people can see it.
      this.context.log.warn("calls_after_reply_failed", { error });
      return this.keptSoFar(replied);
    }
  }

  private async program(now: number, replied?: ModelReplied): Promise<RunCallsResult> {
    const { worker, journal, input, clock } = this;
    // An earlier worker may have begun: what that one has kept was made.
    if (!worker.sequences) {
      const { made = [], under_way } = journal.kept ?? {};
      return { made, end: "off", ...defined({ under_way }) };
    }
    const calls = new SequenceCalls(worker, {
      journal,
      ends: this.ends,
      clock,
      n: input.n,
      replied,
      signature: this.signature,
      report: () => this.report(),
    });
    const given = { ...input, ...(this.run as RunAsAsked), now };
    const { open, ...result } = await runSequence(given, calls, replied?.reply);
    return { ...result, ...defined({ under_way: calls.unanswered, open: open === undefined ? undefined : [open] }) };
  }

  private keptSoFar(replied: ModelReplied): RunCallsResult {
    const { made = [], under_way } = this.journal.last ?? {};
    // No call was begun: the program runs in its workflow alone.
    if (made.length === 0 && under_way === undefined) return { reply: replied.reply, made, end: "other" };
    return { ...replied, made, end: "stopped", ...defined({ under_way }) };
  }

  /**
   * Whether a cancellation ends the activity at once: then its run was cancelled. If the run is only paused, or records
   * something while its model is asked, the call under way runs to its end.
   */
  private async endsAtOnce(): Promise<boolean> {
    const atOnce = await isCancelled(this.context);
    if (atOnce || this.hasReplied || this.hasGivenUpCalls) return atOnce;
    // The work that waits in the run need not wait for the model.
    this.hasGivenUpCalls = true;
    const { n } = this.input;
    await this.journal.takeBack();
    await this.journal.keep({ activity: this.context.info.activityId, n, made: [], reported: true });
    this.journal.handOver();
    await this.report();
    return false;
  }

  /** Asks the run to read what the heartbeat keeps: a signal can be sent by anybody, a heartbeat by this activity alone. */
  private async report(): Promise<void> {
    const { client, info } = this.context;
    const { workflowExecution: run } = info;
    if (run === undefined) return;
    await client.workflow.getHandle(run.workflowId, run.runId).signal(CALLS_REPORTED, { n: this.input.n });
  }

  // --- calls side by side ------------------------------------------------------------------------------------------

  private async sideBySide(calls: readonly ListedCall[]): Promise<RunCallsResult> {
    const { journal, input, context } = this;
    const attempt = context.info.attempt + (input.attempts_before ?? 0);
    const made: MadeCall[] = [...(journal.kept?.made ?? [])];
    const open: LeftCall[] = [];
    let bytes = jsonBytes(made as unknown as Json);
    const kept = (): CallsJournal => ({ activity: context.info.activityId, n: input.n, made });
    const answered = (call: MadeCall): void => {
      const more = jsonBytes(call as unknown as Json);
      // If the answer is too large, the run asks for it again, with the same key.
      if (bytes + more > BATCH_ANSWER_BYTES) return void open.push({ n: call.n, attempts: attempt });
      bytes += more;
      made.push(call);
      journal.push(kept());
    };
    const known = new Set(made.map(({ n }) => n));
    const left = calls.map((call, index) => ({ call, n: index + 1 })).filter(({ n }) => !known.has(n));
    const ended = await Promise.allSettled(
      left.map(async ({ call, n }) => {
        const outcome = await this.oneOfMany(call, n, attempt);
        if (outcome === "not_begun") return;
        if ("answer" in outcome) answered(outcome);
        else open.push(outcome);
      }),
    );
    const broken = ended.find((one) => one.status === "rejected");
    if (broken !== undefined) {
      // No failure of a tool: another attempt continues after what was answered.
      await journal.keep(kept());
      throw broken.reason;
    }
    return { made, end: open.length === 0 ? "other" : "open", ...(open.length === 0 ? {} : { open }) };
  }

  private async oneOfMany(
    { left_ms, ...input }: ListedCall,
    n: number,
    attempt: number,
  ): Promise<MadeCall | LeftCall | "not_begun"> {
    const { journal, clock, worker, context } = this;
    const tool = toolOfCall(worker.tools, input);
    if (journal.isStopped || tool === undefined || ownActivityReason(tool.spec) !== undefined) return "not_begun";
    if (changedTool(tool.spec, input) !== null) return "not_begun";
    if (attempt > SHARED_ATTEMPTS) return { n, attempts: SHARED_ATTEMPTS };
    const began = clock.now();
    const left = left_ms === undefined ? Number.POSITIVE_INFINITY : context.info.scheduledTimestampMs + left_ms - began;
    if (left <= 0) return { n, began, at: began, answer: GIVEN_UP };
    const outcome = await attemptSharedCall(
      tool,
      { input, n, attempt, left_ms: left },
      { ...worker, context, journal, ends: this.ends },
    );
    const tried = attempt > 1 ? { attempts: attempt } : {};
    if (outcome === "given_up") return { n, began, at: clock.now(), answer: GIVEN_UP, ...tried };
    if (outcome === "stopped") return { n, attempts: attempt };
    if ("open" in outcome) return { n, attempts: attempt, ...outcome.open };
    return { n, began, at: clock.now(), ...outcome, ...tried };
  }
}

const hasReply = (kept: CallsJournal | undefined): kept is CallsJournal & ModelReplied =>
  kept?.reply !== undefined && kept.replied_at !== undefined;

/** Whether the run of an activity that is cancelled was cancelled itself. */
async function isCancelled({ client, info: { workflowExecution: run } }: Context): Promise<boolean> {
  if (run === undefined) return true;
  const { raw, searchAttributes } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  // An older server does not show who was cancelled.
  if (!raw.workflowExtendedInfo) return searchAttributes[ATTRIBUTE.status]?.[0] !== "PAUSED";
  return raw.workflowExtendedInfo.cancelRequested === true;
}
