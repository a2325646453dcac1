/** What a review remembers of its notifications (approvals reference, section 8). */

/** Why people are notified of a review. */
export type ReviewEvent = "review_opened" | "review_reminder" | "review_escalated" | "review_handed_over";

/** One message to one recipient through one channel: each is sent and retried separately. */
export interface Delivery {
  /** `webhook`, `slack`, `email`; `tool` for the tool that an escalation calls. */
  channel: string;
  /** The recipient as people may see it: a person or an address for a mail, a host or the name of a tool otherwise. */
  to: string;
  /** `to` is the name of one of the project's people. */
  person?: true;
}

/** What a worker makes of a notification: its deliveries, and how long they are tried. */
export interface DeliveryPlan {
  deliveries: Delivery[];
  /** A delivery that has failed for so long is shown in the inbox, ms. */
  show_after_ms: number;
  /** It is given up after so long in all, ms. */
  give_up_after_ms: number;
}

/** A message for people. Without a plan, no worker has chosen its receivers and channels yet. */
export interface Notice {
  event: ReviewEvent;
  /** When it was written, ms since 1970: it names the notice within the review. */
  at: number;
  /** How often people had been reminded then. */
  reminders: number;
  plan?: DeliveryPlan;
}

/** A delivery that failed: it is tried again, or was given up. */
export interface Undelivered {
  channel: string;
  to: string;
  error: string;
  /** Ms since 1970. */
  at: number;
  /** Nothing tries it any more. */
  given_up: boolean;
}
