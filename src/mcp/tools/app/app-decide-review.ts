import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { defined } from "../../../core/base/defined";
import type { Json } from "../../../core/base/json";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Decision } from "../../../core/review/review";
import { ticketsOf } from "../../apps/tickets";
import { personsDecision, whoseOf } from "../../client-features/persons-decision";
import { dialogRight } from "../../client-features/right-to-decide";
import { CHANGE, tool } from "../../context/tool";
import { PlacedReview, withWorkflowId } from "../reviews/placed-review";

/**
 * The decision of the person at a card (approvals reference, section 1). The protocol does not tell whether a person or a model
 * made a call, so the call proves that it comes from a card: by the ticket, which no model is shown.
 */
export const appDecideReviewTool = tool({
  name: "app_decide_review",
  title: "Decide on a card",
  description:
    "For the view: what the person at the client has decided on a card. It needs the card's ticket. A model asks with decide_review.",
  input: z.strictObject({
    ticket: z.string().min(1).max(200).describe("Of the card; it counts once"),
    choice: z.string().describe("One of the review's choices"),
    note: z.string().describe("Why").optional(),
    value: z.unknown().describe("The arguments that change, or an answer").optional(),
  }),
  data: PlacedReview,
  hints: CHANGE,
  view: "inbox",
  appOnly: true,
  errors: ["agents_may_not_decide", "seal_mismatch", "invalid_decision", "already_decided"],
  run: async ({ ticket: text, choice, note, value }, call) => {
    const ticket = ticketsOf(call).take(text);
    if (ticket === null)
      throw new NavigatorError("agents_may_not_decide", "No card that is open has this ticket.", {
        hint: "A person decides on the card of the review. Its ticket counts once, and for 15 minutes: the card gets another one when it is loaded again.",
      });
    const { workflow_id, review } = await findReview(call.client, ticket.review);
    if (review.seal !== ticket.seal || workflow_id !== ticket.workflow_id)
      throw new NavigatorError("seal_mismatch", `Review "${review.id}" asks something else than the card showed.`, {
        hint: "Look at the card again: it is loaded anew.",
      });
    // The person may have thought for minutes: whoever may not decide any more has not decided.
    const right = dialogRight(review, call);
    if (right.kind === "nobody" || whoseOf(right, call) !== ticket.whose)
      throw new NavigatorError(
        "agents_may_not_decide",
        right.kind === "nobody" ? right.why : "Somebody else is at the client now.",
        defined({ hint: right.kind === "nobody" ? right.hint : undefined }),
      );
    const said: Decision = {
      ...{ review: review.id, choice, by: ticket.whose },
      ...defined({ note: note === "" ? undefined : note, value: value as Json | undefined }),
    };
    const decision = await personsDecision(said, review, right, call);
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(decision));
  },
});
