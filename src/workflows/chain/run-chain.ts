import { CancellationScope, workflowInfo } from "@temporalio/workflow";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import {
  branchBody,
  childBody,
  effectBody,
  recordBody,
  resetBody,
  runResetBody,
} from "../../core/effects/chain/bodies";
import type { ChainEnd, StepLedger } from "../../core/effects/chain/head";
import type { LinkChange, LinkKind } from "../../core/effects/chain/link";
import { type ChainState, type ContinuedChain, LinkChain } from "../../core/effects/chain/link-chain";
import type { AskingReply, EffectNews } from "../../core/effects/effect-news";
import { isReset, type RecordChange } from "../../core/journal/changes";
import type { Review } from "../../core/review/review";
import { ReviewLinks } from "../../core/review/review-links";
import { signCalls } from "../activity-calls";
import { ledgerAttributes } from "../search-attributes";

/**
 * The chain of a workflow: what becomes a link, and when (approvals reference, section 6). The links go into the history
 * through `write`.
 */
export class RunChain {
  private readonly chain: LinkChain;
  private readonly reviewLinks: ReviewLinks;
  /** Up to this link the head was sent to be signed. */
  private sent = 0;
  private at: number;
  private written: number;
  private reply: AskingReply | undefined;

  constructor(
    private readonly write: (change: LinkChange) => void,
    continued: ChainState | undefined,
    reviews: readonly Review[],
  ) {
    this.chain = new LinkChain(workflowInfo().workflowId, continued);
    this.reviewLinks = new ReviewLinks(reviews);
    this.at = Date.now();
    this.written = continued?.at ?? 0;
  }

  /**
   * Advances the clock after a message or an answer: the links that follow have this time. Right after a local activity
   * the clock may differ on a replay, and hashes must not, so the clock does not advance there.
   */
  advanceClock(): void {
    this.at = Date.now();
  }

  /**
   * Advances the clock to the time of an earlier event, ms since 1970, that is recorded now. Times of links never go
   * back.
   */
  advanceTo(at: number): void {
    this.at = Math.max(this.written, Math.min(at, Date.now()));
  }

  /** The change of a record that was just written. */
  record(change: RecordChange): void {
    const body = isReset(change) ? resetBody(change.id) : recordBody(change);
    this.add("record", body, this.at, ({ hash, at }) => ({ link: { hash, ...at } }));
  }

  effect(news: EffectNews): void {
    const asked_by = news.state === "intended" ? this.reply : undefined;
    if (asked_by !== undefined) this.reply = undefined;
    this.add("effect", effectBody({ ...news, ...defined({ asked_by }) }));
  }

  /** Notes a reply that may ask for effects: the link of its first effect contains the reply. */
  program(reply: AskingReply): void {
    this.reply = reply;
  }

  /** The reviews of the workflow have changed. */
  reviews(all: readonly Review[]): void {
    for (const { kind, body, value } of this.reviewLinks.news(all)) this.add(kind, body, this.at, undefined, value);
  }

  /** Somebody has reset the workflow: the links of the run before, after this point, are in no history of this one. */
  reset(): void {
    this.advanceClock();
    this.add("reset", runResetBody(workflowInfo().firstExecutionRunId));
  }

  branch(workflowId: string): void {
    this.add("child", branchBody(workflowId));
  }

  child(workflowId: string, ledger: { seq: number; head: string }): void {
    this.add("child", childBody(workflowId, ledger));
  }

  /** The head that a worker should sign now; undefined: it has done so, or there is none. */
  headToSign(): ChainEnd | undefined {
    const end = this.chain.end();
    if (end === null || end.seq === this.sent) return undefined;
    this.sent = end.seq;
    return { seq: end.seq, hash: end.head, at: end.at };
  }

  /** Has the worker sign the end of the chain; undefined: it has no links. */
  async signedEnd(duringLocalCall: <T>(call: () => Promise<T>) => Promise<T>): Promise<StepLedger | undefined> {
    for (;;) {
      const end = this.chain.end();
      if (end === null) return undefined;
      const { seq, head, at } = end;
      const signature = await CancellationScope.nonCancellable(() =>
        duringLocalCall(() => signCalls().signLedgerHead({ seq, hash: head, at })),
      );
      // People may have decided while the worker signed.
      if (this.chain.end()?.seq === seq) return { seq, head, ...signature };
    }
  }

  /** Where it ends now, for an event that shows other attributes anyway. */
  attributes(): ReturnType<typeof ledgerAttributes> {
    const end = this.chain.end();
    return end === null ? [] : ledgerAttributes(end);
  }

  end(): ChainState | null {
    return this.chain.end();
  }

  continueState(): ContinuedChain {
    const chain = this.chain.end();
    return chain === null ? {} : { chain };
  }

  private add(
    kind: LinkKind,
    body: JsonObject,
    time = this.at,
    form: (link: { hash: string; at: { at?: number } }) => LinkChange = ({ hash, at }) => ({
      link: { hash, ...at, kind, body },
    }),
    value?: JsonObject,
  ): void {
    const { hash } = this.chain.add(kind, body, time);
    const at = time === this.written ? {} : { at: time };
    this.written = time;
    this.write({ ...form({ hash, at }), ...(value === undefined ? {} : { value }) });
  }
}
