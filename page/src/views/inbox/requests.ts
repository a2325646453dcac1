import type { DecidedReview } from "../../../../src/client/decide-all";
import type { LikeCases } from "../../../../src/client/review/like-cases";
import type { ReviewReasons } from "../../../../src/client/review/review-reasons";
import type { Review } from "../../../../src/core/review/review-schema";
import type { ReviewCard } from "../../../../src/web/routes/inbox/review-card";
import { get, post, RequestError } from "../../api/request";
import type { InboxPage } from "../../api/types";
import type { CardDecision } from "../../parts/review-card";

/** What the inbox asks of the API. */

/** A review with what its card shows. */
export interface ShownReview extends Omit<ReviewCard, "review"> {
  review: Review;
  /** It was sent as a signal: nobody has answered. */
  sent?: true;
}

export const reviewPath = (review: string, part = ""): string => `/api/inbox/${encodeURIComponent(review)}${part}`;

export type Scope = "mine" | "groups" | "all";
export type InboxCounts = { all: number; mine: number | null; groups: number | null };
export type ListedInbox = InboxPage & { nobody?: string };

/** Whose inbox is read: the name that somebody gave, where the project has no people. */
export interface Whose {
  person: string | undefined;
}

export const readInbox = (
  filter: { scope: Scope; text: string | undefined; kind: string | undefined; page?: string | undefined } & Whose,
  signal?: AbortSignal,
): Promise<ListedInbox> => get("/api/inbox", { ...filter, size: 50 }, signal);

export const countInbox = (whose: Whose, signal?: AbortSignal): Promise<InboxCounts> =>
  get("/api/inbox/counts", { ...whose }, signal);

export const readReview = (review: string, whose: Whose, signal?: AbortSignal): Promise<ShownReview> =>
  get(reviewPath(review), { ...whose }, signal);

export const readReasons = (review: string, signal?: AbortSignal): Promise<ReviewReasons> =>
  get(reviewPath(review, "/reasons"), {}, signal);

export const readLikeCases = (review: string, signal?: AbortSignal): Promise<LikeCases> =>
  get(reviewPath(review, "/like-cases"), {}, signal);

/**
 * Decides the review exactly as the card shows it. If the answer to a decision was lost, and it is sent once more, the server
 * reports that it was decided: by the same person, with the same choice, so it is no conflict.
 *
 * @throws RequestError
 */
export async function decide(
  { review }: ShownReview,
  given: CardDecision,
  by: string | undefined,
  me: string | null,
): Promise<void> {
  try {
    await post(reviewPath(review.id, "/decisions"), { ...given, seal: review.seal ?? null, by });
  } catch (error) {
    if (!(error instanceof RequestError) || error.problem.code !== "already_decided") throw error;
    const { choice, by: decider } = error.problem.details ?? {};
    if (me === null || decider !== me || choice !== given.choice) throw error;
  }
}

/** What became of each. */
export const decideTogether = async (
  reviews: readonly Review[],
  given: { choice: string; note?: string; by: string | undefined },
): Promise<DecidedReview[]> => {
  const seen = reviews.map(({ id, seal = "" }) => ({ review: id, seal }));
  return (await post<{ outcomes: DecidedReview[] }>("/api/inbox/decisions", { ...given, reviews: seen })).outcomes;
};
