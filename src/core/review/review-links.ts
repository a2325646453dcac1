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

/** What is asked is written into the history beside its link, unless it takes more bytes than this. */
const MAX_ASKED_BYTES = 48 * 1024;

/** The name of what stands beside the link of a call that was too long to be kept: its nonce, its tool and what its seal covers. */
export const LONG_CALL = "call";

/**
 * What the reviews of a workflow have to tell its chain: which were opened and withdrawn, and what people said. It
 * compares the reviews with those that it saw last, so that whoever changes them needs to know nothing of chains.
 */
export class ReviewLinks {
  private readonly told = new Map<string, { said: Set<string>; withdrawn: boolean }>();

  /** @param reviews those of the run before, which has told of them */
  constructor(reviews: readonly Review[] = []) {
    this.news(reviews);
  }

  news(reviews: readonly Review[]): ReviewNews[] {
    return reviews.flatMap((review) => this.newsOf(review));
  }

  private newsOf(review: Review): ReviewNews[] {
    const { id, status } = review;
    const news: ReviewNews[] = [];
    let told = this.told.get(id);
    if (told === undefined) {
      told = { said: new Set(), withdrawn: false };
      this.told.set(id, told);
      news.push(opened(review));
    }
    for (const said of saidIn(review)) {
      const body = decisionBody(said);
      // Somebody may say the same again after taking it back.
      const word = `${said.at} ${canonicalJson(body)}`;
      if (told.said.has(word)) continue;
      told.said.add(word);
      news.push({ kind: "decision", body });
    }
    if (status === "withdrawn" && !told.withdrawn) {
      told.withdrawn = true;
      news.push({ kind: "review", body: { id, withdrawn: true } });
    }
    return news;
  }
}

/**
 * Whatever was said, in the order of its times: what was taken back, too, hand-overs before the votes that they allow, and the
 * votes before what they made.
 */
function saidIn(review: Review): RecordedDecision[] {
  const { votes = [], withdrawn = [], handedOver = [], comments = [], decision } = review;
  const isVote = votes.some((vote) => vote === decision || (vote.by === decision?.by && vote.at === decision.at));
  const said = [...handedOver, ...withdrawn, ...votes, ...(decision === undefined || isVote ? [] : [decision])];
  return [...said, ...comments].sort((a, b) => a.at - b.at);
}

/** A decision whole, with its signature: anybody can check it again. The time is that of the link. */
function decisionBody({ at: _, ...said }: RecordedDecision): JsonObject {
  return JSON.parse(JSON.stringify(said)) as JsonObject;
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
 * What of a call that is too long to be kept stands beside its link: with the arguments of the effect its seal can be
 * calculated again. It is no part of the body, so the hash of the link does not cover it: the seal does.
 */
function longCall({ nonce, sealed, data }: Review): JsonObject | undefined {
  if (nonce === undefined || sealed === undefined) return undefined;
  return { [LONG_CALL]: { nonce, sealed, tool: data.tool } as unknown as JsonObject };
}

/** What else says who may decide, as terms say it: times of a run may be others on a replay. */
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
