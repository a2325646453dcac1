import { defined } from "../../base/defined";
import type { Json, JsonObject } from "../../base/json";
import { isVote, WITHDRAW } from "../../review/decision-input";
import { readShortReviews, type ShortReview } from "../../review/inbox/short-review";
import { type ReviewKindName, reviewKind } from "../../review/kinds";
import type { ReviewSubject } from "../../review/kinds/review-kind";
import { chainInHistory } from "../export/chain-in-history";
import { readHistory } from "../read/history";

/**
 * The reviews of a workflow, from its histories. The memo of the workflow has the questions (approvals reference,
 * section 7), and its chain has the votes of people (approvals reference, section 6). No worker is needed, so earlier
 * decisions of closed work are known, too.
 */
export interface PastReview extends ReviewSubject {
  id: string;
  kind: ReviewKindName;
  title: string;
  /** Ms since 1970. */
  asked_at: number;
  /** `withdrawn`: the work took another path, or ended. */
  state: "open" | "decided" | "withdrawn";
  /** The votes of people, without those who took theirs back, the oldest first. The last one made the decision. */
  votes: PastVote[];
}

/** One person's vote on a review. */
export interface PastVote {
  by: string;
  choice: string;
  /** Ms since 1970. */
  at: number;
  note?: string;
  /** What was changed. */
  value?: Json;
}

/**
 * @param runs the histories of one workflow, the oldest first
 * @returns in the order in which they were asked
 * @throws HistoryFormatError for what is no history
 */
export function reviewsInHistory(workflowId: string, runs: readonly unknown[]): PastReview[] {
  const asked = new Map<string, ShortReview>();
  let open = new Set<string>();
  let isOver = false;
  for (const fact of runs.flatMap(readHistory)) {
    if (fact.kind === "memo_changed" && fact.memo.reviews !== undefined) {
      const now = readShortReviews(fact.memo.reviews).open;
      for (const review of now) asked.set(review.id, betterOf(asked.get(review.id), review));
      open = new Set(now.map(({ id }) => id));
    }
    isOver = fact.kind === "ended";
  }
  const known = votesIn(workflowId, runs);
  return [...asked.values()].map((review) => {
    const { id, kind, title, createdAt, data } = review;
    const votes = known.get(id) ?? [];
    const isOpen = open.has(id) && !isOver;
    const hasEnd = votes.some(({ choice }) => review.choices.includes(choice));
    return {
      ...{ id, kind, title, asked_at: createdAt, votes },
      ...reviewKind(review).about(data),
      state: isOpen ? "open" : hasEnd ? "decided" : "withdrawn",
    };
  });
}

/** A review is written again with each change; the memo may have cut it because of other reviews. */
const betterOf = (before: ShortReview | undefined, now: ShortReview): ShortReview =>
  before !== undefined && before.cut === undefined && now.cut ? before : now;

/** The votes that stand, by review. */
function votesIn(workflowId: string, runs: readonly unknown[]): Map<string, PastVote[]> {
  const votes = new Map<string, PastVote[]>();
  for (const { kind, body, at } of chainInHistory(workflowId, runs).links) {
    if (kind !== "decision" || typeof body.review !== "string") continue;
    const before = votes.get(body.review) ?? [];
    const vote = voteOf({ at, ...body });
    if (isVote(vote)) votes.set(body.review, [...before, vote]);
    else if (body.choice === WITHDRAW)
      votes.set(
        body.review,
        before.filter(({ by }) => by !== vote.by),
      );
  }
  return votes;
}

const voteOf = ({ by, choice, at, note, value }: JsonObject): PastVote => ({
  by: String(by),
  choice: String(choice),
  at: Number(at),
  ...defined({ note: typeof note === "string" ? note : undefined, value }),
});
