import { isObject } from "../core/base/is-object";
import type { ModelErrorClass } from "./model";

/** Errors that providers report in the middle of a stream instead of a status, each in its own words. */
const WORDS: [RegExp, ModelErrorClass][] = [
  [/rate_?limit|resource_?exhausted|quota/i, "rate_limit"],
  [/time_?out|timed out|deadline/i, "timeout"],
  [/auth|permission/i, "auth_error"],
  [/invalid_request|not_found|content_filter/i, "client_error"],
];

/** A stream that its provider ended early. */
export class BrokenStream extends Error {
  constructor(
    message: string,
    /** The status of the response, if the provider reports one. */
    readonly status: number | undefined,
    readonly errorClass: ModelErrorClass,
  ) {
    super(message);
  }
}

/** The error of a stream as an Error; errors stay unchanged. */
export function brokenStream(sent: unknown): unknown {
  if (sent instanceof Error || (isObject(sent) && typeof sent.name === "string")) return sent;
  const { message, type, code, status } = (isObject(sent) ? sent : {}) as { [field: string]: unknown };
  const number = [code, status].map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  const words = `${type ?? ""} ${code ?? ""} ${status ?? ""}`;
  const errorClass = WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "server_error";
  return new BrokenStream(typeof message === "string" ? message : JSON.stringify(sent), number, errorClass);
}
