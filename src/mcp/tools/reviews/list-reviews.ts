import * as z from "zod";
import { ownerWorkflowId } from "../../../core/base/ids";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { PlacedReview, withWorkflowId } from "./placed-review";

export const listReviewsTool = tool({
  name: "list_reviews",
  title: "What waits for people",
  description: "Open reviews of all running tasks and missions, oldest first; with taskId, those of one task.",
  input: z.strictObject({ taskId: z.string().describe("Only of this task").optional() }),
  data: z.object({
    count: z.int(),
    open: z.array(PlacedReview),
    unanswered: z
      .array(z.looseObject({ code: z.string(), message: z.string() }))
      .describe("Work that waits for a person but could not be asked"),
  }),
  hints: READ,
  errors: ["task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ taskId: task }, { client }) => {
    const workflow = task === undefined ? undefined : ownerWorkflowId(task);
    const inbox = await askWorkflow(workflow ?? "", () =>
      client.openReviews(workflow === undefined ? {} : { workflow }),
    );
    const open = inbox.open.map(({ workflow_id, review }) => withWorkflowId(workflow_id, review));
    return { count: open.length, open, unanswered: inbox.unanswered };
  },
});
