import { ActivityFailure, TimeoutFailure } from "@temporalio/common";
import { CancellationScope, condition, isCancellation, workflowInfo } from "@temporalio/workflow";
import type { ReviewBook } from "../core/review/book";
import type { Delivery, DeliveryPlan, Notice, ReviewEvent, Undelivered } from "../core/review/delivery";
import { type EscalationNotification, type Notification, reviewNotification } from "../core/review/notification";
import { withNotice, withoutDelivery, withoutNotices, withPlan, withUndelivered } from "../core/review/outbox";
import type { Review } from "../core/review/review";
import { deliveryCalls, planDeliveryCalls } from "./activity-calls";
import { rootCause } from "./failures";

/**
 * Sends the notices of reviews (approvals reference, section 8). A worker decides who receives a notice. Each delivery
 * is a separate activity, so only a failed delivery is retried. An unconfirmed delivery stays on the review and
 * continues as new with it. Nobody waits for a delivery, and when the review is closed the rest is dropped.
 */
export class Outbox {
  constructor(
    private readonly book: Pick<ReviewBook, "get" | "open" | "change">,
    /** Called when what people see has changed: a delivery failed, or one that had failed arrived. */
    private readonly changed: () => void,
  ) {}

  /** Notifies people of an open review. */
  send(event: ReviewEvent, { id, reminders = 0 }: Review): void {
    const notice: Notice = { event, at: Date.now(), reminders };
    this.book.change(id, (review) => withNotice(review, notice));
    void this.carry(id, notice);
  }

  /** In the run that continued: what was under way and not confirmed is sent again, under the same ids. */
  resume(): void {
    for (const { id, notices = [] } of this.book.open()) for (const notice of notices) void this.carry(id, notice);
  }

  private isOpen(id: string): boolean {
    return this.book.get(id)?.status === "open";
  }

  /** Never rejects: nobody waits for it. */
  private async carry(id: string, notice: Notice): Promise<void> {
    const scope = new CancellationScope();
    let over = false;
    const sent = scope
      .run(() => this.deliverAll(id, notice))
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.fail(id, notice, EVERYBODY, error, true);
      })
      .finally(() => {
        over = true;
      });
    await condition(() => over || !this.isOpen(id)).catch(ignoreCancellation);
    if (!over) scope.cancel();
    await sent;
    if (!this.isOpen(id)) this.book.change(id, withoutNotices);
  }

  private async deliverAll(id: string, notice: Notice): Promise<void> {
    const notification = this.notification(id, notice);
    if (notification === null) return;
    const plan = notice.plan ?? (await planDeliveryCalls(summaryOf(notification)).planDeliveries(notification));
    this.book.change(id, (review) => withPlan(review, notice, plan));
    await Promise.all(plan.deliveries.map((delivery) => this.deliver(id, notice, delivery, plan)));
  }

  private async deliver(id: string, notice: Notice, delivery: Delivery, plan: DeliveryPlan): Promise<void> {
    // In two parts: after the first one people see in the inbox that it fails, while it is tried on.
    const showAt = Math.max(notice.at + plan.show_after_ms, Date.now() + LEAST_MS);
    const parts = [...(this.isShown(id, delivery) ? [] : [showAt]), notice.at + plan.give_up_after_ms];
    for (const [i, until] of parts.entries()) {
      const notification = this.notification(id, notice);
      if (notification === null) return;
      try {
        await deliver(delivery, notification, until - Date.now());
        return this.confirm(id, notice, delivery);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const givenUp = i === parts.length - 1 || isFinal(error);
        this.fail(id, notice, delivery, error, givenUp);
        if (givenUp) return;
      }
    }
  }

  private isShown(id: string, { channel, to }: Delivery): boolean {
    const { unheard: undelivered = [] } = this.book.get(id) ?? {};
    return undelivered.some((one) => one.channel === channel && one.to === to);
  }

  private confirm(id: string, notice: Notice, delivery: Delivery): void {
    const shown = this.book.get(id)?.unheard?.length;
    this.book.change(id, (review) => withoutDelivery(review, notice, delivery, null));
    if (this.book.get(id)?.unheard?.length !== shown) this.changed();
  }

  private fail(id: string, notice: Notice, delivery: Delivery, error: unknown, given_up: boolean): void {
    const { channel, to } = delivery;
    const undelivered: Undelivered = { channel, to, error: reasonOf(error), at: Date.now(), given_up };
    this.book.change(id, (review) =>
      given_up
        ? withoutDelivery(review, notice, delivery, undelivered)
        : withUndelivered(review, delivery, undelivered),
    );
    this.changed();
  }

  /** As the review is now; null when it is gone. */
  private notification(id: string, { event, at, reminders }: Notice): Notification | null {
    const review = this.book.get(id);
    if (review === undefined) return null;
    return reviewNotification(event, { ...review, reminders }, workflowInfo().workflowId, at);
  }
}

/** Notifies people of an alert or a ticket, with a separate delivery for each. Returns how many deliveries failed. */
export async function sendAlert(alert: EscalationNotification): Promise<number> {
  let lost = 0;
  const lose = (error: unknown) => {
    if (isCancellation(error)) throw error;
    lost += 1;
  };
  try {
    const { deliveries, give_up_after_ms } = await planDeliveryCalls(summaryOf(alert)).planDeliveries(alert);
    await Promise.all(deliveries.map((one) => deliver(one, alert, give_up_after_ms).catch(lose)));
  } catch (error) {
    lose(error);
  }
  return lost;
}

const deliver = (delivery: Delivery, notification: Notification, limit_ms: number): Promise<void> =>
  deliveryCalls(
    `${delivery.channel} to ${delivery.to}: ${summaryOf(notification)}`,
    Math.max(limit_ms, LEAST_MS),
  ).deliver({
    ...delivery,
    notification,
  });

/** A run that continued late makes one more attempt. */
const LEAST_MS = 1_000;

/** The receiver of a notice whose receivers no worker could name. */
const EVERYBODY: Delivery = { channel: "notifications", to: "everybody" };

/**
 * Whether no further attempt would succeed. The server marks a call the same way when its time ran out in the middle of
 * an attempt; such a call has only been slow.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || error.retryState !== "NON_RETRYABLE_FAILURE") return false;
  return !(error.cause instanceof TimeoutFailure);
}

function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  return cause instanceof TimeoutFailure ? "no answer in time: it may have arrived" : cause.message;
}

const summaryOf = (notification: Notification): string => {
  const { title } = "review" in notification ? notification.review : notification.task;
  return `${notification.event.replace("_", " ")}: ${title}`;
};

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
