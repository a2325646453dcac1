import { Context } from "@temporalio/activity";
import type { CallMaker, CallOutcome } from "../core/agent/sequence/sequence-host";
import { jsonBytes } from "../core/base/bytes";
import { defined } from "../core/base/defined";
import type { Json } from "../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import type { CallToolInput } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { GIVEN_UP } from "../core/calls/host";
import { SHARED_CALL_MS } from "../core/calls/own-activity";
import { changedTool } from "../core/calls/present-tool";
import {
  type BegunCall,
  type CallsJournal,
  type MadeCall,
  MOST_CALLS,
  type ModelReplied,
  mayShare,
  REPORT_MS,
  SEQUENCE_BYTES,
  SEQUENCE_CALL_BYTES,
  type SharedCall,
} from "../core/calls/run-calls";
import type { ToolSpec } from "../core/calls/tool";
import type { ToolRegistry } from "../tools";
import type { AttemptClock } from "./attempt-clock";
import { attemptSharedCall, SHARED_ATTEMPTS } from "./attempt-shared-call";
import { toolOfCall } from "./call-tool";
import type { HeartbeatJournal } from "./heartbeat-journal";
import type { RunningCalls } from "./running-calls/running-calls";

/** The attempt of the activity that makes the calls. */
interface SequenceAttempt {
  journal: HeartbeatJournal<CallsJournal>;
  /** Aborted when its calls shall end. */
  ends: AbortSignal;
  clock: AttemptClock;
  /** The `n` of the activity. */
  n: number;
  /** The reply after which the calls are made. */
  replied: ModelReplied | undefined;
  /** The signature of the head that came with the input: the readers of a report need it with the reply. */
  signature: { ledger_signature?: string };
  /** Asks the run to read what the heartbeat keeps. */
  report(): Promise<void>;
}

/** Makes the calls of a program in their order. Its heartbeat keeps each answer before a call that must not be made twice. */
export class SequenceCalls implements CallMaker {
  readonly earlier: MadeCall[];
  private readonly made: MadeCall[];
  private bytes: number;
  private hasReported: boolean;
  /** The server may not have the answer of a call that must not be made twice. */
  private isUnkept = false;
  /** The server may not have the reply: a model that is asked again may ask for another effect. */
  private isReplyUnkept: boolean;
  /** The last call that was begun, until it has an answer. */
  unanswered: BegunCall | undefined;
  private readonly context = Context.current();
  private readonly began = performance.now();

  constructor(
    private readonly worker: {
      tools: ToolRegistry;
      documents: ProjectDocuments | undefined;
      running: RunningCalls;
    },
    private readonly attempt: SequenceAttempt,
  ) {
    const { kept } = attempt.journal;
    this.isReplyUnkept = attempt.replied !== undefined && kept?.reply === undefined;
    this.earlier = kept?.made ?? [];
    this.made = [...this.earlier];
    this.bytes = jsonBytes({ ...attempt.replied, made: this.made } as unknown as Json);
    this.hasReported = kept?.reported === true;
    this.unanswered = kept?.under_way;
  }

  private get journal(): HeartbeatJournal<CallsJournal> {
    return this.attempt.journal;
  }

  async make(input: CallToolInput, since: number, left_ms = Number.POSITIVE_INFINITY): Promise<CallOutcome> {
    const { clock } = this.attempt;
    if (this.journal.isEnding) return { end: "stopped" };
    if (this.isOver()) return { end: "limit" };
    const tool = toolOfCall(this.worker.tools, input);
    if (tool === undefined || !mayShare(tool.spec) || changedTool(tool.spec, input) !== null) return { end: "other" };
    if (jsonBytes(input.args) > SEQUENCE_CALL_BYTES) return { end: "other" };
    if (!this.hasTimeFor(tool.spec)) return { end: "other" };
    const n = this.made.length + 1;
    const attempt = this.lostWith(input) + 1;
    if (attempt > SHARED_ATTEMPTS) return { end: "open", open: { n, attempts: SHARED_ATTEMPTS } };
    const made = { n, input: sharedCall(input), began: clock.now(since) };
    const left = left_ms - (made.began - since);
    if (left <= 0) return this.answered({ ...made, at: made.began, answer: GIVEN_UP });
    const begun = { ...made, ...(attempt > 1 ? { attempts: attempt } : {}) };
    await this.begin(begun, tool.spec);
    if (this.journal.isEnding) {
      // An attempt that was lost before counts.
      this.unanswered = attempt > 1 ? this.journal.kept?.under_way : undefined;
      return { end: "stopped" };
    }
    const reporter = setTimeout(() => void this.report(begun), this.untilReport_ms());
    try {
      const call = { input, n, attempt, left_ms: left };
      const outcome = await attemptSharedCall(tool, call, { ...this.worker, ...this.attempt, context: this.context });
      if (outcome === "stopped") return { end: "stopped" };
      if (outcome === "given_up") return this.answered({ ...made, at: since + left_ms, answer: GIVEN_UP });
      if ("open" in outcome) return { end: "open", open: { n, attempts: attempt, ...outcome.open } };
      const answered = { ...begun, at: clock.now(made.began), ...outcome };
      // If the answer is too large for a heartbeat, the run asks for it again, with the same key.
      if (this.bytes + jsonBytes(answered as unknown as Json) > MAX_PAYLOAD_BYTES)
        return { end: "open", open: { n, attempts: attempt } };
      return this.answered(answered);
    } finally {
      clearTimeout(reporter);
    }
  }

