import { createHash, createHmac } from "node:crypto";
import { webhookSignature } from "../../activities/notify/webhook";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { sameText } from "../../node/http/authenticate";
import type { HOOK_SIGNATURES } from "../../project/hooks";

/** An event is taken so long before and after the time that its signature has, in ms. */
const WINDOW_MS = 5 * 60_000;

/** A webhook as it was sent: the body exactly as it was signed. */
export interface SentWebhook {
  text: string;
  /** With names in lower case. */
  headers: { readonly [name: string]: string };
}

type Scheme = (sent: SentWebhook, secret: string, nowMs: number) => string | undefined;

/**
 * Checks the signature of a webhook, and that it was sent now (web reference, section 15).
 *
 * @returns the id of the event: the same for all attempts to deliver it
 * @throws NavigatorError `unauthenticated`, `invalid_input` for one without an id
 */
export function checkWebhook(
  scheme: (typeof HOOK_SIGNATURES)[number],
  sent: SentWebhook,
  secret: string,
  nowMs: number,
): string {
  const id = SCHEMES[scheme](sent, secret, nowMs);
  if (id !== undefined && id !== "") return id;
  throw new NavigatorError("invalid_input", `The webhook has no id of its event, as ${scheme} signs them.`, {
    details: { path: "id" },
  });
}

const SCHEMES: { readonly [scheme in (typeof HOOK_SIGNATURES)[number]]: Scheme } = {
  standard: ({ text, headers }, secret, nowMs) => {
    const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signatures = "" } = headers;
    checkTime(Number(time) * 1_000, nowMs);
    const expected = webhookSignature(secret, id, time, text);
    checkOne(signatures.split(" "), expected);
    return id;
  },
  // GitHub signs the body alone, neither a time nor the id of the delivery. So the same body is the same event, also much later.
  github: ({ text, headers }, secret) => {
    checkOne([headers["x-hub-signature-256"] ?? ""], `sha256=${hex(secret, text)}`);
    return createHash("sha256").update(text).digest("hex");
  },
  stripe: ({ text, headers }, secret, nowMs) => {
    const fields = (headers["stripe-signature"] ?? "").split(",").map((field) => field.trim().split("="));
    const of = (name: string) => fields.flatMap(([key, value = ""]) => (key === name ? [value] : []));
    const [time = ""] = of("t");
    checkTime(Number(time) * 1_000, nowMs);
    checkOne(of("v1"), hex(secret, `${time}.${text}`));
    const body = readJson(text);
    return isObject(body) && typeof body.id === "string" ? body.id : undefined;
  },
};

/** null: it is no JSON, and so has no id. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

const hex = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

function checkOne(given: readonly string[], expected: string): void {
  // All are compared, so that the time says nothing.
  if (given.filter((one) => sameText(one, expected)).length > 0) return;
  throw new NavigatorError("unauthenticated", "The signature of the webhook is not valid.", {
    hint: "The sender and this server must have the same secret.",
  });
}

function checkTime(at: number, nowMs: number): void {
  if (Math.abs(nowMs - at) <= WINDOW_MS) return;
  throw new NavigatorError("unauthenticated", "The webhook was not signed within the last 5 minutes.", {
    hint: "Check the clock of this server (NTP).",
  });
}
