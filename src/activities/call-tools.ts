import { Context } from "@temporalio/activity";
import { jsonBytes } from "../core/base/bytes";
import type { Json } from "../core/base/json";
import type { NavigatorActivities } from "../core/calls/activities";
import type { BatchAnswer, BatchJournal } from "../core/calls/batch";
import { BATCH_ANSWER_BYTES, type BatchResult, type CallInBatch, type OpenInBatch } from "../core/calls/batch";
import type { ProjectDocuments } from "../core/calls/document";
import { GIVEN_UP } from "../core/calls/host";
import { ownActivityReason } from "../core/calls/shared-activity";
import type { ToolRegistry } from "../tools";
import { AttemptClock } from "./attempt-clock";
import { HeartbeatJournal } from "./heartbeat-journal";
import { attemptInnerCall, SHARED_ATTEMPTS } from "./inner-attempt";
import { type SignHead, signatureOf } from "./sign-ledger-head";

/** Most batches are over by then. Of one that takes longer each answer is kept within 2 s. */
const HANDED_OVER_MS = 4_000;

/** The activity that makes calls of one tool, all at once, and keeps each answer as it comes. */
export const batchActivity =
  (tools: ToolRegistry, sign: SignHead, documents?: ProjectDocuments): NavigatorActivities["callTools"] =>
  async (input) => {
    // Before a call is made: nothing may fail once one has acted.
    const signature = await signatureOf(input.ledger_head, sign);
    const journal = HeartbeatJournal.open<BatchJournal>();
    const long = setTimeout(() => journal.handOver(), HANDED_OVER_MS);
    try {
      const result = await new BatchOfAttempt(tools, journal, documents, input.attempts_before).make(input.calls);
      return { ...result, ...signature };
    } finally {
      clearTimeout(long);
      journal.close();
    }
  };

class BatchOfAttempt {
  private readonly answers: BatchAnswer[];
  private readonly open: OpenInBatch[] = [];
  private bytes: number;
  private readonly info = Context.current().info;
  private readonly clock = new AttemptClock(this.info);
  private readonly attempt: number;

  constructor(
    private readonly tools: ToolRegistry,
    private readonly journal: HeartbeatJournal<BatchJournal>,
    private readonly documents: ProjectDocuments | undefined,
    attemptsBefore = 0,
  ) {
    this.attempt = this.info.attempt + attemptsBefore;
    this.answers = [...(journal.kept?.answers ?? [])];
    this.bytes = jsonBytes(this.answers as unknown as Json);
  }

  /** Makes the calls that have no answer yet. */
  async make(calls: readonly CallInBatch[]): Promise<BatchResult> {
    const known = new Set(this.answers.map(({ n }) => n));
    const left = calls.map((call, index) => ({ call, n: index + 1 })).filter(({ n }) => !known.has(n));
    const ended = await Promise.allSettled(left.map(({ call, n }) => this.call(call, n)));
    const broken = ended.find((one) => one.status === "rejected");
    if (broken !== undefined) {
      // No failure of a tool: another attempt goes on behind what was answered.
      await this.journal.keep(this.kept());
      throw broken.reason;
    }
    const { answers, open } = this;
    return { answers, ...(open.length === 0 ? {} : { open }) };
  }

  private async call({ left_ms, ...input }: CallInBatch, n: number): Promise<void> {
    const { attempt } = this;
    const tool = this.tools.get(input.name);
    if (this.journal.isStopped || tool === undefined || ownActivityReason(tool.spec) !== undefined) return;
    if (attempt > SHARED_ATTEMPTS) return void this.open.push({ n, attempts: SHARED_ATTEMPTS });
    const began = this.clock.now();
    const left = left_ms === undefined ? Number.POSITIVE_INFINITY : this.info.scheduledTimestampMs + left_ms - began;
    if (left <= 0) return this.answered({ n, began, at: began, answer: GIVEN_UP });
    const outcome = await attemptInnerCall(tool, { input, n, attempt, left_ms: left }, this.journal, this.documents);
    const tried = attempt > 1 ? { attempts: attempt } : {};
    if (outcome === "given_up") return this.answered({ n, began, at: this.clock.now(), answer: GIVEN_UP, ...tried });
    if (outcome === "stopped") return void this.open.push({ n, attempts: attempt });
    if ("open" in outcome) return void this.open.push({ n, attempts: attempt, ...outcome.open });
    this.answered({ n, began, at: this.clock.now(), ...outcome, ...tried });
  }

  /** An answer for which there is no room is asked for again, with the same key. */
  private answered(answer: BatchAnswer): void {
    const bytes = jsonBytes(answer as unknown as Json);
    if (this.bytes + bytes > BATCH_ANSWER_BYTES) {
      this.open.push({ n: answer.n, attempts: this.attempt });
      return;
    }
    this.bytes += bytes;
    this.answers.push(answer);
    this.journal.push(this.kept());
  }

  private kept(): BatchJournal {
    return { activity: this.info.activityId, answers: this.answers };
  }
}
