import { isObject } from "../core/base/is-object";
import type { ModelErrorClass } from "./model";

/** Providers say in the middle of a stream what otherwise a status would: each in words of its own. */
const WORDS: [RegExp, ModelErrorClass][] = [
  [/rate_?limit|resource_?exhausted|quota/i, "rate_limit"],
  [/time_?out|timed out|deadline/i, "timeout"],
  [/auth|permission/i, "auth_error"],
  [/invalid_request|not_found|content_filter/i, "client_error"],
];

/** A stream that its provider broke off. */
export class BrokenStream extends Error {
  constructor(
    message: string,
    /** As the status of an answer, where the provider says one. */
    readonly status: number | undefined,
    readonly errorClass: ModelErrorClass,
  ) {
    super(message);
  }
}

/** The error of a stream as something to throw: errors stay what they are. */
export function brokenStream(said: unknown): unknown {
  if (said instanceof Error || (isObject(said) && typeof said.name === "string")) return said;
  const { message, type, code, status } = (isObject(said) ? said : {}) as { [field: string]: unknown };
  const number = [code, status].map(Number).find((one) => Number.isInteger(one) && one >= 400 && one < 600);
  const words = `${type ?? ""} ${code ?? ""} ${status ?? ""}`;
  const errorClass = WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "server_error";
  return new BrokenStream(typeof message === "string" ? message : JSON.stringify(said), number, errorClass);
}
