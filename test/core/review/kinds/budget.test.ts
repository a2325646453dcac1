import type { Json } from "../../../../src/core/base/json";
import { uselessProblem } from "../../../../src/core/review/decide";
import type { ReviewKindName } from "../../../../src/core/review/kinds";
import { openReview } from "../../../../src/core/review/request";
import type { Review } from "../../../../src/core/review/review";

/** A top-up that adds nothing is refused: the run would only ask again. */

const asked = (limit: Json, kind: ReviewKindName = "budget"): Review =>
  openReview(
    { kind, about: "budget", title: "", body: "", data: { limit }, choices: ["top_up", "stop"] },
    "agent/x/budget/1",
    0,
  );
const problem = (review: Review, value?: Json, choice = "top_up") =>
  uselessProblem([review], { review: review.id, choice, by: "anna", ...(value === undefined ? {} : { value }) });

const TOKENS = { tokens: 100, cost: null };
const BOTH = { tokens: 100, cost: 1 };

test.each<[limit: Json, value: Json | undefined, says: string]>([
  [TOKENS, { tokens: -5 }, "tokens is -5"],
  [TOKENS, { tokens: 0 }, "tokens is 0"],
  [TOKENS, { cost: 1 }, "it adds no tokens"],
  [TOKENS, {}, "it adds no tokens"],
  [TOKENS, undefined, "it adds no tokens"],
  [TOKENS, { tokens: null }, "it adds no tokens"],
  [BOTH, { tokens: 5, cost: -1 }, "cost is -1"],
  [BOTH, {}, "it adds no tokens or cost"],
])("of %j, %j is refused", (limit, value, says) => {
  const fail = problem(asked(limit), value);
  expect(fail).toMatchObject({ reason: "invalid_decision", message: expect.stringContaining(says) });
  expect(fail?.message).toContain("must add more than 0 ");
});

test.each<[limit: Json, value: Json]>([
  [TOKENS, { tokens: 1 }],
  [TOKENS, { tokens: 500, cost: 1 }],
  [BOTH, { cost: 0.5 }],
  [BOTH, { tokens: null, cost: 0.5 }],
])("of %j, %j is taken", (limit, value) => expect(problem(asked(limit), value)).toBeNull());

test("other choices and other reviews are none of its business", () => {
  expect(problem(asked(TOKENS), undefined, "stop")).toBeNull();
  expect(problem(asked(TOKENS, "question"), { tokens: -5 })).toBeNull();
  expect(problem({ ...asked(TOKENS), status: "decided" }, { tokens: -5 })).toBeNull();
});
