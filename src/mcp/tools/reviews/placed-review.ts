import * as z from "zod";
import type { Review } from "../../../core/review/review";

/** The shared code of the tools for reviews (engine reference, section 6). */

export const ReviewData = z.looseObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  choices: z.array(z.string()),
  status: z.enum(["open", "decided", "withdrawn"]),
});
export const PlacedReview = z.object({ workflowId: z.string(), review: ReviewData });
export const reviewIdArgument = z.string().min(1).describe("Id of the review, e.g. task-7/approval/1");

export const withWorkflowId = (workflowId: string, review: Review) => ({ workflowId, review });
