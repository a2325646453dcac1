import type { Json, JsonObject } from "../../base/json";
import type { ParkedWait } from "../../review/inbox/inbox-entry";
import type { ShortReview } from "../../review/inbox/short-review";
import { reviewKind } from "../../review/kinds";
import type { StreamEntry } from "./entry";
import type { MissionFact, MissionOver } from "./mission-facts";
import { Transcript, type TranscriptChange } from "./transcript";

/**
 * The items that a reader of a conversation receives, in order: the same items for every reader, however often it comes
 * back.
 */
export type ConversationItem =
  /** A model is asked: what follows is of another turn than what was before. */
  | { type: "turn"; call: number }
  /** A piece of the model's answer. An attempt that failed or was lost is `retried`, and its text does not count. */
  | { type: "message"; id: string; call: number; attempt: number }
  | { type: "text"; id: string; text: string }
  | { type: "message_end"; id: string }
  | { type: "retried"; id: string; text: string; call: number; attempt: number }
  | { type: "tool"; id: string; name: string; args: JsonObject; review?: string; child?: string }
  | { type: "tool_result"; id: string; answer: { ok: true; value: Json } | { ok: false; message: string } }
  /** A person is asked: about a call, which has not been made, or something else. */
  | { type: "asked"; review: ShortReview; workflow_id: string }
  /** The review is over. `tool` or `refused` shows whether its call is made. */
  | { type: "answered"; review: string }
  /** The call that the review was about was not made. */
  | { type: "refused"; review: string }
  | { type: "parked"; workflow_id: string; parked: ParkedWait | null }
  | { type: "over"; end: MissionOver };

interface PartialText {
  id: string;
  call: number;
  attempt: number;
  text: string;
}

/**
 * One conversation with a mission, made of two sources (web reference, section 9): its stream, which has the pieces of
 * an answer as they arrive, and its history, which has the answer that counts. The text that the reader ends with is
 * the answer in the history, whatever the stream lost.
 *
 * The two are brought into one order: an answer of a model comes after all that the history has before the call, such
 * as the tools that its last answer has called. A fact must be given when the stream has been read to its end.
 */
export class MissionConversation {
  private readonly transcript = new Transcript();
  /** Entries of a call whose turn has not come. */
  private waiting: StreamEntry[] = [];
  /** Model calls that were begun and have no answer in the history yet. */
  private readonly open = new Map<number, PartialText | null>();
  private readonly answered = new Set<number>();
  /**
   * The first call that the history has. Of a run that continued as new only the last history is read: earlier text is
   * known from the stream alone, and counts as it is there.
   */
  private first: number | undefined;
  private readonly reviews = new Map<string, ShortReview[]>();
  private readonly parks = new Map<string, ParkedWait>();
  private readonly working = new Set<string>();
  /**
   * Reviews of calls: whose they are, whether they are over, whether the run continued, and whether it knows the
   * outcome of the call.
   */
  private readonly calls = new Map<
    string,
    { workflow_id: string; over: boolean; passed: boolean; reported: boolean }
  >();

  /** @param workflowId of the mission: the text of agents below it is not shown */
  constructor(private readonly workflowId: string) {}

  /** The reviews that are open now, in the mission and in all runs below it. */
  get openReviews(): { workflow_id: string; review: ShortReview }[] {
    return [...this.reviews].flatMap(([workflow_id, open]) => open.map((review) => ({ workflow_id, review })));
  }

  /** The runs that wait for a decision in their journal. */
  get parked(): { workflow_id: string; parked: ParkedWait }[] {
    return [...this.parks].map(([workflow_id, parked]) => ({ workflow_id, parked }));
  }

  /** Nothing continues except the open reviews. */
  get isIdle(): boolean {
    return this.working.size === 0;
  }

  /** Takes the next entries of the stream. */
  takeEntries(entries: readonly StreamEntry[]): ConversationItem[] {
    this.waiting.push(...entries);
    return this.release();
  }

