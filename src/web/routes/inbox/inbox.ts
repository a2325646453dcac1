import { z } from "zod";
import { findReview } from "../../../client/find-review";
import { countInbox, type InboxListOptions } from "../../../client/inbox-page";
import { likeCases } from "../../../client/review/like-cases";
import { reviewReasons } from "../../../client/review/review-reasons";
import { defined } from "../../../core/base/defined";
import { NavigatorError } from "../../../core/base/navigator-error";
import { ANYONE } from "../../../core/review/inbox/inbox-entry";
import { INBOX_KINDS } from "../../../core/review/inbox/inbox-kind";
import { isGroupWord } from "../../../core/review/people/authority";
import { type Viewer, viewerOf } from "../../requests/callers";
import { ownWorkflowId } from "../../requests/own-run";
import { type EndpointCall, endpoint } from "../endpoint";
import { ReviewAnswer, ReviewCard, reviewCard } from "./review-card";

export const INBOX_TAG = "Inbox and decisions";

/** The people whose open reviews are listed. */
const SCOPES = ["mine", "groups", "all"] as const;

const time = z.coerce.number().int().min(0);

/** One thing that waits for a person (approvals reference, section 7). */
export const ListedInboxItem = z
  .object({
    kind: z.enum(INBOX_KINDS),
    workflow_id: z.string(),
    mission: z.string(),
    title: z.string(),
    since: z.number().meta({ description: "Ms since 1970" }),
    assignees: z.array(z.string()),
    due: z.number().optional(),
    review: ReviewAnswer.optional(),
    irreversible: z.literal(true).optional(),
    cut: z.literal(true).optional(),
    parked: z.looseObject({}).optional(),
    blocked: z.looseObject({}).optional(),
  })
  .meta({ id: "InboxItem" });

/** What a person's name is taken from, where the project has no people. */
const person = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: "Who looks, in a project without people; elsewhere it is the person of the request's token" });

/** How long a read waits for a worker, in ms: what is open is known without one. */
const ANSWER_MS = 10_000;

/** Runs a read with a deadline for its calls to Temporal. */
export const within = <T>(
  { client }: Pick<EndpointCall, "client">,
  work: () => Promise<T>,
  ms = ANSWER_MS,
): Promise<T> => client.temporal.withDeadline(Date.now() + ms, work);

const listInboxEndpoint = endpoint({
  method: "get",
  path: "/api/inbox",
  needs: ["read"],
  operation: "listInbox",
  summary: "Lists everything that waits for people, the oldest first; needs no worker",
  tag: INBOX_TAG,
  query: z.object({
    scope: z.enum(SCOPES).default("all").meta({
      description:
        "mine: what you may decide now. groups: what is for your groups and those that you lead. all: everything",
    }),
    person,
    kind: z.enum(INBOX_KINDS).optional(),
    assignee: z.string().min(1).optional().meta({ description: "A person, group:NAME, lead:NAME, or anyone" }),
    group: z.string().min(1).optional(),
    mission: z.string().min(1).optional().meta({ description: "Only of this mission and the runs below it" }),
    text: z.string().min(1).max(200).optional(),
    older_than_ms: time.optional(),
    due_within_ms: time.optional(),
    size: z.coerce.number().int().min(1).max(200).optional(),
    page: z.string().optional().meta({ description: "`next` of the page before, for the same filter" }),
  }),
  answer: z.object({
    items: z.array(ListedInboxItem),
    next: z.string().optional(),
    total: z.number().optional().meta({ description: "Workflows that wait, with the first page; not known of `mine`" }),
    unanswered: z.array(z.object({ workflow_id: z.string(), code: z.string(), message: z.string() })),
    nobody: z.string().optional().meta({ description: "Why nothing is yours" }),
  }),
  errors: ["invalid_input", "server_error", "payload_unreadable"],
  tagged: true,
  run: async ({ query, call }) => {
    const { scope, person: named, ...filter } = query;
    if (filter.mission !== undefined) ownWorkflowId(call.client.project, filter.mission);
    const viewer = scope === "all" ? null : viewerOf(call, named);
    const whose = viewer === null ? {} : ofScope(scope, viewer, filter.assignee);
    if ("nobody" in whose) return { items: [], unanswered: [], nobody: whose.nobody };
    const options: InboxListOptions = { ...defined(filter), ...whose };
    return (await within(call, () => call.client.inbox(options))) as never;
  },
});

