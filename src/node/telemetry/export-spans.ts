import { NavigatorError } from "../../core/base/navigator-error";
import { cutText } from "../../core/base/whole-characters";
import { otlpTraces } from "../../core/history/spans/otlp-json";
import type { Attributes, PlainSpan } from "../../core/history/spans/plain-span";
import { type OtlpTarget, shownAddress } from "./settings";

/** Spans in one request: collectors refuse bodies of some MB. */
const SPANS_AT_ONCE = 500;
const LIMIT_MS = 30_000;
/** Of an answer that refuses: enough to see why. */
const MAX_ANSWER_CHARS = 300;

/**
 * Sends spans to a collector as OTLP/HTTP in JSON. To send the same spans again changes nothing: their ids are the same.
 *
 * @throws NavigatorError `service_unavailable` if it cannot be reached, or does not take all of them
 */
export async function sendSpans(
  spans: readonly PlainSpan[],
  { url, headers }: OtlpTarget,
  resource: Attributes,
  scope: { name: string; version: string },
): Promise<void> {
  for (let at = 0; at < spans.length; at += SPANS_AT_ONCE) {
    const body = JSON.stringify(otlpTraces(spans.slice(at, at + SPANS_AT_ONCE), resource, scope));
    const answer = await post(url, { ...headers, "content-type": "application/json" }, body);
    const answerText = await answer.text();
    if (!answer.ok)
      throw refused(
        url,
        `it answered ${answer.status}${answerText === "" ? "" : `: ${cutText(answerText, MAX_ANSWER_CHARS)}`}`,
      );
    const left = rejected(answerText);
    if (left !== null) throw refused(url, left);
  }
}

async function post(url: string, headers: { [name: string]: string }, body: string): Promise<Response> {
  try {
    return await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(LIMIT_MS) });
  } catch (error) {
    const { message, cause } = error as Error;
    const { message: why, code } = (cause ?? {}) as { message?: string; code?: string };
    throw refused(url, why || code || message);
  }
}

/** The note of a collector that accepted only a part. Its answer may be empty, or no JSON. */
function rejected(answerText: string): string | null {
  const [, count] = /"rejectedSpans"\s*:\s*"?(\d+)/.exec(answerText) ?? [];
  return count === undefined || count === "0"
    ? null
    : `it rejected ${count} spans: ${cutText(answerText, MAX_ANSWER_CHARS)}`;
}

function refused(address: string, why: string): NavigatorError {
  const url = shownAddress(address);
  return new NavigatorError("service_unavailable", `The collector at ${url} did not take the spans: ${why}.`, {
    hint: "Check that it listens for OTLP over HTTP (usually port 4318), and the headers that it needs. Sending again repeats nothing.",
    details: { path: url, kind: "collector", url },
  });
}
