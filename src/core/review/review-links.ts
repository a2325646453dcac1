import { utf8Bytes } from "../base/bytes";
import { defined } from "../base/defined";
import type { Json, JsonObject } from "../base/json";
import { canonicalJson } from "../effects/canonical-json";
import { valueDigest } from "../effects/chain/bodies";
import { sourceOf } from "./kinds";
import type { RecordedDecision, Review } from "./review";

/** A link that is to be made. */
export interface ReviewNews {
  kind: "review" | "decision";
  body: JsonObject;
  value?: JsonObject;
}

/** The question is written into the history together with its link, unless it takes more bytes than this. */
const MAX_ASKED_BYTES = 48 * 1024;

/** The name of the extra field on the link of a call that was too long to be kept: its nonce, its tool and what its seal covers. */
export const LONG_CALL = "call";

/**
 * The links that the reviews of a workflow add to its chain: opened and withdrawn reviews, decisions and comments. It
 * compares the reviews with those that it saw last, so that code that changes them needs to know nothing of chains.
 */
export class ReviewLinks {
  private readonly linked = new Map<string, { given: Set<string>; withdrawn: boolean }>();

  /** @param reviews those of the run before, whose links exist */
  constructor(reviews: readonly Review[] = []) {
    this.news(reviews);
  }

  news(reviews: readonly Review[]): ReviewNews[] {
    return reviews.flatMap((review) => this.newsOf(review));
  }

  private newsOf(review: Review): ReviewNews[] {
    const { id, status } = review;
    const news: ReviewNews[] = [];
    let linked = this.linked.get(id);
    if (linked === undefined) {
      linked = { given: new Set(), withdrawn: false };
      this.linked.set(id, linked);
      news.push(opened(review));
    }
    for (const given of decisionsIn(review)) {
      const body = decisionBody(given);
      // A person may repeat a decision after taking it back.
      const word = `${given.at} ${canonicalJson(body)}`;
      if (linked.given.has(word)) continue;
      linked.given.add(word);
      news.push({ kind: "decision", body });
    }
    if (status === "withdrawn" && !linked.withdrawn) {
      linked.withdrawn = true;
      news.push({ kind: "review", body: { id, withdrawn: true } });
    }
    return news;
  }
}

/**
 * All decisions and comments, in the order of their times: withdrawn ones, too, hand-overs before the votes that they allow, and the
 * votes before what they made.
 */
function decisionsIn(review: Review): RecordedDecision[] {
  const { votes = [], withdrawn = [], handedOver = [], comments = [], decision } = review;
  const isVote = votes.some((vote) => vote === decision || (vote.by === decision?.by && vote.at === decision.at));
  const given = [...handedOver, ...withdrawn, ...votes, ...(decision === undefined || isVote ? [] : [decision])];
  return [...given, ...comments].sort((a, b) => a.at - b.at);
}

/** A decision whole, with its signature: anybody can check it again. The time is that of the link. */
function decisionBody({ at: _, ...given }: RecordedDecision): JsonObject {
  return JSON.parse(JSON.stringify(given)) as JsonObject;
}

function opened(review: Review): ReviewNews {
  const { id, kind, title, choices, assignees, quorum, onTimeout, editable, seal, nonce, sealed } = review;
  // The seal of a call covers tool and arguments, which are in the data; its text only repeats them.
  const text = sealed === undefined ? { body: review.body } : {};
  const asked = { ...text, data: review.data, ...defined({ nonce, sealed }) } as unknown as JsonObject;
  const isLong = utf8Bytes(JSON.stringify(asked)) > MAX_ASKED_BYTES;
  const body = {
    id,
    source: sourceOf(kind),
    title,
    choices,
    ...(assignees?.length ? { assignees } : {}),
    ...defined({ quorum, on_timeout: onTimeout, edit: editable?.choice, seal }),
    ...peopleTerms(review),
    asked: valueDigest(asked as Json),
    ...(isLong ? { long: true } : {}),
  };
  const value = isLong ? longCall(review) : { asked };
  return { kind: "review", body, ...(value === undefined ? {} : { value }) };
}

/**
 * The extra field on the link of a call that is too long to be kept: with the arguments of the effect its seal can be
 * calculated again. It is no part of the body, so the hash of the link does not cover it: the seal does.
 */
function longCall({ nonce, sealed, data }: Review): JsonObject | undefined {
  if (nonce === undefined || sealed === undefined) return undefined;
  return { [LONG_CALL]: { nonce, sealed, tool: data.tool } as unknown as JsonObject };
}

/** The other terms on who may decide, without times: those may differ on a replay. */
function peopleTerms({ ladder = [], hours, requestedBy, separation, distinctGroups, ...review }: Review): JsonObject {
  const escalate = ladder.map(({ after_ms, to }) => ({ after_ms, to }));
  const terms = {
    ...defined({ distinct_groups: distinctGroups, requested_by: requestedBy, separation }),
    ...(escalate.length === 0 ? {} : { escalate, ...defined({ hours }) }),
    ...(review.noAgents ? { agents: false } : {}),
    ...(review.noHandOver ? { hand_over: false } : {}),
  };
  return terms as unknown as JsonObject;
}
