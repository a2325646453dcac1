import { createHash } from "node:crypto";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Delivery, DeliveryPlan } from "../../core/review/delivery";
import type { DeliverInput, Notification } from "../../core/review/notification";
import { NO_PEOPLE, type PeopleFile } from "../../core/review/people/people-file";
import type { PrivateKey } from "../../node/identity/keys";
import { makeLink } from "../../node/identity/one-use-link";
import { receiverAddress } from "./address";
import type { Channel } from "./channel";
import { type EmailOptions, emailChannel } from "./email";
import { slackChannel } from "./slack";
import { webhookChannel } from "./webhook";

/** How people are notified of reviews, reminders, alerts and tickets (approvals reference, section 8). */
export interface NotifyOptions {
  /** A POST of JSON, signed with the secret. */
  webhook?: { url: string; secret?: string; allowPlain?: boolean };
  /** An incoming webhook of Slack, or of a service that is compatible. */
  slack?: { url: string; allowPlain?: boolean };
  email?: EmailOptions;
  /** The page that links lead to, and the key of a service that may vouch, which signs them. */
  page?: { url: string; key?: PrivateKey };
  /** A delivery that has failed for so long is shown in the inbox, ms. Default: 5 minutes. */
  showAfterMs?: number;
  /** It is tried for so long in all, ms. Default: one day. */
  giveUpAfterMs?: number;
}

/** Notifies people: the outbox calls it through activities. */
export interface Notifier {
  plan(notification: Notification): DeliveryPlan;
  /** @throws DeliveryError */
  deliver(input: DeliverInput, signal: AbortSignal): Promise<void>;
}

const SHOW_AFTER_MS = 5 * 60_000;
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;
/** A link counts so long, or until the review expires. */
const LINK_VALID_MS = 7 * 24 * 60 * 60_000;

/** @throws NavigatorError `bad_config` for an address that cannot be used */
export function createNotifier(options: NotifyOptions, people: () => PeopleFile = () => NO_PEOPLE): Notifier {
  const channels = channelsOf(options, people);
  const { page } = options;
  const shown = page && {
    url: receiverAddress(page.url, "notify.page_url", HTTP).href.replace(/[#?].*$/, ""),
    key: page.key,
  };
  return {
    plan: (notification) => ({
      deliveries: [...channels].flatMap(([name, channel]) =>
        channel.recipients(notification).map((recipient) => ({ channel: name, ...recipient })),
      ),
      show_after_ms: options.showAfterMs ?? SHOW_AFTER_MS,
      give_up_after_ms: options.giveUpAfterMs ?? GIVE_UP_AFTER_MS,
    }),
    async deliver({ notification, ...delivery }, signal) {
      const channel = channels.get(delivery.channel);
      if (channel === undefined)
        throw new NavigatorError("bad_config", `This worker has no settings for the channel ${delivery.channel}.`, {
          details: { path: `notify.${delivery.channel}` },
        });
      const id = deliveryId(notification, delivery);
      const link = shown === undefined ? null : await linkTo(shown, { notification, delivery, id }, people);
      await channel.send({ ...delivery, id, notification, link }, signal);
    },
  };
}

const HTTP = { plain: "http", tls: "https" };

function channelsOf({ webhook, slack, email }: NotifyOptions, people: () => PeopleFile): Map<string, Channel> {
  const channels = new Map<string, Channel>();
  if (webhook !== undefined) {
    const url = receiverAddress(webhook.url, "notify.webhook.url", HTTP, webhook.allowPlain);
    channels.set("webhook", webhookChannel(url, webhook.secret));
  }
  if (slack !== undefined) {
    const url = receiverAddress(slack.url, "notify.slack.url", HTTP, slack.allowPlain);
    channels.set("slack", slackChannel(url));
  }
  if (email !== undefined) {
    // With `smtp:` TLS begins after the greeting, and is demanded there.
    const smtp = receiverAddress(email.smtp, "notify.email.smtp", { plain: "smtp", tls: "smtps" }, true);
    channels.set("email", emailChannel(smtp, email, people));
  }
  return channels;
}

/** The address at which the review of a notification is decided; null: it is about no review. */
async function linkTo(
  page: { url: string; key: PrivateKey | undefined },
  { notification, delivery, id }: { notification: Notification; delivery: Delivery; id: string },
  people: () => PeopleFile,
): Promise<string | null> {
  if (!("review" in notification)) return null;
  const { id: review, seal, expires_at = Number.POSITIVE_INFINITY } = notification.review;
  const address = `${page.url.replace(/\/$/, "")}/inbox/${encodeURIComponent(review)}`;
  // A link that nobody may vouch for would be refused when a person needs it.
  if (page.key === undefined || notification.at === undefined || !mayVouch(people(), page.key)) return address;
  const person = delivery.person === true ? delivery.to : null;
  const expires = Math.min(expires_at, notification.at + LINK_VALID_MS);
  const token = await makeLink({ review, person, seal: seal ?? null, expires, id }, page.key);
  // In the fragment: no server and no proxy writes it into a log.
  return `${address}#token=${token}`;
}

const mayVouch = ({ services }: PeopleFile, { kid }: PrivateKey): boolean =>
  Object.values(services).some(
    ({ keys, may }) => may.includes("vouch") && keys.some((key) => key.kid === kid && key.revoked === undefined),
  );

/**
 * The id of a message: the same on every attempt and every worker, and another one for each notification, channel and
 * recipient. Receivers drop a second message with the same id.
 */
function deliveryId(notification: Notification, { channel, to }: Delivery): string {
  const about =
    "review" in notification
      ? [notification.review.id, notification.event, notification.at ?? notification.review.reminders]
      : [notification.idempotency_key];
  const text = JSON.stringify([notification.workflow_id, ...about, channel, to]);
  return `msg_${createHash("sha256").update(text).digest("base64url").slice(0, 32)}`;
}
