import * as z from "zod";
import { findReview } from "../../client/find-review";
import { defined } from "../../core/base/defined";
import { ownerWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { InboxItem } from "../../core/review/inbox/inbox-item";
import { INBOX_KINDS } from "../../core/review/inbox/inbox-kind";
import type { Review } from "../../core/review/review";
import { clientShowsViews } from "../apps/views";
import { askInDialog, clientHasForms } from "../client-features/elicitation";
import { checkAgentMayDecide, dialogRight } from "../client-features/right-to-decide";
import { sessionAgent } from "../context/session-agent";
import { type Call, CHANGE, LONGEST_CALL_MS, READ, tool } from "../context/tool";
import { askWorkflow } from "../results/errors";

/** The shared code of the tools for reviews (engine reference, section 6). */

const ReviewData = z.looseObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  choices: z.array(z.string()),
  status: z.enum(["open", "decided", "withdrawn"]),
});
export const PlacedReview = z.object({ workflowId: z.string(), review: ReviewData });
export const reviewIdArgument = z.string().min(1).describe("Id of the review, e.g. task-7/approval/1");

/** Adds the id of its workflow to a review. */
export const withWorkflowId = (workflowId: string, review: Review) => ({ workflowId, review });

const HOUR_MS = 60 * 60 * 1_000;

export const listReviewsTool = tool({
  name: "list_reviews",
  title: "Reviews that wait for people",
  description:
    "Lists everything that waits for a person, oldest first: reviews, parked missions, blocked runs. Needs no worker. With taskId: the open reviews of that task.",
  input: z.strictObject({
    taskId: z.string().describe("Only of this task").optional(),
    assignee: z.string().describe("Only for this person, or group:NAME, lead:NAME, anyone").optional(),
    group: z.string().describe("Only for this group or its lead").optional(),
    kind: z.enum(INBOX_KINDS).describe("Only of this kind").optional(),
    olderThanHours: z.number().nonnegative().describe("Waiting this long").optional(),
    mission: z.string().describe("Only this mission and the runs below it, e.g. plan/release-3").optional(),
    text: z.string().min(1).describe("Only with this text").optional(),
    limit: z.int().min(1).max(200).describe("Items of a page (50)").optional(),
    page: z.string().describe("`next` of the page before").optional(),
  }),
  data: z.object({
    count: z.int(),
    open: z.array(
      z.looseObject({
        workflowId: z.string(),
        kind: z.enum(INBOX_KINDS).optional(),
        review: ReviewData.optional(),
      }),
    ),
    next: z.string().describe("There is more: give it as `page`").optional(),
    total: z.int().describe("Workflows that wait").optional(),
    unanswered: z
      .array(z.looseObject({ code: z.string(), message: z.string() }))
      .describe("Work that waits for a person but could not be asked"),
  }),
  hints: READ,
  view: "inbox",
  errors: ["task_not_found", "invalid_input"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ taskId: task, limit, olderThanHours, ...filter }, { client }) => {
    if (task !== undefined) {
      const workflow = ownerWorkflowId(task);
      const inbox = await askWorkflow(workflow, () => client.openReviews({ workflow }));
      const open = inbox.open.map(({ workflow_id, review }) => withWorkflowId(workflow_id, review));
      return { count: open.length, open, unanswered: inbox.unanswered };
    }
    const older_than_ms = olderThanHours === undefined ? undefined : olderThanHours * HOUR_MS;
    const { items, ...rest } = await client.inbox(defined({ ...filter, size: limit, older_than_ms }));
    return { count: items.length, open: items.map(placed), ...rest };
  },
});

const placed = ({ workflow_id, ...item }: InboxItem) => ({ workflowId: workflow_id, ...item });

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

/** The host shows the view of this tool's answer: there the person decides, whenever they like. */
function cardHint(review: Review, call: Call): string {
  const right = dialogRight(review, call);
  return right.kind === "nobody"
    ? `The person at this client sees the review in the chat, and cannot decide it there. ${right.why} ${right.hint}`
    : "The person at this client sees a card of this review in the chat, and decides there. Do not wait for it: read the review later with get_review.";
}

/** What became of a review whose question comes again: who decided it, and what. */
function alreadyClosed({ status, decision }: Review, asked: string | undefined) {
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
  scope: "decide",
  hints: CHANGE,
  view: "inbox",
  errors: ["review_not_found", "agents_may_not_decide", "invalid_decision", "already_decided", "already_over"],
  run: async ({ reviewId: id, choice, by, note, value, taskId }, call) => {
    const found = await findReview(call.client, id, taskId);
    const { workflow_id, review } = found;
    if (choice === undefined) {
      // The call was answered before, and the client has not got the answer; or somebody else decided in between.
      if (review.status !== "open" && call.resumed !== undefined)
        return { ...withWorkflowId(workflow_id, review), ...alreadyClosed(review, call.resumed.question.whose) };
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
    const given = value === undefined ? decision : { ...decision, value: value as never };
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(given));
  },
});
