import { randomBytes } from "node:crypto";
import * as z from "zod";
import { findReview } from "../../client/find-review";
import { flatten } from "../../client/mission-tree";
import { type ReviewReasons, reviewReasons } from "../../client/review/review-reasons";
import { readRunSheet } from "../../client/runs/run-sheet";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import { defined } from "../../core/base/defined";
import { agentWorkflowId, missionIdOf } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import { TICKET_KEY } from "../../core/review/card-ticket";
import type { Decision } from "../../core/review/review";
import { pageOf } from "../apps/views";
import { personsDecision, whoseOf } from "../client-features/persons-decision";
import { type DialogRight, dialogRight } from "../client-features/right-to-decide";
import { AnswerForView, type Call, CHANGE, LONGEST_CALL_MS, READ, tool } from "../context/tool";
import { askWorkflow } from "../results/errors";
import { effectsAnswer } from "../results/mission-texts";
import { EffectData, JournalRowData, missionId } from "../results/schemas";
import { PlacedReview, reviewIdArgument, withWorkflowId } from "./reviews";

/** The facts that the view of a mission shows: the answer of `app_get_mission`. Times in ms since 1970. */
export const ViewedMission = z.looseObject({
  workflowId: z.string(),
  /** The workflow of what a user started. */
  mission: z.string(),
  kind: z.enum(["agent", "task", "plan", "other"]),
  state: z.string(),
  started_at: z.number(),
  closed_at: z.number().optional(),
  asked: z.looseObject({
    agent: z.string().optional(),
    graph: z.string().optional(),
    mission: z.string().optional(),
    requested_by: z.string().optional(),
    context: z.unknown().optional(),
  }),
  /** Why it failed, and where that began; null: it did not. */
  failed: z
    .looseObject({
      workflow_id: z.string(),
      code: z.string(),
      message: z.string(),
      meaning: z.string().optional(),
      hint: z.string().optional(),
      turn: z.number().optional(),
      turn_error: z.string().optional(),
      program: z.string().optional(),
    })
    .nullable(),
  waits: z.array(
    z.looseObject({
      kind: z.string(),
      workflow_id: z.string(),
      title: z.string(),
      since: z.number(),
      assignees: z.array(z.string()),
      due: z.number().optional(),
      review: z.string().optional(),
    }),
  ),
  retrying: z.array(z.object({ what: z.string(), attempt: z.number(), message: z.string() })),
  summary: z.looseObject({
    turns: z.number(),
    tokens: z.looseObject({ total: z.number(), cost: z.number().optional() }),
  }),
  /** The oldest first. */
  log: z.array(JournalRowData.extend({ run: z.string() })),
  /** So many older records are not listed. */
  log_left_out: z.int(),
  effects: z.array(EffectData),
  effects_summary: z.string(),
  /** Its place in Mission Control. */
  page: z.string().optional(),
});
export type ViewedMission = z.infer<typeof ViewedMission>;

/** Records of the Mission Log, the last ones. */
const MAX_RECORDS = 200;
/** The largest input of a mission that the view shows, in characters. */
const MAX_CONTEXT_CHARS = 4_000;

export const appGetMissionTool = tool({
  name: "app_get_mission",
  title: "One mission for its view",
  description:
    "For the view: how a mission stands, what it waits for, its Mission Log and its effects. A model reads them with get_run, get_mission_log and get_effects.",
  input: z.strictObject({ id: missionId }),
  data: ViewedMission,
  hints: READ,
  view: "mission",
  appOnly: true,
  errors: ["not_found", "task_not_found"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ id: given }, call): Promise<ViewedMission> => {
    const { client } = call;
    const workflowId = agentWorkflowId(given);
    const sheet = await askWorkflow(workflowId, () => readRunSheet(client, workflowId));
    const { effects, summary: effectsSummary } = await effectsAnswer(client, workflowId);
    const { kind, state, started_at, closed_at, mission, asked, failed, waits, retrying, summary } = sheet;
    const records = flatten(sheet).flatMap(({ workflow_id, projection }) =>
      projection.rows.map(({ id, text, at, by }) => ({ run: workflow_id, id, text, at, by })),
    );
    records.sort((a, b) => a.at - b.at);
    return {
      ...{ workflowId, mission, kind, state, started_at, closed_at },
      asked: { ...asked, ...contextOf(asked.context) },
      failed: failed && { ...failed },
      waits: waits.map(({ kind: what, workflow_id, title, since, assignees, due, review }) => ({
        ...{ kind: what, workflow_id, title, since, assignees, due, review: review?.id },
      })),
      retrying,
      summary: { ...summary },
      log: records.slice(-MAX_RECORDS),
      log_left_out: Math.max(0, records.length - MAX_RECORDS),
      effects: effects as ViewedMission["effects"],
      effects_summary: effectsSummary,
      ...defined({ page: pageOf(`missions/${encodeURIComponent(workflowId)}`, call) }),
    };
  },
});

