import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Review } from "../../../core/review/review";
import { clientShowsViews } from "../../apps/views";
import { askInDialog, clientHasForms } from "../../client-features/elicitation";
import { checkAgentMayDecide, dialogRight } from "../../client-features/right-to-decide";
import { sessionAgent } from "../../context/session-agent";
import { type Call, CHANGE, tool } from "../../context/tool";
import { ReviewData, reviewIdArgument, withWorkflowId } from "./placed-review";

/** The host shows the view of this tool's answer: there the person decides, whenever they like. */
function cardHint(review: Review, call: Call): string {
  const right = dialogRight(review, call);
  return right.kind === "nobody"
    ? `The person at this client sees the review in the chat, and cannot decide it there. ${right.why} ${right.hint}`
    : "The person at this client sees a card of this review in the chat, and decides there. Do not wait for it: read the review later with get_review.";
}

/** What became of a review whose question comes again: who decided it, and what. */
function closedMeanwhile({ status, decision }: Review, asked: string | undefined) {
  if (decision === undefined) return { answer: "not_asked", hint: `The review is ${status}: nobody decided it.` };
  const answer = decision.by === asked ? "accepted" : "not_asked";
  return { answer, hint: `Decided: "${decision.choice}", by ${decision.by}.` };
}

const showsCard = ({ extra, serverContext }: Pick<Call, "extra" | "serverContext">): boolean =>
  serverContext.appFolder !== undefined && clientShowsViews(extra.client);

export const decideReviewTool = tool({
  name: "decide_review",
  title: "Decide a review",
  description:
    "Without `choice` the client asks its person in a form or a card, if the server knows that person. With `choice` the session decides as an agent: refused without `navigator mcp --may decide`, and always if the review names people or the call is irreversible.",
  input: z.strictObject({
    reviewId: reviewIdArgument,
    choice: z.string().describe("One of the review's choices").optional(),
    by: z.string().min(1).describe("Omit it: an agent decides under its own name").optional(),
    note: z.string().describe("Why").optional(),
    value: z.unknown().describe("Value of the choice").optional(),
    taskId: z.string().describe("If the review's id does not contain it").optional(),
  }),
  data: z.looseObject({ workflowId: z.string(), review: ReviewData, answer: z.string().optional() }),
  hints: CHANGE,
  view: "inbox",
  errors: ["review_not_found", "agents_may_not_decide", "invalid_decision", "already_decided", "already_over"],
  run: async ({ reviewId: id, choice, by, note, value, taskId }, call) => {
    const found = await findReview(call.client, id, taskId);
    const { workflow_id, review } = found;
    if (choice === undefined) {
      // The call was answered before, and the client has not got the answer; or somebody else decided meanwhile.
      if (review.status !== "open" && call.resumed !== undefined)
        return { ...withWorkflowId(workflow_id, review), ...closedMeanwhile(review, call.resumed.question.whose) };
      if (review.status === "open" && clientHasForms(call)) {
        const { answer, hint } = await askInDialog(found, call);
        return { ...withWorkflowId(workflow_id, (await findReview(call.client, id, taskId)).review), answer, hint };
      }
      if (review.status === "open" && showsCard(call))
        return { ...withWorkflowId(workflow_id, review), answer: "not_asked", hint: cardHint(review, call) };
      checkAgentMayDecide(review, by, call);
      throw new NavigatorError("invalid_decision", 'A decision needs "choice".', {
        hint: `Give one of ${review.choices.join(", ")}.`,
        details: { path: "choice", choices: review.choices },
      });
    }
    checkAgentMayDecide(review, by, call);
    const { id: agent, kind, via } = sessionAgent(call);
    const decision = { review: review.id, choice, by: agent, kind, via, ...defined({ note, seal: review.seal }) };
    const said = value === undefined ? decision : { ...decision, value: value as never };
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(said));
  },
});
