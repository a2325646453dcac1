import { reviewForm } from "../../../../page/src/parts/review-change";
import { inboxText } from "../../../../src/cli/commands/review-list";
import { reviewText } from "../../../../src/cli/show/render-review";
import { createColors } from "../../../../src/cli/terminal/render";
import { ReviewBook } from "../../../../src/core/review/book";
import { uselessProblem } from "../../../../src/core/review/decide";
import { separatedFrom } from "../../../../src/core/review/hand-over";
import { inboxMemo, NOTHING_WAITS } from "../../../../src/core/review/inbox/inbox-entry";
import { isListed, itemsOfMemo } from "../../../../src/core/review/inbox/inbox-item";
import { INBOX_KINDS, kindLabel } from "../../../../src/core/review/inbox/inbox-kind";
import { shortReview } from "../../../../src/core/review/inbox/short-review";
import { type ReviewKindName, type ReviewRequest, reviewRequest } from "../../../../src/core/review/kinds";
import type { ReviewKind } from "../../../../src/core/review/kinds/review-kind";
import { reviewNotification } from "../../../../src/core/review/notification";
import type { Review } from "../../../../src/core/review/review";
import { Review as ReviewSchema } from "../../../../src/core/review/review-schema";
import { formOf } from "../../../../src/mcp/client-features/elicitation";
import { describeWaiting } from "../../../../src/mcp/results/run-answer";
import { answerSchemaOf, reviewData } from "../../../../src/web/encodings/interrupt";

/** A further kind of review is one object: every list, card and form shows it, and no other code knows it. */

const VISIT = "visit" as ReviewKindName;

jest.mock("../../../../src/core/review/kinds", () => {
  const kinds = jest.requireActual<typeof import("../../../../src/core/review/kinds")>(
    "../../../../src/core/review/kinds",
  );
  const visit: ReviewKind<{ guest: string }> = {
    ask: ({ guest }) => ({
      about: "door",
      title: `Let ${guest} in?`,
      body: `${guest} is at the door.`,
      data: { guest },
      choices: ["let_in", "send_away"],
      editable: { choice: "let_in", parameters: "badge :string" },
      assignees: ["group:desk"],
    }),
    separates: false,
    agents: "nothing",
    about: () => ({ step: "door" }),
    drawing: {
      label: "visitor",
      form: { value: "value", given: ({ guest = "" }) => ({ badge: guest }), about: "The badge" },
    },
    problem: (_asked, { choice, value }) =>
      choice === "let_in" && value === undefined
        ? { reason: "invalid_decision", message: "There is no badge.", details: { path: "value" } }
        : null,
  };
  Object.assign(kinds.REVIEW_KINDS, { visit });
  return kinds;
});

/** As if the index had a line for it. */
const request = (reviewRequest as (kind: string, subject: { guest: string }) => ReviewRequest)(VISIT, { guest: "Ida" });

const NOW = 1_000;

function opened(): Review {
  const book = new ReviewBook([], 0, 50, () => "nonce-of-the-review", "eve");
  return book.request(request, "agent/x", NOW);
}

test("it is a review that any program can read", () =>
  expect(ReviewSchema.parse(opened())).toMatchObject({ kind: VISIT }));

test("lists show it under its kind, and can be narrowed to it", () => {
  const memo = { ...inboxMemo({ ...NOTHING_WAITS, reviews: [opened()] }) };
  const { items } = itemsOfMemo("agent/x", memo);
  expect(items.filter((item) => isListed(item, { kind: VISIT }, NOW))).toHaveLength(1);
  expect(items.filter((item) => isListed(item, { kind: "question" }, NOW))).toEqual([]);
  expect(inboxText({ items, unanswered: [] })).toMatch(
    /agent\/x\/door\/1 +visit +Let Ida in\? +group:desk +let_in \| send_away/,
  );
  expect(INBOX_KINDS).toContain(VISIT);
  expect(kindLabel(VISIT)).toBe("visitor");
});

test("its card has its choices, the people who decide, and what is filled in", () => {
  const text = reviewText({ workflow_id: "agent/x", review: opened() }, createColors(false, {}));
  expect(text).toContain("visitor of agent/x");
  expect(text).toContain("let_in | send_away");
  expect(text).toContain("group:desk");
  expect(text).toContain(`--value '{"badge":"Ida"}'`);
});

test("the page draws its form", () =>
  expect(reviewForm(opened())).toMatchObject({ choice: "let_in", kind: "value", given: { badge: "Ida" } }));

test("a form of an MCP client, a chat front and a notification ask it", () => {
  const review = opened();
  expect(formOf(review, { kind: "person", person: "ben" } as never)).toMatchObject({
    message: expect.stringContaining("Let Ida in?"),
    requestedSchema: { properties: { decision: { enum: ["let_in", "send_away"] } } },
  });
  expect(describeWaiting(review, "not_asked").hint).toContain("Nothing moves until a person decides");
  expect(reviewData(shortReview(review), "agent/x")).toMatchObject({ kind: VISIT, choices: ["let_in", "send_away"] });
  expect(JSON.stringify(answerSchemaOf(shortReview(review)))).toContain("The badge");
  expect(reviewNotification("review_opened", review, "agent/x", NOW).review).toMatchObject({ kind: VISIT });
});

test("the person who asks may decide it, and its own rule is checked", () => {
  const review = opened();
  expect(separatedFrom(review)).toBeUndefined();
  const said = { review: review.id, choice: "let_in", by: "ben" };
  expect(uselessProblem([review], said)).toMatchObject({ reason: "invalid_decision", message: "There is no badge." });
  expect(uselessProblem([review], { ...said, value: { badge: "7" } })).toBeNull();
});
