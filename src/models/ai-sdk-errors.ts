import { defined } from "../core/base/defined";
import { thrownText } from "../core/base/navigator-error";
import { retryAfterMs } from "../node/retry-after";
import { BrokenStream } from "./ai-sdk-broken";
import { ModelError, type ModelErrorClass } from "./model";
import { redact } from "./redact";

/**
 * Maps the AI SDK's errors, and their causes, to our classes. They are recognised by name, not by `instanceof`: the
 * SDK's packages may be installed more than once.
 */
interface Thrown {
  name: string;
  message: string;
  statusCode?: number;
  responseHeaders?: { [name: string]: string };
  responseBody?: string;
  url?: string;
  cause?: unknown;
}

const MALFORMED = [
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_NoContentGeneratedError",
  "AI_EmptyResponseBodyError",
  "AI_NoOutputGeneratedError",
];
const TIMED_OUT = ["TimeoutError", "AbortError", "HeadersTimeoutError", "BodyTimeoutError", "ConnectTimeoutError"];

export interface CallPlace {
  /** As the user wrote it: `openai/gpt-x`. */
  model: string;
  /** The address of requests, if known. */
  address: string | undefined;
  /** Values that must never appear in a message. */
  secrets: readonly string[];
  /** Milliseconds after which the call was given up. */
  timeout_ms: number;
  now: number;
}

/** Turns an error of the AI SDK into a ModelError, without the secrets of the call. */
export function toModelError(error: unknown, place: CallPlace): ModelError {
  if (error instanceof ModelError) return error;
  const thrown = isThrown(error) ? error : { name: "Error", message: thrownText(error) };
  const { errorClass, problem } = classify(thrown, place);
  const retry_after_ms = retryAfterMs(thrown.responseHeaders, place.now);
  return new ModelError(errorClass, redact(`${place.model}: ${problem}`, place.secrets), defined({ retry_after_ms }));
}

function classify(thrown: Thrown, place: CallPlace): { errorClass: ModelErrorClass; problem: string } {
  if (thrown instanceof BrokenStream)
    return {
      errorClass: thrown.status === undefined ? thrown.errorClass : classOfStatus(thrown.status),
      problem: `the provider broke off: ${thrown.message}`,
    };
  const chain = causes(thrown);
  if (thrown.name === "AI_LoadAPIKeyError" || thrown.name === "AI_LoadSettingError")
    return { errorClass: "config_error", problem: thrown.message };
  const status = thrown.statusCode;
  if (status !== undefined && status >= 400)
    return { errorClass: classOfStatus(status, thrown.responseBody), problem: statusText(status, thrown) };
  if (chain.some(({ name }) => TIMED_OUT.includes(name)))
    return { errorClass: "timeout", problem: `no answer within ${place.timeout_ms / 1_000} s` };
  if (chain.some(({ name }) => MALFORMED.includes(name)))
    return {
      errorClass: "malformed_response",
      problem: `the answer does not follow the provider's protocol (${malformation(chain)})`,
    };
  const network = chain.find(
    (one) =>
      typeof (one as { code?: unknown }).code === "string" ||
      /fetch failed|terminated|socket|other side closed/i.test(one.message),
  );
  if (network)
    return {
      errorClass: "server_error",
      problem: `cannot reach ${origin(place.address ?? thrown.url)}: ${networkText(chain)}`,
    };
  if (status !== undefined)
    return { errorClass: "malformed_response", problem: `the answer could not be read (${thrown.message})` };
  return { errorClass: "unknown", problem: thrown.message };
}

function classOfStatus(status: number, body = ""): ModelErrorClass {
  if (status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status >= 500) return "server_error";
  if (status === 401 || status === 403) return "auth_error";
  if (status === 404 || /model_not_found/.test(body)) return "llm_not_found";
  // Google reports this in the body of a plain 400.
  if (/API_KEY_INVALID/.test(body)) return "auth_error";
  return "client_error";
}

const HELP: { [status: number]: string } = {
  401: "Check the API key.",
  403: "Check the API key and what it may do.",
  404: "Check the model's name and the base URL.",
};

function statusText(status: number, thrown: Thrown): string {
  const help = HELP[status];
  return `the provider answered ${status}: ${thrown.message}${help === undefined ? "" : `${/[.!?]$/.test(thrown.message) ? "" : "."} ${help}`}`;
}

function causes(thrown: Thrown): Thrown[] {
  const chain: Thrown[] = [];
  for (let at: unknown = thrown; isThrown(at) && chain.length < 6; at = at.cause) chain.push(at);
  return chain;
}

/** Not by class: errors of Node's own code may come from another realm. */
const isThrown = (error: unknown): error is Thrown =>
  typeof error === "object" && error !== null && typeof (error as Thrown).message === "string";

function malformation(chain: Thrown[]): string {
  const cause = chain.find(({ name }) => MALFORMED.includes(name)) as Thrown;
  if (cause.name === "AI_JSONParseError") return "no JSON";
  if (cause.name === "AI_TypeValidationError") return "unexpected fields";
  return cause.message;
}

function networkText(chain: Thrown[]): string {
  const innermost = chain.at(-1) as Thrown & { code?: string };
  return innermost.message || innermost.code || "no connection";
}

/** Host and port only: paths and queries may carry secrets. */
function origin(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return "the provider";
  return new URL(url).origin;
}