  /** Takes the next fact of the mission's history, or of the history of a run below it. */
  takeFact(workflowId: string, fact: MissionFact): ConversationItem[] {
    const refused = this.refused(workflowId, fact);
    const items = workflowId === this.workflowId ? this.own(fact) : this.below(workflowId, fact);
    return [...(fact.type === "over" ? [...refused, ...items] : [...items, ...refused]), ...this.release()];
  }

  private own(fact: MissionFact): ConversationItem[] {
    this.count(this.workflowId, fact);
    switch (fact.type) {
      case "asked_model":
        this.first ??= fact.call;
        this.answered.delete(fact.call);
        if (!this.open.has(fact.call)) this.open.set(fact.call, null);
        return [{ type: "turn", call: fact.call }];
      case "reply":
        return this.reply(fact.call, fact.content);
      case "no_reply":
        return this.closed(fact.call, (partial) => [this.retried(partial)]);
      case "waits":
        return this.waits(this.workflowId, fact.reviews);
      case "parked":
        return this.parkedAt(this.workflowId, fact.parked);
      case "blocked":
        return [];
      case "tool_result":
        return [{ type: fact.type, id: fact.id, answer: fact.answer }];
      default:
        return [fact];
    }
  }

  /** Of the runs below it: what they ask people. Their calls are seen as the one call that started them. */
  private below(workflowId: string, fact: MissionFact): ConversationItem[] {
    this.count(workflowId, fact);
    if (fact.type === "waits") return this.waits(workflowId, fact.reviews);
    if (fact.type === "parked") return this.parkedAt(workflowId, fact.parked);
    if (fact.type === "tool_result" && this.calls.has(fact.id))
      return [{ type: fact.type, id: fact.id, answer: fact.answer }];
    if (fact.type !== "over") return [];
    return [...this.waits(workflowId, []), ...(this.parks.has(workflowId) ? this.parkedAt(workflowId, null) : [])];
  }

  /** The open calls of models and tools. A run below does not count as work: its calls do. */
  private count(workflowId: string, fact: MissionFact): void {
    if (fact.type === "asked_model") this.working.add(`${workflowId} ${fact.call}`);
    if (fact.type === "reply" || fact.type === "no_reply") this.working.delete(`${workflowId} ${fact.call}`);
    if (fact.type === "tool" && fact.child === undefined) this.working.add(fact.id);
    if (fact.type === "tool_result") this.working.delete(fact.id);
  }

  /**
   * The calls of reviews that are over, and that were not made although the run continued: it has asked a model since.
   * A call that is made is scheduled in the same step as the review is closed, and the history has it before.
   */
  private refused(workflowId: string, fact: MissionFact): ConversationItem[] {
    if (fact.type === "tool" && fact.review !== undefined) {
      const call = this.calls.get(fact.review) ?? {
        workflow_id: workflowId,
        over: false,
        passed: false,
        reported: false,
      };
      this.calls.set(fact.review, { ...call, reported: true });
    }
    if (fact.type === "waits")
      for (const review of fact.reviews)
        if (reviewKind(review).about(review.data).tool !== undefined && !this.calls.has(review.id))
          this.calls.set(review.id, { workflow_id: workflowId, over: false, passed: false, reported: false });
    return [...this.calls].flatMap(([review, call]) => {
      if (call.workflow_id !== workflowId || call.reported) return [];
      if (fact.type === "asked_model") call.passed = true;
      if (fact.type === "waits") call.over = !fact.reviews.some(({ id }) => id === review);
      call.reported = fact.type === "over" || (call.over && call.passed);
      return call.reported ? [{ type: "refused" as const, review }] : [];
    });
  }

