import type { Review } from "../review";

/** What a thing that waits for a person is (approvals reference, section 7). */
export const INBOX_KINDS = [
  "approval",
  "gate",
  "question",
  "escalation",
  "budget",
  "unknown_effect",
  "same_effect",
  "other_effect",
  "plan_review",
  "parked",
  "blocked",
] as const;
/** A kind of what waits for a person. */
export type InboxKind = (typeof INBOX_KINDS)[number];

/** The codes that the reviews of a tool call have in their data. */
const EFFECT_KINDS: { [code: string]: InboxKind } = {
  unknown_outcome: "unknown_effect",
  same_effect: "same_effect",
  other_effect: "other_effect",
};

/** The kind of a review, from what it says of itself. */
export function kindOfReview({ source, id, data }: Pick<Review, "source" | "id" | "data">): InboxKind {
  switch (source) {
    case "tool": {
      const { code } = data;
      return (typeof code === "string" && Object.hasOwn(EFFECT_KINDS, code) && EFFECT_KINDS[code]) || "approval";
    }
    case "plan":
      return "plan_review";
    case "question":
      return /\/budget\/\d+$/.test(id) ? "budget" : "question";
    default:
      return source;
  }
}
