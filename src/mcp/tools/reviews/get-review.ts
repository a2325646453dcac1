import * as z from "zod";
import { findReview } from "../../../client/find-review";
import { READ, tool } from "../../context/tool";
import { PlacedReview, reviewIdArgument, withWorkflowId } from "./placed-review";

export const getReviewTool = tool({
  name: "get_review",
  title: "One review",
  description: "One review, open or closed: the question, the choices, and the decisions.",
  input: z.strictObject({
    reviewId: reviewIdArgument,
    taskId: z.string().describe("If the id does not contain it").optional(),
  }),
  data: PlacedReview,
  hints: READ,
  view: "inbox",
  errors: ["review_not_found"],
  run: async ({ reviewId: id, taskId }, { client }) => {
    const { workflow_id, review } = await findReview(client, id, taskId);
    return withWorkflowId(workflow_id, review);
  },
});
