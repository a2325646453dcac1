import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { askInDialog, clientHasForms } from "../../client-features/elicitation";
import { checkAgentMayDecide } from "../../client-features/right-to-decide";
import { sessionAgent } from "../../context/session-agent";
import { CHANGE, tool } from "../../context/tool";
import { ReviewData, reviewIdArgument, withWorkflowId } from "./placed-review";

export const decideReviewTool = tool({
  name: "decide_review",
  title: "Decide a review",
  description:
    "Without `choice` the person at this client is asked, where the client can show a form and the server knows who that is. With `choice` the session itself decides: it is an agent, so this is refused unless the server was started with --may decide, and always where people are named or the call is irreversible.",
  input: z.strictObject({
    reviewId: reviewIdArgument,
    choice: z.string().describe("One of the review's choices").optional(),
    by: z.string().min(1).describe("Leave it out: an agent decides under its own name only").optional(),
    note: z.string().describe("Why").optional(),
    value: z.unknown().describe("An answer that goes with the choice").optional(),
    taskId: z.string().describe("Where the review's id does not say it").optional(),
  }),
  data: z.looseObject({ workflowId: z.string(), review: ReviewData, answer: z.string().optional() }),
  hints: CHANGE,
  errors: [
    "review_not_found",
    "agents_may_not_decide",
    "invalid_choice",
    "invalid_decision",
    "already_decided",
    "review_withdrawn",
  ],
  run: async ({ reviewId: id, choice, by, note, value, taskId }, call) => {
    const found = await findReview(call.client, id, taskId);
    const { workflow_id, review } = found;
    if (choice === undefined) {
      if (review.status === "open" && clientHasForms(call)) {
        const { answer, hint } = await askInDialog(found, call);
        return { ...withWorkflowId(workflow_id, (await findReview(call.client, id, taskId)).review), answer, hint };
      }
      checkAgentMayDecide(review, by, call);
      throw new NavigatorError("invalid_decision", 'A decision needs "choice".', {
        hint: `Give one of ${review.choices.join(", ")}.`,
        details: { choices: review.choices },
      });
    }
    checkAgentMayDecide(review, by, call);
    const { id: agent, kind, via } = sessionAgent(call);
    const decision = { review: review.id, choice, by: agent, kind, via, ...defined({ note, seal: review.seal }) };
    const said = value === undefined ? decision : { ...decision, value: value as never };
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(said));
  },
});
