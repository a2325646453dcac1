import { Context } from "@temporalio/activity";
import { runStretch } from "../core/agent/stretch/run-stretch";
import type { MadeInStretch, StretchCalls } from "../core/agent/stretch/stretch-host";
import { jsonBytes } from "../core/base/bytes";
import { defined } from "../core/base/defined";
import type { Json } from "../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { CallToolInput, NavigatorActivities } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { GIVEN_UP } from "../core/calls/host";
import { SHARED_CALL_MS } from "../core/calls/shared-activity";
import {
  isForStretch,
  STRETCH_BYTES,
  STRETCH_CALL_BYTES,
  STRETCH_CALLS,
  STRETCH_MS,
  type StretchInput,
  type StretchResult,
} from "../core/calls/stretch";
import type { ToolSpec } from "../core/calls/tool";
import {
  type BegunCall,
  type CallInStretch,
  STRETCH_REPORTED,
  type StretchCall,
  type StretchJournal,
  type StretchReply,
  type StretchReport,
} from "../core/journal/stretch";
import type { ToolRegistry } from "../tools";
import { AttemptClock } from "./attempt-clock";
import { HeartbeatJournal } from "./heartbeat-journal";
import { attemptInnerCall, SHARED_ATTEMPTS } from "./inner-attempt";
import { type SignHead, signatureOf } from "./sign-ledger-head";

/**
 * The activity that makes calls of a program which follow each other, and keeps each answer before the next call.
 */
export const stretchActivity =
  (tools: StretchTools, sign: SignHead): NavigatorActivities["runStretch"] =>
  async (input) => {
    const clock = new AttemptClock(Context.current().info);
    // Before a call is made: nothing may fail once one has acted.
    const signature = await signatureOf(input.ledger_head, sign);
    const journal = HeartbeatJournal.open<StretchJournal>({ endsAtOnce: isEnded, kept: input.kept });
    try {
      return { ...(await makeStretch(input, tools, { journal, clock })), ...signature };
    } finally {
      journal.close();
    }
  };

/** What the calls of a stretch are made with. */
export interface StretchTools {
  /** null: this worker makes no stretches. */
  tools: ToolRegistry | null;
  documents: ProjectDocuments | undefined;
}

/** The attempt that makes a stretch. */
export interface StretchAttempt {
  journal: HeartbeatJournal<StretchJournal>;
  clock: AttemptClock;
  /** The reply with which the stretch begins. */
  said?: StretchReply;
}

/** Makes a stretch, or what is left of it. */
export async function makeStretch(
  input: StretchInput,
  { tools, documents }: StretchTools,
  { journal, clock, said }: StretchAttempt,
): Promise<StretchResult> {
  // Another worker may have begun it: what that one has kept was made.
  if (tools === null) return { stretch: journal.kept?.stretch ?? [], end: "off" };
  const calls = new CallsOfAttempt(tools, journal, input, documents, clock, said);
  const result = await runStretch(input, calls, said?.reply);
  return { ...result, ...defined({ under_way: calls.unanswered }) };
}

/**
 * Whether a cancelled stretch ends at once: its run was cancelled. Of a run that is paused, or was told something, the call under way
 * goes on to its end, also if the run has been resumed meanwhile.
 */
export async function isEnded({ client, info: { workflowExecution: run } }: Context): Promise<boolean> {
  if (run === undefined) return true;
  const { raw, searchAttributes } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  // An older server does not tell who was cancelled.
  if (!raw.workflowExtendedInfo) return searchAttributes[ATTRIBUTE.status]?.[0] !== "PAUSED";
  return raw.workflowExtendedInfo.cancelRequested === true;
}

/** Tells the run of a stretch what it has made so far. */
export async function reportStretch({ client, info }: Context, report: StretchReport): Promise<void> {
  const { workflowExecution: run } = info;
  if (run !== undefined) await client.workflow.getHandle(run.workflowId, run.runId).signal(STRETCH_REPORTED, report);
}

class CallsOfAttempt implements StretchCalls {
  readonly earlier: StretchCall[];
  private readonly made: StretchCall[];
  private bytes: number;
  private hasReported: boolean;
  /** The server may not have the answer of a call that must not be made twice. */
  private isUnkept = false;
  /** The server may not have the reply with which the stretch begins: a model that is asked again may ask for another effect. */
  private isReplyUnkept: boolean;
  /** The call that was begun last, until there is an answer. */
  unanswered: BegunCall | undefined;
  private readonly context = Context.current();
  private readonly began = performance.now();

  constructor(
    private readonly tools: ToolRegistry,
    private readonly journal: HeartbeatJournal<StretchJournal>,
    private readonly input: Pick<StretchInput, "n">,
    private readonly documents: ProjectDocuments | undefined,
    private readonly clock: AttemptClock,
    private readonly said: StretchReply | undefined,
  ) {
    this.isReplyUnkept = said !== undefined && journal.kept?.reply === undefined;
    this.earlier = journal.kept?.stretch ?? [];
    this.made = [...this.earlier];
    this.bytes = jsonBytes({ ...said, made: this.made } as unknown as Json);
    this.hasReported = journal.kept?.reported === true;
    this.unanswered = journal.kept?.under_way;
  }

