import { z } from "zod";
import { findReview } from "../../../client/find-review";
import type { OpenReview } from "../../../client/inbox";
import { defined } from "../../../core/base/defined";
import type { Json } from "../../../core/base/json";
import { asNavigatorError, isAbsent, NavigatorError } from "../../../core/base/navigator-error";
import { checkDecision, uselessProblem } from "../../../core/review/decide";
import { COMMENT, type Decision, HAND_OVER, WITHDRAW } from "../../../core/review/decision-input";
import { hasPeople } from "../../../core/review/people/people-file";
import { unknownWord } from "../../../core/review/people/unknown-word";
import type { Review } from "../../../core/review/review";
import type { PrivateKey } from "../../../node/identity/keys";
import { signDecision } from "../../../node/identity/sign-decision";
import { deciderOf, viewerOf } from "../../requests/callers";
import { type EndpointCall, endpoint } from "../endpoint";
import { checkSeen, INBOX_TAG, reviewParams, within } from "./inbox";
import { ReviewCard, reviewCard } from "./review-card";

/** Decisions over the API: signed and sealed as those of the command line are (approvals reference, section 4). */

const by = z.string().max(200).optional().meta({
  description: "Who decides, in a project without people; elsewhere it is the person of the request's token",
});
const seal = z
  .string()
  .max(100)
  .nullable()
  .optional()
  .meta({ description: "The seal of the review as the person saw it: another question is not decided by it" });
const note = z.string().max(16_000).optional().meta({ description: "Why" });

/** The body of a decision. */
export const DecisionBody = z
  .object({
    choice: z.string().min(1).max(2_000).meta({ description: "One of the review's choices", example: "approve" }),
    value: z.custom<Json>().optional().meta({
      description: "For an edit only the arguments that change; for a question the answer",
      type: "object",
    }),
    note,
    seal,
    by,
    as_signal: z.literal(true).optional().meta({
      description:
        "Send it for a worker that comes later: there is no answer, and a decision that is refused is only counted",
    }),
  })
  .meta({ id: "Decision" });

const REFUSALS = [
  "review_not_found",
  "already_decided",
  "already_voted",
  "already_over",
  "not_an_assignee",
  "self_approval",
  "invalid_decision",
  "seal_mismatch",
  "not_logged_in",
  "unverified_decision",
  "no_worker",
] as const;

type GivenDecision = Pick<Decision, "choice"> & { value?: Json | undefined; note?: string | undefined };

/**
 * Decides for the caller of a request, and gives the card as it is then.
 *
 * @throws NavigatorError the codes of `REFUSALS`
 */
export async function decideForCaller(
  call: EndpointCall,
  given: string,
  chosen: GivenDecision,
  {
    by: named,
    seal: seen,
    as_signal,
    updateId,
  }: {
    by?: string | undefined;
    seal?: string | null | undefined;
    as_signal?: true | undefined;
    updateId?: string | undefined;
  },
): Promise<ReviewCard & { sent?: true }> {
  const { by, key } = deciderOf(call, named);
  return within(call, async () => {
    const found = await findReview(call.client, given);
    const { workflow_id, review } = found;
    // What decides nothing names the seal of the review as it is now.
    const isSeen = chosen.choice === COMMENT || chosen.choice === WITHDRAW;
    if (!isSeen) checkSeen(seen, review);
    const { choice, value, note } = chosen;
    const decision: Decision = {
      ...{ review: review.id, choice, by, kind: "person", via: surfaceOf(call) },
      ...defined({ value, note, seal: seen ?? review.seal }),
    };
    if (as_signal) {
      // A signal is not answered.
      const useless = uselessProblem([review], decision);
      if (useless !== null) throw asNavigatorError(useless);
      const sent = key === undefined ? decision : await signDecision(decision, key);
      await call.client.reviewed(workflow_id).signalDecide(sent);
      return { ...reviewCard(found, viewerOf(call, by), call.web), sent: true as const };
    }
    const after = await sendDecision(call, found, decision, { key, updateId });
    return reviewCard({ workflow_id, review: after }, viewerOf(call, by), call.web);
  });
}

/**
 * Decides a review that was found. For one that is closed it returns who decided it, also when its workflow has ended and takes no
 * decision any more.
 *
 * @param sending the key that signs it, and the id by which it counts once
 * @throws NavigatorError as `ReviewedHandle.decide`
 */
export async function sendDecision(
  { client }: Pick<EndpointCall, "client">,
  { workflow_id, review }: OpenReview,
  decision: Decision,
  sending: { key?: PrivateKey | undefined; updateId?: string | undefined },
): Promise<Review> {
  refuseClosed(review, decision);
  try {
    return await client.reviewed(workflow_id).decide(decision, defined(sending));
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    if (error.code === "no_worker") throw notAnswered(error, decision);
    if (isAbsent(error)) refuseClosed((await findReview(client, review.id)).review, decision);
    throw error;
  }
}

function refuseClosed(review: Review, decision: Decision): void {
  const refusal = review.status === "open" ? null : checkDecision([review], decision, Date.now());
  if (refusal !== null) throw asNavigatorError(refusal);
}

/** A browser's session is the page; other callers use the API directly. */
const surfaceOf = ({ request }: Pick<EndpointCall, "request">): "page" | "http" =>
  request.get("csrf") === undefined ? "http" : "page";

