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
import {
  isForStretch,
  STRETCH_BYTES,
  STRETCH_CALL_BYTES,
  STRETCH_CALLS,
  STRETCH_MS,
  type StretchInput,
} from "../core/calls/stretch";
import type { ToolSpec } from "../core/calls/tool";
import {
  type BegunCall,
  type CallInStretch,
  STRETCH_REPORTED,
  type StretchCall,
  type StretchJournal,
  type StretchReport,
} from "../core/journal/stretch";
import type { ToolRegistry } from "../tools";
import { attemptBegan } from "./attempt-began";
import { HeartbeatJournal } from "./heartbeat-journal";
import { attemptInnerCall, SHARED_ATTEMPTS } from "./inner-attempt";
import { type SignHead, signatureOf } from "./sign-ledger-head";

/**
 * The activity that makes calls of a program which follow each other, and keeps each answer before the next call.
 *
 * @param tools null: this worker makes no stretches
 */
export const stretchActivity =
  (tools: ToolRegistry | null, sign: SignHead, documents?: ProjectDocuments): NavigatorActivities["runStretch"] =>
  async (input) => {
    // Before a call is made: nothing may fail once one has acted.
    const signature = await signatureOf(input.ledger_head, sign);
    const journal = HeartbeatJournal.open<StretchJournal>(endsAtOnce);
    try {
      // Another worker may have begun it: what that one has kept was made.
      if (tools === null) return { stretch: journal.kept?.stretch ?? [], end: "off", ...signature };
      const calls = new CallsOfAttempt(tools, journal, input, documents);
      const result = await runStretch(input, calls);
      return { ...result, ...defined({ under_way: calls.unanswered }), ...signature };
    } finally {
      journal.close();
    }
  };

/**
 * Only a run that is paused or cancelled cancels its stretch. Of one that is paused, the call under way goes on to its end, also if
 * the run has been resumed meanwhile.
 */
async function endsAtOnce({ client, info: { workflowExecution: run } }: Context): Promise<boolean> {
  if (run === undefined) return true;
  const { raw, searchAttributes } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  // An older server does not tell who was cancelled.
  if (!raw.workflowExtendedInfo) return searchAttributes[ATTRIBUTE.status]?.[0] !== "PAUSED";
  return raw.workflowExtendedInfo.cancelRequested === true;
}

class CallsOfAttempt implements StretchCalls {
  readonly earlier: StretchCall[];
  private readonly made: StretchCall[];
  private bytes: number;
  private hasReported: boolean;
  /** The server may not have the answer of a call that must not be made twice. */
  private isUnkept = false;
  /** The call that was begun last, until there is an answer. */
  unanswered: BegunCall | undefined;
  private readonly context = Context.current();
  private readonly began = performance.now();
  /** When this attempt began, ms since 1970. */
  private readonly from: number;

  constructor(
    private readonly tools: ToolRegistry,
    private readonly journal: HeartbeatJournal<StretchJournal>,
    private readonly input: Pick<StretchInput, "n">,
    private readonly documents: ProjectDocuments | undefined,
  ) {
    this.from = attemptBegan(this.context.info);
    this.earlier = journal.kept?.stretch ?? [];
    this.made = [...this.earlier];
    this.bytes = jsonBytes(this.made as unknown as Json);
    this.hasReported = journal.kept?.reported === true;
    this.unanswered = journal.kept?.under_way;
  }

  async make(input: CallToolInput, since: number, left_ms = Number.POSITIVE_INFINITY): Promise<MadeInStretch> {
    if (this.journal.isEnding) return { end: "stopped" };
    if (this.isOver()) return { end: "limit" };
    const tool = this.tools.get(input.name);
    if (tool === undefined || !isForStretch(tool.spec)) return { end: "other" };
    if (jsonBytes(input.args) > STRETCH_CALL_BYTES) return { end: "other" };
    const attempt = this.lostWith(input) + 1;
    if (attempt > SHARED_ATTEMPTS) return { end: "open", attempts: SHARED_ATTEMPTS };
    const made = { input: inStretch(input), began: this.now(since) };
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
      const answered = { ...begun, at: this.now(made.began), ...outcome };
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
    if (mayBeMadeTwice(spec) && !this.isUnkept) return this.journal.put(kept);
    await this.journal.keep(kept);
    this.isUnkept = !mayBeMadeTwice(spec);
  }

  private kept(under_way?: BegunCall): StretchJournal {
    return { stretch: this.made, ...defined({ under_way, reported: this.hasReported || undefined }) };
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
    const report: StretchReport = { n: this.input.n, stretch: [...this.made], under_way };
    const { workflowExecution: run } = this.context.info;
    this.hasReported = true;
    try {
      // First: from now on no attempt makes a call behind this one.
      await this.journal.keep(this.kept(under_way));
      // Behind this call comes no other one, so nothing has to be kept before the next.
      this.journal.handOver();
      if (this.journal.isStopped || run === undefined) return;
      await this.context.client.workflow.getHandle(run.workflowId, run.runId).signal(STRETCH_REPORTED, report);
    } catch (error) {
      // The workflow hears of them when the call has ended.
      this.context.log.warn("stretch_not_reported", { error });
    }
  }

  /** An attempt whose worker was lost may not have come to it. */
  private untilReport_ms(): number {
    return this.hasReported ? 0 : Math.max(0, STRETCH_MS - (performance.now() - this.began));
  }

  private isOver(): boolean {
    if (this.made.length >= STRETCH_CALLS || this.bytes >= STRETCH_BYTES) return true;
    const isFirst = this.made.length === this.earlier.length;
    // Of a stretch that has reported, the next attempt makes the call that was under way, and no other one.
    if (this.hasReported) return !isFirst || this.journal.kept?.under_way === undefined;
    return !isFirst && performance.now() - this.began >= STRETCH_MS;
  }

  private now(since: number): number {
    return Math.max(since, Math.floor(this.from + performance.now() - this.began));
  }
}

const mayBeMadeTwice = ({ effect }: ToolSpec): boolean => effect === "read" || effect === "idempotent";

const inStretch = ({ idempotency_key, name, args, task, turn, effect, agent }: CallToolInput): CallInStretch => ({
  ...{ idempotency_key, name, args, task, turn, agent },
  ...defined({ effect }),
});