/** @param assignee that is asked for besides */
function ofScope(
  scope: (typeof SCOPES)[number],
  viewer: Viewer,
  assignee: string | undefined,
): Pick<InboxListOptions, "decider" | "assignee"> | { nobody: string } {
  if ("nobody" in viewer) return { nobody: `${viewer.nobody} ${viewer.hint}` };
  if (scope === "mine") return { decider: viewer };
  const groups = viewer.authority.own.filter(isGroupWord);
  const among = assignee === undefined ? groups : groups.filter((word) => word === assignee);
  return among.length === 0 ? { nobody: "You are in no group of the project." } : { assignee: among };
}

const countInboxEndpoint = endpoint({
  method: "get",
  path: "/api/inbox/counts",
  needs: ["read"],
  operation: "countInbox",
  summary: "Counts waiting workflows: for you, for your groups, for anybody",
  tag: INBOX_TAG,
  query: z.object({ person }),
  answer: z.object({
    all: z.number(),
    mine: z.number().nullable().meta({ description: "With what you have voted on; null: nobody of the project asks" }),
    groups: z.number().nullable(),
  }),
  tagged: true,
  run: async ({ query, call }) => {
    const viewer = viewerOf(call, query.person);
    const own = "nobody" in viewer ? null : viewer.authority;
    const groups = own?.own.filter(isGroupWord) ?? [];
    const total = (assignee?: string[]) => countInbox(call.client, defined({ assignee }));
    return within(call, async () => {
      const [all, mine, ofGroups] = await Promise.all([
        total(),
        own === null ? null : total([...own.own, ...own.delegated.map(({ word }) => word), ANYONE]),
        own === null ? null : groups.length === 0 ? 0 : total(groups),
      ]);
      return { all, mine, groups: ofGroups };
    });
  },
});

/** A review's id has slashes: it is one part of the path. */
export const reviewParams = z.object({
  review: z.string().min(1).meta({ example: "agent/refund-7/refund_card/1" }),
});

const showReviewEndpoint = endpoint({
  method: "get",
  path: "/api/inbox/{review}",
  needs: ["read"],
  operation: "showReview",
  summary: "A review, open or closed: the call, who may decide, and the votes; an open one needs no worker",
  tag: INBOX_TAG,
  params: reviewParams,
  query: z.object({ person }),
  answer: ReviewCard,
  errors: ["review_not_found", "no_worker"],
  tagged: true,
  run: ({ params, query, call }) =>
    within(call, async () =>
      reviewCard(await findReview(call.client, params.review), viewerOf(call, query.person), call.web),
    ),
});

const reviewReasonsEndpoint = endpoint({
  method: "get",
  path: "/api/inbox/{review}/reasons",
  needs: ["read"],
  operation: "reviewReasons",
  summary: "Why a review was opened: program and place, the model's text, cost, and earlier questions",
  tag: INBOX_TAG,
  params: reviewParams,
  answer: z
    .looseObject({ workflow_id: z.string(), before: z.array(z.looseObject({ id: z.string() })) })
    .meta({ id: "ReviewReasons" }),
  errors: ["review_not_found", "not_found"],
  run: ({ params, call }) =>
    within(call, async () => (await reviewReasons(call.client, await findReview(call.client, params.review))) as never),
});

const likeCasesEndpoint = endpoint({
  method: "get",
  path: "/api/inbox/{review}/like-cases",
  needs: ["read"],
  operation: "likeCases",
  summary: "Earlier decisions in like cases of the same agent or graph",
  tag: INBOX_TAG,
  params: reviewParams,
  query: z.object({ size: z.coerce.number().int().min(1).max(20).optional() }),
  answer: z
    .object({
      cases: z.array(z.looseObject({ workflow_id: z.string(), id: z.string() })),
      looked_at: z.int().meta({ description: "Workflows whose histories were read" }),
      more: z.boolean().meta({ description: "There are older ones that were not looked at" }),
    })
    .meta({ id: "LikeCases" }),
  errors: ["review_not_found", "not_found"],
  run: ({ params, query, call }) =>
    within(call, async () => {
      const found = await findReview(call.client, params.review);
      return (await likeCases(call.client, found, query.size)) as never;
    }),
});

/** @throws NavigatorError `seal_mismatch` for a decision without a seal about a review that has one */
export function checkSeen(seal: string | null | undefined, review: { id: string; seal?: string | undefined }): void {
  if (review.seal === undefined || typeof seal === "string") return;
  throw new NavigatorError("seal_mismatch", `The decision does not name the seal of review "${review.id}".`, {
    hint: "Send `seal` as the review has it, so that nothing is decided that nobody has seen.",
    details: { seal: review.seal },
  });
}

/** The endpoints of open reviews, and of a card. */
export const inboxEndpoints = [
  listInboxEndpoint,
  countInboxEndpoint,
  showReviewEndpoint,
  reviewReasonsEndpoint,
  likeCasesEndpoint,
];