  private waits(workflow_id: string, now: ShortReview[]): ConversationItem[] {
    const before = this.reviews.get(workflow_id) ?? [];
    this.reviews.set(workflow_id, now);
    const has = (list: ShortReview[], { id }: ShortReview) => list.some((one) => one.id === id);
    return [
      ...before.filter((one) => !has(now, one)).map(({ id }) => ({ type: "answered" as const, review: id })),
      ...now.filter((one) => !has(before, one)).map((review) => ({ type: "asked" as const, workflow_id, review })),
    ];
  }

  private parkedAt(workflow_id: string, parked: ParkedWait | null): ConversationItem[] {
    if (parked === null) this.parks.delete(workflow_id);
    else this.parks.set(workflow_id, parked);
    return [{ type: "parked", workflow_id, parked }];
  }

  /** The answer that counts. The text of the stream is its beginning, or does not count. */
  private reply(call: number, content: string): ConversationItem[] {
    return this.closed(call, (partial) => {
      if (partial === null) return this.whole({ call, attempt: 1 }, content);
      if (!content.startsWith(partial.text)) return [this.retried(partial), ...this.whole(partial, content)];
      const rest = content.slice(partial.text.length);
      const text = { type: "text" as const, id: partial.id, text: rest };
      return [...(rest === "" ? [] : [text]), { type: "message_end", id: partial.id }];
    });
  }

  private closed(
    call: number,
    items: (partial: PartialText | null) => (ConversationItem | null)[],
  ): ConversationItem[] {
    const partial = this.open.get(call) ?? null;
    this.open.delete(call);
    this.answered.add(call);
    return items(partial).filter((item) => item !== null);
  }

  private whole({ call, attempt }: Pick<PartialText, "call" | "attempt">, text: string): ConversationItem[] {
    if (text === "") return [];
    const id = `${messageId(this.workflowId, call, attempt)}.whole`;
    return [
      { type: "message", id, call, attempt },
      { type: "text", id, text },
      { type: "message_end", id },
    ];
  }

  private retried(partial: PartialText): ConversationItem;
  private retried(partial: PartialText | null): ConversationItem | null;
  private retried(partial: PartialText | null): ConversationItem | null {
    return (
      partial && { type: "retried", id: partial.id, text: partial.text, call: partial.call, attempt: partial.attempt }
    );
  }

  private release(): ConversationItem[] {
    const items: ConversationItem[] = [];
    while (this.waiting.length > 0) {
      const next = this.waiting[0] as StreamEntry;
      if (next.type === "begin" && next.workflow_id === this.workflowId && !this.mayBegin(next.call)) break;
      this.waiting.shift();
      if (next.type === "begin" && next.workflow_id !== this.workflowId) continue;
      const change = this.transcript.add(next);
      if (change !== null) items.push(...this.changed(change));
    }
    return items;
  }

  private streamed(call: number): ConversationItem[] {
    return this.closed(call, (partial) => [partial && { type: "message_end", id: partial.id }]);
  }

  /** The history shows that it was asked: so all earlier items have been shown. */
  private mayBegin(call: number): boolean {
    return this.open.has(call) || this.answered.has(call) || (this.first !== undefined && call < this.first);
  }

  private changed(change: TranscriptChange): ConversationItem[] {
    const { call, attempt } = change.call;
    // The history shows its end: later text does not count.
    if (this.answered.has(call)) return [];
    const partial = this.open.get(call) ?? null;
    if (change.type === "begin") {
      this.open.set(call, null);
      return partial === null ? [] : [this.retried(partial)];
    }
    if (change.type === "end" && this.first !== undefined && call < this.first) return this.streamed(call);
    if (change.type !== "text" || change.text === "") return [];
    if (partial !== null) {
      partial.text += change.text;
      return [{ type: "text", id: partial.id, text: change.text }];
    }
    const id = messageId(this.workflowId, call, attempt);
    this.open.set(call, { id, call, attempt, text: change.text });
    return [
      { type: "message", id, call, attempt },
      { type: "text", id, text: change.text },
    ];
  }
}

const messageId = (workflowId: string, call: number, attempt: number): string => `${workflowId}#${call}.${attempt}`;
