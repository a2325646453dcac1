import { defined } from "../base/defined";
import type { Json } from "../base/json";
import { cutText } from "../base/whole-characters";
import type { Delivery, ReviewEvent } from "./delivery";
import type { Review } from "./review-schema";

/** The messages to people outside of Navigator (approvals reference, section 8). */
export type Notification = ReviewNotification | EscalationNotification;

/** A task ended with `alert` or `ticket`, and somebody should act (graph reference, section 1.1). */
export interface EscalationNotification {
  event: "task_alert" | "task_ticket";
  workflow_id: string;
  /** The same on every attempt: a tool that files tickets by it files one. */
  idempotency_key: string;
  task: {
    id: string;
    issue: string;
    workflow: string;
    /** The end node and its name. */
    step: string;
    title: string;
    end_result: string;
    /** The step before it, how it was left, and its output. */
    last_step: string | null;
    last_result: string | null;
    last_output: Json;
  };
}

/** People are asked to decide, or are reminded (engine reference, section 6). */
export interface ReviewNotification {
  event: ReviewEvent;
  workflow_id: string;
  /** When it was written, ms since 1970. */
  at: number;
  review: {
    id: string;
    title: string;
    kind: string;
    choices: string[];
    /** Empty = anyone. */
    assignees: string[];
    /** How often people were reminded. */
    reminders: number;
    /** Markdown, its beginning if it is long. */
    body: string;
    /** What a decision must name, so that it counts for exactly what was asked. */
    seal?: string;
    /** The last moment at which it can be decided, ms since 1970. */
    expires_at?: number;
  };
}

/** A delivery, and its text. */
export interface DeliverInput extends Delivery {
  notification: Notification;
}

/** The text of a question is in each message; the whole of it is in the inbox. */
const MAX_BODY_CHARS = 2_000;

/** The notification about a review, at `nowMs` (ms since 1970). */
export function reviewNotification(
  event: ReviewEvent,
  review: Review,
  workflowId: string,
  nowMs: number,
): ReviewNotification {
  const { id, title, kind, choices, assignees = [], reminders = 0, body, seal, expiresAt } = review;
  const cut = body.length > MAX_BODY_CHARS ? `${cutText(body, MAX_BODY_CHARS)} ...` : body;
  return {
    event,
    workflow_id: workflowId,
    at: nowMs,
    review: {
      ...{ id, title, kind, choices, assignees, reminders, body: cut },
      ...defined({ seal, expires_at: expiresAt }),
    },
  };
}
