import { z } from "zod";
import { findReview } from "../../../client/find-review";
import { defined } from "../../../core/base/defined";
import { reviewIdIn } from "../../../core/base/ids";
import { NavigatorError } from "../../../core/base/navigator-error";
import { type Decision, isVote } from "../../../core/review/decision-input";
import { authorityOf } from "../../../core/review/people/authority";
import { nonceOfLink, type ReadLink, readLink } from "../../../node/identity/one-use-link";
import type { Viewer } from "../../requests/callers";
import { type EndpointCall, endpoint } from "../endpoint";
import { DecisionBody, sendDecision } from "./decisions";
import { INBOX_TAG, within } from "./inbox";
import { ReviewCard, reviewCard } from "./review-card";

/**
 * The links of notifications (approvals reference, section 8). A person with the link of one person decides with it, once, and needs no
 * login: the token stands in the body, so that no log has it. A link that several people read identifies nobody, so there the person must
 * be logged in.
 */

const link = {
  review: z.string().min(1).max(2_000),
  token: z.string().min(1).max(10_000).meta({ description: "The part after # in the address of the link" }),
};
const LINK_ERRORS = ["bad_link", "not_logged_in"] as const;

const showLinkReviewEndpoint = endpoint({
  method: "post",
  path: "/api/links/review",
  needs: [],
  operation: "showReviewOfLink",
  summary: "The review of a notification's link; reading does not use the link up",
  tag: INBOX_TAG,
  body: z.object(link).meta({ id: "ReviewLink" }),
  answer: ReviewCard.extend({ person: z.string().nullable().meta({ description: "Whose link it is" }) }),
  errors: [...LINK_ERRORS, "review_not_found"],
  run: ({ body: { review, token }, call }) =>
    within(call, async () => {
      const read = await readLink(token, reviewIdIn(call.client.project, review), call.web.people(), Date.now());
      const found = await findReview(call.client, read.review);
      return { ...reviewCard(found, viewerOfLink(read, call), call.web), person: read.person };
    }),
});

const decideByLinkEndpoint = endpoint({
  method: "post",
  path: "/api/links/decision",
  needs: [],
  operation: "decideByLink",
  summary: "Decides with the link of a notification, once; the server's service signs",
  tag: INBOX_TAG,
  body: DecisionBody.omit({ seal: true, by: true, as_signal: true }).extend(link).meta({ id: "LinkDecision" }),
  answer: ReviewCard,
  errors: [
    ...LINK_ERRORS,
    "seal_mismatch",
    "replayed_decision",
    "already_decided",
    "invalid_decision",
    "not_an_assignee",
  ],
  run: ({ body: { review, token, choice, value, note }, call }) =>
    within(call, async () => {
      const read = await readLink(token, reviewIdIn(call.client.project, review), call.web.people(), Date.now());
      const by = personOf(read, call);
      const signer = call.web.signerOf({ id: `link:${by}`, person: by });
      if ("nobody" in signer) throw new NavigatorError("not_logged_in", signer.nobody, { hint: signer.hint });
      if (!isVote({ choice }))
        throw new NavigatorError(
          "invalid_decision",
          `A link makes one of the review's own choices, and "${choice}" is none.`,
          { details: { path: "choice" } },
        );
      const found = await findReview(call.client, read.review);
      const decision: Decision = {
        ...{ review: read.review, choice, by, kind: "person", via: "page", nonce: nonceOfLink(read, by) },
        // A question that has changed since the message is refused by its seal.
        ...defined({ value, note, seal: read.seal ?? found.review.seal }),
      };
      const after = await sendDecision(call, found, decision, { key: signer.key });
      return reviewCard({ workflow_id: found.workflow_id, review: after }, viewerOfLink(read, call), call.web);
    }),
});

/** Who decides. @throws NavigatorError `not_logged_in` */
function personOf({ person }: ReadLink, { caller }: Pick<EndpointCall, "caller">): string {
  // Nobody may be logged in: then there is no caller.
  const by = person ?? (caller as EndpointCall["caller"] | undefined)?.person;
  if (by !== undefined) return by;
  throw new NavigatorError("not_logged_in", "Several people read this link, so it does not identify you.", {
    hint: "Log in to Mission Control, and decide the review there.",
  });
}

function viewerOfLink({ person }: ReadLink, { caller, web }: Pick<EndpointCall, "caller" | "web">): Viewer {
  const by = person ?? (caller as EndpointCall["caller"] | undefined)?.person;
  if (by !== undefined) return { by, authority: authorityOf(web.people(), by, Date.now()) };
  return { nobody: "Several people read this link, so it does not identify you.", hint: "Log in to decide." };
}

/** What is done with the link of a notification. */
export const linkEndpoints = [showLinkReviewEndpoint, decideByLinkEndpoint];