const LATER = " For a worker that comes later: send the same with as_signal.";

/** The server keeps an update for a while, and a worker that comes in this time takes it. */
function notAnswered({ message, cause }: NavigatorError, { via }: Decision): NavigatorError {
  return new NavigatorError("no_worker", `${message} Your decision may still count, if one starts soon.`, {
    // People on the page have no fields of the API.
    hint: `Look at the review before you decide again.${via === "page" ? "" : LATER}`,
    cause,
  });
}

const answer = ReviewCard.extend({
  sent: z.literal(true).optional().meta({ description: "It was sent as a signal: nobody has answered" }),
});

const decideReviewEndpoint = endpoint({
  method: "post",
  path: "/api/inbox/{review}/decisions",
  needs: ["decide"],
  operation: "decideReview",
  summary: "Decides a review: approves, also with changed arguments, rejects, or answers",
  tag: INBOX_TAG,
  params: reviewParams,
  body: DecisionBody,
  answer,
  errors: REFUSALS,
  run: ({ params, body: { choice, value, note, ...how }, call }) =>
    decideForCaller(call, params.review, { choice, value, note }, how),
});

const handOverReviewEndpoint = endpoint({
  method: "post",
  path: "/api/inbox/{review}/delegate",
  needs: ["decide"],
  operation: "delegateReview",
  summary: "Hands your decision over to somebody else",
  tag: INBOX_TAG,
  params: reviewParams,
  body: z
    .object({
      to: z.string().min(1).max(200).meta({ description: "A person, group:NAME or lead:NAME" }),
      note,
      seal,
      by,
    })
    .meta({ id: "HandOver" }),
  answer,
  errors: [...REFUSALS, "not_found"],
  run: ({ params, body: { to, note, ...how }, call }) => {
    const people = call.web.people();
    // Refuse a mistyped choice before anything is sent. The worker checks again with its own file.
    const problem = hasPeople(people) ? unknownWord(people, to.trim(), Date.now()) : null;
    if (problem !== null) throw asNavigatorError(problem);
    return decideForCaller(call, params.review, { choice: HAND_OVER, value: { to: to.trim() }, note }, how);
  },
});

const commentReviewEndpoint = endpoint({
  method: "post",
  path: "/api/inbox/{review}/comments",
  needs: ["decide"],
  operation: "commentReview",
  summary: "Comments on a review",
  tag: INBOX_TAG,
  params: reviewParams,
  body: z.object({ text: z.string().min(1).max(2_000), by }).meta({ id: "Comment" }),
  answer,
  errors: REFUSALS,
  run: ({ params, body: { text, ...how }, call }) =>
    decideForCaller(call, params.review, { choice: COMMENT, value: { text } }, how),
});

const withdrawDecisionEndpoint = endpoint({
  method: "post",
  path: "/api/inbox/{review}/withdraw",
  needs: ["decide"],
  operation: "withdrawDecision",
  summary: "Withdraws your decision, until its call has begun",
  tag: INBOX_TAG,
  params: reviewParams,
  body: z.object({ note, by }).meta({ id: "Withdrawal" }),
  answer,
  errors: ["review_not_found", "not_found", "already_decided", "not_logged_in", "no_worker"],
  run: ({ params, body: { note, ...how }, call }) =>
    decideForCaller(call, params.review, { choice: WITHDRAW, note }, how),
});

const decideTogetherEndpoint = endpoint({
  method: "post",
  path: "/api/inbox/decisions",
  needs: ["decide"],
  operation: "decideReviews",
  summary: "Decides several reviews of equal calls, each with its own seal and signature",
  tag: INBOX_TAG,
  body: z
    .object({
      reviews: z
        .array(z.object({ review: z.string().min(1), seal: z.string().max(100) }))
        .min(1)
        .max(100),
      choice: z.string().min(1).max(2_000),
      note,
      by,
    })
    .meta({ id: "DecisionTogether" }),
  answer: z.object({
    outcomes: z.array(
      z.object({
        review: z.string(),
        ok: z.boolean(),
        status: z.string().optional(),
        code: z.string().optional(),
        message: z.string().optional(),
      }),
    ),
  }),
  errors: ["invalid_input", "review_not_found", "not_logged_in", "unverified_decision"],
  run: ({ body: { reviews, choice, note, by: named }, call }) => {
    const { by, key } = deciderOf(call, named);
    const chosen = { choice, by, kind: "person" as const, via: surfaceOf(call), ...defined({ note }) };
    const patience = ANSWER_EACH_MS * (reviews.length + 1);
    return within(
      call,
      async () => {
        const outcomes = await call.client.decideAll(reviews, chosen, defined({ key }));
        return {
          outcomes: outcomes.map((one) =>
            one.ok
              ? { review: one.review, ok: true, status: one.decided.status }
              : { review: one.review, ok: false, code: one.code, message: one.message },
          ),
        };
      },
      patience,
    );
  },
});

const ANSWER_EACH_MS = 5_000;

/** What people decide, one by one and together. */
export const decisionEndpoints = [
  decideTogetherEndpoint,
  decideReviewEndpoint,
  handOverReviewEndpoint,
  commentReviewEndpoint,
  withdrawDecisionEndpoint,
];
