import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Review } from "../../../core/review/review";
import { askInDialog, clientHasForms } from "../../client-features/elicitation";
import { CHANGE, tool } from "../../context/tool";
import { ReviewData, reviewIdArgument, withWorkflowId } from "./placed-review";

export const decideReviewTool = tool({
  name: "decide_review",
  title: "Decide a review",
  description:
    "Decides a review on behalf of a person who said so. Without `choice` the person at this client is asked, where the client can show a form.",
  input: z.strictObject({
    reviewId: reviewIdArgument,
    choice: z.string().describe("One of the review's choices").optional(),
    by: z.string().min(1).describe("Who decides; needed with `choice`").optional(),
    note: z.string().describe("Why").optional(),
    value: z.unknown().describe("An answer that goes with the choice").optional(),
    taskId: z.string().describe("Where the review's id does not say it").optional(),
  }),
  data: z.looseObject({ workflowId: z.string(), review: ReviewData, answer: z.string().optional() }),
  hints: CHANGE,
  errors: [
    "review_not_found",
    "invalid_choice",
    "invalid_decision",
    "already_decided",
    "review_withdrawn",
    "not_an_assignee",
  ],
  run: async ({ reviewId: id, choice, by, note, value, taskId }, call) => {
    const found = await findReview(call.client, id, taskId);
    const { workflow_id, review } = found;
    if (choice === undefined) {
      if (review.status === "open" && clientHasForms(call)) {
        const { answer, hint } = await askInDialog(found, call);
        return { ...withWorkflowId(workflow_id, (await findReview(call.client, id, taskId)).review), answer, hint };
      }
      throw incomplete("choice", `Give one of ${review.choices.join(", ")}`, review);
    }
    if (by === undefined) throw incomplete("by", "Give the name of who decides", review);
    const decision = { review: review.id, choice, by, ...defined({ note }) };
    const said = value === undefined ? decision : { ...decision, value: value as never };
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(said));
  },
});

function incomplete(field: string, hint: string, { choices }: Review): NavigatorError {
  return new NavigatorError("invalid_decision", `A decision needs "${field}".`, {
    hint: `${hint}.`,
    details: { choices },
  });
}
