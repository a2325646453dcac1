import { ReviewBook } from "../../../src/core/review/book";
import type { ReviewKindName } from "../../../src/core/review/kinds";
import { kindOfSource } from "../../../src/core/review/recorded-kind";
import type { Review } from "../../../src/core/review/review";
import { sealOf } from "../../../src/core/review/seal";

/** Recorded runs have reviews that name their source, and no kind. */

test.each<[{ source: string; id?: string; data?: { code: string } }, ReviewKindName]>([
  [{ source: "tool" }, "approval"],
  [{ source: "tool", data: { code: "same_effect" } }, "same_effect"],
  [{ source: "tool", data: { code: "other_effect" } }, "other_effect"],
  [{ source: "tool", data: { code: "unknown_outcome" } }, "unknown_effect"],
  [{ source: "tool", data: { code: "constructor" } }, "approval"],
  [{ source: "question", id: "agent/x/ask-person/1" }, "question"],
  [{ source: "question", id: "agent/x/budget/2" }, "budget"],
  [{ source: "gate" }, "gate"],
  [{ source: "escalation" }, "escalation"],
  [{ source: "plan" }, "plan_review"],
])("a review with %j is of the kind %s", (recorded, kind) =>
  expect(kindOfSource({ id: "agent/x/pay/1", data: {}, ...recorded })).toBe(kind),
);

test("a run continues with recorded reviews under their kind, and with their seals", () => {
  const asked = { title: "Top it up?", body: "Spent.", data: { limit: { tokens: 5 } }, choices: ["top_up", "stop"] };
  const id = "agent/x/budget/1";
  const recorded = { id, source: "question", ...asked, createdAt: 1, status: "open", moves: {}, nonce: "n" };
  // Calculated before reviews had kinds.
  const seal = "CeMlL8HxcNGnzKIVdoZ4z7dTFpodVIwwD3117doaRZw";
  const [review] = new ReviewBook([recorded as unknown as Review]).all() as [Review];
  const { source: _, ...rest } = recorded;
  expect(review).toEqual({ ...rest, kind: "budget" });
  expect(sealOf(review, "n")).toBe(seal);
});
