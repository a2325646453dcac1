import type { JsonObject } from "../base/json";
import type { ReviewKindName } from "./kinds";
import type { Review } from "./review-schema";

/** The codes that the reviews of a call have in their data. */
const KINDS_OF_CODES: { [code: string]: ReviewKindName } = {
  unknown_outcome: "unknown_effect",
  same_effect: "same_effect",
  other_effect: "other_effect",
};

/**
 * The kind of a review that names only its source: a link of the chain, or a review of a recorded run. A new kind needs no
 * line here, because its source is its own name.
 */
export function kindOfSource({ source, id, data }: { source: string; id: string; data: JsonObject }): ReviewKindName {
  const { code } = data;
  switch (source) {
    case "tool":
      return (typeof code === "string" && Object.hasOwn(KINDS_OF_CODES, code) && KINDS_OF_CODES[code]) || "approval";
    case "plan":
      return "plan_review";
    case "question":
      return /\/budget\/\d+$/.test(id) ? "budget" : "question";
    default:
      return source as ReviewKindName;
  }
}

/** A review of the state with which a run continues. Recorded states have reviews that name only their source. */
export function withKind(review: Review | RecordedReview): Review {
  if ("kind" in review) return review;
  const { source, ...rest } = review;
  return { ...rest, kind: kindOfSource(review) };
}

type RecordedReview = Omit<Review, "kind"> & { source: string };
