import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { type ReviewReasons, reviewReasons } from "../../../client/review/review-reasons";
import { defined } from "../../../core/base/defined";
import { missionIdOf } from "../../../core/base/ids";
import { NavigatorError } from "../../../core/base/navigator-error";
import { TICKET_KEY } from "../../../core/review/card-ticket";
import { ticketsOf } from "../../apps/tickets";
import { pageOf } from "../../apps/views";
import { whoseOf } from "../../client-features/persons-decision";
import { type DialogRight, dialogRight } from "../../client-features/right-to-decide";
import { AnswerForView, type Call, LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { PlacedReview, reviewIdArgument, withWorkflowId } from "../reviews/placed-review";

const DeciderData = z.object({
  kind: z.enum(["person", "unverified", "nobody"]),
  person: z.string().optional(),
  why: z.string().optional(),
  hint: z.string().optional(),
});

export const appGetReviewTool = tool({
  name: "app_get_review",
  title: "One review for its card",
  description:
    "For the view: a review with why it is asked and whose decision it would be. A model reads reviews with get_review.",
  input: z.strictObject({
    reviewId: reviewIdArgument,
    taskId: z.string().describe("If the id does not contain it").optional(),
  }),
  data: PlacedReview.extend({
    mission: z.string(),
    page: z.string().describe("Its place in Mission Control").optional(),
    decider: DeciderData,
    reasons: z.looseObject({}).optional(),
  }),
  hints: READ,
  view: "inbox",
  appOnly: true,
  errors: ["review_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ reviewId: id, taskId }, call) => {
    const found = await findReview(call.client, id, taskId);
    const { workflow_id, review } = found;
    const right = dialogRight(review, call);
    const data = {
      ...withWorkflowId(workflow_id, review),
      mission: missionIdOf(workflow_id),
      decider: deciderOf(right),
      ...defined({
        reasons: await reasonsOf(found, call),
        page: pageOf(`inbox/${encodeURIComponent(review.id)}`, call),
      }),
    };
    if (right.kind === "nobody" || review.status !== "open") return data;
    // Of all that is answered, the ticket alone is for nobody but the card: whoever has it decides as this person.
    const whose = whoseOf(right, call);
    const ticket = ticketsOf(call).issue({ workflow_id, review: review.id, seal: review.seal, whose });
    return new AnswerForView(data, { [TICKET_KEY]: ticket });
  },
});

function deciderOf(right: DialogRight): z.infer<typeof DeciderData> {
  if (right.kind === "person") return { kind: "person", person: right.person };
  if (right.kind === "unverified") return { kind: "unverified" };
  return { kind: "nobody", why: right.why, hint: right.hint };
}

/** A card without them is better than none: the history may be gone. */
async function reasonsOf(
  found: Parameters<typeof reviewReasons>[1],
  { client, serverContext }: Call,
): Promise<ReviewReasons | undefined> {
  try {
    return await reviewReasons({ temporal: client.temporal, project: client.project }, found);
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    serverContext.log.info("mcp_reasons_not_read", { review: found.review.id, code: error.code });
    return undefined;
  }
}