  /** How many attempts of this call were lost with their workers. */
  private lostWith({ idempotency_key }: CallToolInput): number {
    const lost = this.journal.kept?.under_way;
    const isFirst = this.made.length === this.earlier.length;
    return isFirst && lost?.input?.idempotency_key === idempotency_key ? (lost.attempts ?? 1) : 0;
  }

  /**
   * Before a call: the heartbeat keeps the answers and the call that begins. Where this call and those since the last such heartbeat may
   * be repeated, the next regular heartbeat is enough.
   */
  private async begin(under_way: BegunCall, spec: ToolSpec): Promise<void> {
    this.unanswered = under_way;
    const kept = this.kept(under_way);
    const mustBeKept = this.isUnkept || (this.isReplyUnkept && spec.effect !== "read");
    if (mayBeRepeated(spec) && !mustBeKept) return this.journal.store(kept);
    await this.journal.keep(kept);
    this.isUnkept = !mayBeRepeated(spec);
    this.isReplyUnkept = false;
  }

  private kept(under_way?: BegunCall): CallsJournal {
    const { n, replied, signature } = this.attempt;
    return {
      activity: this.context.info.activityId,
      n,
      ...replied,
      ...(replied === undefined ? {} : signature),
      made: this.made,
      ...defined({ under_way, reported: this.hasReported || undefined }),
    };
  }

  private answered(call: MadeCall): MadeCall {
    this.unanswered = undefined;
    this.made.push(call);
    this.bytes += jsonBytes(call as unknown as Json);
    this.journal.store(this.kept());
    return call;
  }

  /** A call takes long: the run reads the answers before it, so that its records are there for readers and for messages that wait. */
  private async report(under_way: BegunCall): Promise<void> {
    this.hasReported = true;
    try {
      // First: from now on no attempt makes a call after this one.
      await this.journal.keep(this.kept(under_way));
      // No other call follows, so nothing has to be kept before the next.
      this.journal.handOver();
      if (!this.journal.isStopped) await this.attempt.report();
    } catch (error) {
      // The run reads the answers when the call has ended.
      this.context.log.warn("calls_not_reported", { error });
    }
  }

  /** An attempt whose worker was lost may not have reported. */
  private untilReport_ms(): number {
    return this.hasReported ? 0 : Math.max(0, REPORT_MS - (performance.now() - this.began));
  }

  /** A call that outlasts the activity would be begun again while it still runs. */
  private hasTimeFor({ timeout_ms = SHARED_CALL_MS }: ToolSpec): boolean {
    return this.attempt.clock.elapsed() + timeout_ms < this.context.info.startToCloseTimeoutMs;
  }

  private isOver(): boolean {
    if (this.made.length >= MOST_CALLS || this.bytes >= SEQUENCE_BYTES) return true;
    const isFirst = this.made.length === this.earlier.length;
    // After a report the next attempt makes the call that was under way, and no other one.
    if (this.hasReported) return !isFirst || this.journal.kept?.under_way === undefined;
    return !isFirst && performance.now() - this.began >= REPORT_MS;
  }
}

const mayBeRepeated = ({ effect }: ToolSpec): boolean => effect === "read" || effect === "idempotent";

const sharedCall = ({ idempotency_key, name, args, task, turn, effect, agent }: CallToolInput): SharedCall => ({
  ...{ idempotency_key, name, args, task, turn, agent },
  ...defined({ effect }),
});
