import { joinLines } from "../../core/base/one-line";
import type { Delivery, ReviewEvent } from "../../core/review/delivery";
import { quotation } from "../../core/review/markdown";
import type { Notification } from "../../core/review/notification";

/** A channel that notifies people: webhook, Slack, e-mail (approvals reference, section 8). */
export interface Channel {
  /** The recipients of a notification. Nobody: `[]`. */
  recipients(notification: Notification): Omit<Delivery, "channel">[];
  /**
   * Sends one message. A receiver recognizes a repeated message by its id.
   *
   * @throws DeliveryError without secrets and addresses that are secrets
   */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
}

/** One message to one recipient. */
export interface OutgoingMessage extends Omit<Delivery, "channel"> {
  /** The same on every attempt. */
  id: string;
  notification: Notification;
  /** Where it is decided. It is the recipient's own if `person` is set. null: the project has no page. */
  link: string | null;
}

/** A message was not delivered. */
export class DeliveryError extends Error {
  /** No attempt with the same message would succeed. */
  readonly final: boolean;
  /** The recipient asks for this pause, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { final = false, retryAfterMs }: { final?: boolean; retryAfterMs?: number } = {}) {
    super(message);
    this.name = "DeliveryError";
    this.final = final;
    this.retryAfterMs = retryAfterMs;
  }
}

const HEADLINES: { [event in ReviewEvent | "task_alert" | "task_ticket"]: string } = {
  review_opened: "Decision needed",
  review_reminder: "Reminder",
  review_escalated: "Escalated to you",
  review_handed_over: "Handed over to you",
  task_alert: "Alert",
  task_ticket: "Ticket",
};

/** The message in one line, for subjects and titles. */
export function headline(notification: Notification): string {
  const title = "review" in notification ? notification.review.title : notification.task.title;
  return `${HEADLINES[notification.event]}: ${joinLines(title).replace(/\s+/g, " ").trim()}`;
}

/** The choices and the people of a review, a line each: a program has chosen the words. */
export const decisionFacts = (choices: readonly string[], assignees: readonly string[]): string[] =>
  [`Choices: ${choices.join(" | ")}`, `For: ${assignees.length === 0 ? "anyone" : assignees.join(", ")}`].map(
    joinLines,
  );

/** The text that follows, as a quotation: what a model or a program wrote cannot pass for a line of Navigator. "" for none. */
export function quotedBody(notification: Notification): string {
  const body = bodyOf(notification);
  return body === "" ? "" : `The mission wrote:\n${quotation(body, "")}`;
}

function bodyOf(notification: Notification): string {
  if ("review" in notification) return notification.review.body ?? "";
  const { id, issue, step, end_result, last_step, last_result } = notification.task;
  const last = last_step === null ? "" : ` after ${last_step} (${last_result})`;
  return `Task ${id} of ${issue} ended at ${step}${last}: ${end_result}`;
}