function contextOf(context: Json | undefined): { context?: Json } {
  if (context === undefined) return {};
  const shown = valueWithoutSecrets(context);
  const text = JSON.stringify(shown);
  return { context: text.length <= MAX_CONTEXT_CHARS ? shown : cutText(text, MAX_CONTEXT_CHARS) };
}

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
    // Only the card may have the ticket, unlike the rest of the answer: a caller that has it decides as this person.
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

/**
 * Takes the decision of the person at a card (approvals reference, section 1). The protocol does not show whether a person or a model
 * made a call, so the call proves that it comes from a card: by the ticket, which no model is shown.
 */
export const appDecideReviewTool = tool({
  name: "app_decide_review",
  title: "Decide on a card",
  description:
    "For the view: the decision that the person at the client made on a card. It needs the card's ticket. A model asks with decide_review.",
  input: z.strictObject({
    ticket: z.string().min(1).max(200).describe("Of the card; it counts once"),
    choice: z.string().describe("One of the review's choices"),
    note: z.string().describe("Why").optional(),
    value: z.unknown().describe("The arguments that change, or an answer").optional(),
  }),
  data: PlacedReview,
  scope: "decide",
  hints: CHANGE,
  view: "inbox",
  appOnly: true,
  errors: ["agents_may_not_decide", "seal_mismatch", "invalid_decision", "already_decided"],
  run: async ({ ticket: text, choice, note, value }, call) => {
    const ticket = ticketsOf(call).take(text);
    if (ticket === null)
      throw new NavigatorError("agents_may_not_decide", "No card that is open has this ticket.", {
        hint: "A person decides on the card of the review. Its ticket counts once, and for 15 minutes: the card gets another one when it is loaded again.",
      });
    const { workflow_id, review } = await findReview(call.client, ticket.review);
    if (review.seal !== ticket.seal || workflow_id !== ticket.workflow_id)
      throw new NavigatorError("seal_mismatch", `Review "${review.id}" asks something else than the card showed.`, {
        hint: "Look at the card again: it is loaded anew.",
      });
    // The person may have thought for minutes: check again that they may decide.
    const right = dialogRight(review, call);
    if (right.kind === "nobody" || whoseOf(right, call) !== ticket.whose)
      throw new NavigatorError(
        "agents_may_not_decide",
        right.kind === "nobody" ? right.why : "Somebody else is at the client now.",
        defined({ hint: right.kind === "nobody" ? right.hint : undefined }),
      );
    const chosen: Decision = {
      ...{ review: review.id, choice, by: ticket.whose },
      ...defined({ note: note === "" ? undefined : note, value: value as Json | undefined }),
    };
    const decision = await personsDecision(chosen, review, right, call);
    return withWorkflowId(workflow_id, await call.client.reviewed(workflow_id).decide(decision));
  },
});

/** What a ticket lets a card decide: one review as it was shown, by one person. */
interface Ticket {
  workflow_id: string;
  review: string;
  seal: string | undefined;
  /** Who was authenticated when the card was filled, as `whoseOf` gives it. */
  whose: string;
}

/** How long a card may be looked at before it is filled again. */
export const TICKET_MS = 15 * 60 * 1_000;
/** The cards of one session. The oldest is forgotten, and filled again. */
const MAX_TICKETS = 200;

/**
 * The tickets of a session (approvals reference, section 1). A card gets one with the review that it shows, in the part of an
 * answer that hosts give to views and not to models. A decision needs it, and uses it up.
 */
export class Tickets {
  private readonly open = new Map<string, { ticket: Ticket; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  issue(ticket: Ticket): { ticket: string; until: number } {
    const text = randomBytes(32).toString("base64url");
    const until = this.now() + TICKET_MS;
    this.open.set(text, { ticket, until });
    const [oldest] = this.open.keys();
    if (this.open.size > MAX_TICKETS && oldest !== undefined) this.open.delete(oldest);
    return { ticket: text, until };
  }

  /** What a ticket is for; null if it was never issued here, is used, forgotten or over. It does not count again. */
  take(text: string): Ticket | null {
    const found = this.open.get(text);
    this.open.delete(text);
    return found === undefined || found.until <= this.now() ? null : found.ticket;
  }
}

const byHolder = new WeakMap<object, Tickets>();

/**
 * Gives the tickets of a session, which has its own server. Since 2026-07-28 there are no sessions over HTTP, and every request has a
 * server: there the tickets are those of the caller.
 */
function ticketsOf({ server, extra, serverContext }: Pick<Call, "server" | "extra" | "serverContext">): Tickets {
  const holder = serverContext.callers?.(extra.authInfo?.clientId ?? "") ?? server;
  const known = byHolder.get(holder) ?? new Tickets();
  byHolder.set(holder, known);
  return known;
}
