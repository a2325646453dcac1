import * as z from "zod";
import { defined } from "../../../core/base/defined";
import { ownerWorkflowId } from "../../../core/base/ids";
import type { InboxItem } from "../../../core/review/inbox/inbox-item";
import { INBOX_KINDS } from "../../../core/review/inbox/inbox-kind";
import { LONGEST_CALL_MS, READ, tool } from "../../context/tool";
import { askWorkflow } from "../../results/missing-workflow";
import { ReviewData, withWorkflowId } from "./placed-review";

const HOUR_MS = 60 * 60 * 1_000;

export const listReviewsTool = tool({
  name: "list_reviews",
  title: "What waits for people",
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