  async make(input: CallToolInput, since: number, left_ms = Number.POSITIVE_INFINITY): Promise<MadeInStretch> {
    if (this.journal.isEnding) return { end: "stopped" };
    if (this.isOver()) return { end: "limit" };
    const tool = this.tools.get(input.name);
    if (tool === undefined || !isForStretch(tool.spec)) return { end: "other" };
    if (jsonBytes(input.args) > STRETCH_CALL_BYTES) return { end: "other" };
    if (!this.hasTimeFor(tool.spec)) return { end: "other" };
    const attempt = this.lostWith(input) + 1;
    if (attempt > SHARED_ATTEMPTS) return { end: "open", attempts: SHARED_ATTEMPTS };
    const made = { input: inStretch(input), began: this.clock.now(since) };
    const left = left_ms - (made.began - since);
    if (left <= 0) return this.answered({ ...made, at: made.began, answer: GIVEN_UP });
    const begun = { ...made, ...(attempt > 1 ? { attempts: attempt } : {}) };
    await this.begin(begun, tool.spec);
    if (this.journal.isEnding) {
      this.unanswered = undefined;
      return { end: "stopped" };
    }
    const reporter = setTimeout(() => void this.report(begun), this.untilReport_ms());
    try {
      const call = { input, n: this.made.length + 1, attempt, left_ms: left };
      const outcome = await attemptInnerCall(tool, call, this.journal, this.documents);
      if (outcome === "stopped") return { end: "stopped" };
      if (outcome === "given_up") return this.answered({ ...made, at: since + left_ms, answer: GIVEN_UP });
      if ("open" in outcome) return { end: "open", attempts: attempt, ...outcome.open };
      const answered = { ...begun, at: this.clock.now(made.began), ...outcome };
      // A heartbeat has no room for it: it is asked for again, with the same key.
      if (this.bytes + jsonBytes(answered as unknown as Json) > MAX_PAYLOAD_BYTES)
        return { end: "open", attempts: attempt };
      return this.answered(answered);
    } finally {
      clearTimeout(reporter);
    }
  }

  /** How many attempts of this call were lost with their workers. */
  private lostWith({ idempotency_key }: CallToolInput): number {
    const lost = this.journal.kept?.under_way;
    const isFirst = this.made.length === this.earlier.length;
    return isFirst && lost?.input.idempotency_key === idempotency_key ? (lost.attempts ?? 1) : 0;
  }

  /**
   * Before a call: what was answered is kept with what is about to be asked. Where this call and those since the last such heartbeat may
   * be made twice, a heartbeat that comes by itself is enough.
   */
  private async begin(under_way: BegunCall, spec: ToolSpec): Promise<void> {
    this.unanswered = under_way;
    const kept = this.kept(under_way);
    const mustBeKept = this.isUnkept || (this.isReplyUnkept && spec.effect !== "read");
    if (mayBeMadeTwice(spec) && !mustBeKept) return this.journal.put(kept);
    await this.journal.keep(kept);
    this.isUnkept = !mayBeMadeTwice(spec);
    this.isReplyUnkept = false;
  }

  private kept(under_way?: BegunCall): StretchJournal {
    return { ...this.said, stretch: this.made, ...defined({ under_way, reported: this.hasReported || undefined }) };
  }

  private answered(call: StretchCall): StretchCall {
    this.unanswered = undefined;
    this.made.push(call);
    this.bytes += jsonBytes(call as unknown as Json);
    this.journal.put(this.kept());
    return call;
  }

  /** A call takes long: the workflow hears of those before it, and its records are there for readers and for what waits for them. */
  private async report(under_way: BegunCall): Promise<void> {
    const report: StretchReport = { ...this.said, n: this.input.n, stretch: [...this.made], under_way };
    this.hasReported = true;
    try {
      // First: from now on no attempt makes a call behind this one.
      await this.journal.keep(this.kept(under_way));
      // Behind this call comes no other one, so nothing has to be kept before the next.
      this.journal.handOver();
      if (!this.journal.isStopped) await reportStretch(this.context, report);
    } catch (error) {
      // The workflow hears of them when the call has ended.
      this.context.log.warn("stretch_not_reported", { error });
    }
  }

  /** An attempt whose worker was lost may not have come to it. */
  private untilReport_ms(): number {
    return this.hasReported ? 0 : Math.max(0, STRETCH_MS - (performance.now() - this.began));
  }

  /** The activity has a time limit of its own: a call that outlasts it would be begun again while it still runs. */
  private hasTimeFor({ timeout_ms = SHARED_CALL_MS }: ToolSpec): boolean {
    return this.clock.elapsed() + timeout_ms < this.context.info.startToCloseTimeoutMs;
  }

  private isOver(): boolean {
    if (this.made.length >= STRETCH_CALLS || this.bytes >= STRETCH_BYTES) return true;
    const isFirst = this.made.length === this.earlier.length;
    // Of a stretch that has reported, the next attempt makes the call that was under way, and no other one.
    if (this.hasReported) return !isFirst || this.journal.kept?.under_way === undefined;
    return !isFirst && performance.now() - this.began >= STRETCH_MS;
  }
}

const mayBeMadeTwice = ({ effect }: ToolSpec): boolean => effect === "read" || effect === "idempotent";

const inStretch = ({ idempotency_key, name, args, task, turn, effect, agent }: CallToolInput): CallInStretch => ({
  ...{ idempotency_key, name, args, task, turn, agent },
  ...defined({ effect }),
});
