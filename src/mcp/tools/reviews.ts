import * as z from "zod";
import { findReview } from "../../client/find-review";
import { ownerWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Review } from "../../core/review/review";
import { asked } from "../answers/missing-workflow";
import { askPerson, canAsk } from "../asking/elicitation";
import { CHANGE, LONGEST_CALL_MS, READ, tool } from "../tool";

/** What waits for people, and deciding it (engine reference, section 6). */

const ReviewData = z.looseObject({
  id: z.string(),
  source: z.string(),
  title: z.string(),
  body: z.string(),
  choices: z.array(z.string()),
  status: z.enum(["open", "decided", "withdrawn"]),
});
const Placed = z.object({ workflowId: z.string(), review: ReviewData });
const reviewId = z.string().min(1).describe("Id of the review, e.g. task-7/approval/1");

const listReviews = tool({
  name: "list_reviews",
  title: "What waits for people",
  description: "Open reviews of all running tasks and missions, oldest first; with taskId, those of one task.",
  input: z.strictObject({ taskId: z.string().describe("Only of this task").optional() }),
  data: z.object({
    count: z.int(),
    open: z.array(Placed),
    unanswered: z
      .array(z.looseObject({ code: z.string(), message: z.string() }))
      .describe("Work that waits for a person but could not be asked"),
  }),
  hints: READ,
  errors: ["task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ taskId: task }, { client }) => {
    const workflow = task === undefined ? undefined : ownerWorkflowId(task);
    const inbox = await asked(workflow ?? "", () => client.openReviews(workflow === undefined ? {} : { workflow }));
    const open = inbox.open.map(({ workflow_id, review }) => placed(workflow_id, review));
    return { count: open.length, open, unanswered: inbox.unanswered };
  },
});

const getReview = tool({
  name: "get_review",
  title: "One review",
  description: "One review, open or closed: what is asked, the choices, and who decided what.",
  input: z.strictObject({ reviewId, taskId: z.string().describe("Where its id does not say it").optional() }),
  data: Placed,
  hints: READ,
  errors: ["review_not_found"],
  run: async ({ reviewId: id, taskId }, { client }) => {
    const { workflow_id, review } = await findReview(client, id, taskId);
    return placed(workflow_id, review);
  },
});

const decideReview = tool({
  name: "decide_review",
  title: "Decide a review",
  description:
    "Decides a review on behalf of a person who said so. Without `choice` the person at this client is asked, where the client can show a form.",
  input: z.strictObject({
    reviewId,
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
      if (review.status === "open" && canAsk(call)) {
        const { answer, hint } = await askPerson(found, call);
        return { ...placed(workflow_id, (await findReview(call.client, id, taskId)).review), answer, hint };
      }
      throw incomplete("choice", `Give one of ${review.choices.join(", ")}`, review);
    }
    if (by === undefined) throw incomplete("by", "Give the name of who decides", review);
    const decision = { review: id, choice, by, ...(note === undefined ? {} : { note }) };
    const said = value === undefined ? decision : { ...decision, value: value as never };
    return placed(workflow_id, await call.client.reviewed(workflow_id).decide(said));
  },
});

const placed = (workflowId: string, review: Review) => ({ workflowId, review });

function incomplete(field: string, hint: string, { choices }: Review): NavigatorError {
  return new NavigatorError("invalid_decision", `A decision needs "${field}".`, {
    hint: `${hint}.`,
    details: { choices },
  });
}

export const REVIEW_TOOLS = [listReviews, getReview, decideReview];
