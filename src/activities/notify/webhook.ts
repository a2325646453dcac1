import { createHmac } from "node:crypto";
import type { Channel } from "./channel";
import { postJson } from "./post-json";

/**
 * A POST of JSON, signed by the Standard Webhooks specification: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature: v1,` with an HMAC-SHA256 in base64 over `ID.TIMESTAMP.BODY`.
 */
export function webhookChannel(url: URL, secret: string | undefined, now: () => number = Date.now): Channel {
  return {
    recipients: () => [{ to: url.host }],
    async send({ id, notification, link }, signal) {
      const body = JSON.stringify({ id, ...notification, ...(link === null ? {} : { link }) });
      const timestamp = String(Math.floor(now() / 1_000));
      await postJson(
        url,
        body,
        {
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          ...(secret === undefined ? {} : { "webhook-signature": webhookSignature(secret, id, timestamp, body) }),
        },
        signal,
      );
    },
  };
}

/** The prefix of secrets in the specification: the rest is the key in base64. */
const PREFIX = "whsec_";

/** The signature of the specification, over the text of a body. */
export function webhookSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
