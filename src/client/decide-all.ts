import { defined } from "../core/base/defined";
import { NavigatorError } from "../core/base/navigator-error";
import { reviewKind } from "../core/review/kinds";
import type { Decision, Review } from "../core/review/review";
import type { PrivateKey } from "../node/identity/keys";
import { findReview, type ReviewSource } from "./find-review";
import type { OpenReview } from "./inbox";

/** One decision for several reviews: each gets a separate decision, with its own seal. */
export type SameDecision = Omit<Decision, "review" | "seal" | "time" | "nonce" | "signature">;

/** A review with the seal that the person has seen, which the decision names; a bare id takes the seal as it is now. */
export type SeenReview = string | { review: string; seal: string };

/** What became of one of several decisions. */
export type DecidedReview =
  | { review: string; ok: true; decided: Review }
  | { review: string; ok: false; code: string; message: string };

/** What decides reviews: a client. */
interface ReviewDecider extends ReviewSource {
  reviewed(workflowId: string): {
    reviews(): Promise<Review[]>;
    decide(decision: Decision, signing: { key?: PrivateKey }): Promise<Review>;
  };
}

/**
 * Decides reviews of equal calls: of the same tool, each with the choice. Nothing is sent when they are not equal.
 *
 * @param signing.key signs each of them
 * @returns what became of each, in the order given
 * @throws NavigatorError `invalid_input` for reviews that are not equal; `review_not_found`
 */
export async function decideTogether(
  client: ReviewDecider,
  reviews: readonly SeenReview[],
  same: SameDecision,
  signing: { key?: PrivateKey } = {},
): Promise<DecidedReview[]> {
  const seen = new Map(reviews.map((one) => (typeof one === "string" ? [one, undefined] : [one.review, one.seal])));
  const found: (OpenReview & { seal: string | undefined })[] = [];
  for (const [id, seal] of seen) found.push({ ...(await findReview(client, id)), seal });
  checkEqual(found, same.choice);
  const outcomes: DecidedReview[] = [];
  for (const { workflow_id, review, seal = review.seal } of found) {
    const decision: Decision = { ...same, review: review.id, ...defined({ seal }) };
    try {
      const decided = await client.reviewed(workflow_id).decide(decision, signing);
      outcomes.push({ review: review.id, ok: true, decided });
    } catch (error) {
      if (!(error instanceof NavigatorError)) throw error;
      outcomes.push({ review: review.id, ok: false, code: error.code, message: error.message });
    }
  }
  return outcomes;
}

function checkEqual(found: readonly OpenReview[], choice: string): void {
  const refuse = (why: string) =>
    new NavigatorError("invalid_input", `The reviews cannot be decided together: ${why}.`, {
      hint: "Decide each separately: navigator review decide",
      details: { path: "reviews" },
    });
  if (found.length === 0) throw refuse("none is named");
  const toolOf = ({ review }: OpenReview) => reviewKind(review).about(review.data).tool;
  const tools = new Set(found.map(toolOf));
  const other = found.find((one) => toolOf(one) === undefined);
  if (other !== undefined) throw refuse(`"${other.review.id}" is about no call of a tool`);
  if (tools.size > 1) throw refuse(`they are about different tools, ${[...tools].join(", ")}`);
  const without = found.find(({ review }) => !review.choices.includes(choice));
  if (without !== undefined)
    throw refuse(`"${choice}" is no choice of "${without.review.id}", which has ${without.review.choices.join(", ")}`);
}
