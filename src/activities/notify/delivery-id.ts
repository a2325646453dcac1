import { createHash } from "node:crypto";
import type { Delivery } from "../../core/review/delivery";
import type { Notification } from "../../core/review/notification";

/**
 * The id of a message: the same on every attempt and every worker, and another one for each notification, channel and
 * recipient. Receivers drop what they have got under it.
 */
export function deliveryId(notification: Notification, { channel, to }: Delivery): string {
  const about =
    "review" in notification
      ? [notification.review.id, notification.event, notification.at ?? notification.review.reminders]
      : [notification.idempotency_key];
  const text = JSON.stringify([notification.workflow_id, ...about, channel, to]);
  return `msg_${createHash("sha256").update(text).digest("base64url").slice(0, 32)}`;
}
