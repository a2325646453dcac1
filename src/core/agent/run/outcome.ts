import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import { type Failure, reasonOf, receivedFailure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { PMap } from "../../lisp/values/collections";
import { LispError } from "../../lisp/values/errors";
import { lookup } from "../../lisp/values/lookup";
import { printValue } from "../../lisp/values/print";
import { isTooLarge, TraversalLimit } from "../../lisp/values/traversal-limit";
import { Keyword, type Value } from "../../lisp/values/values";
import { checkValue, type Mismatch } from "../../signature/check";
import type { AgentDefinition } from "../definition/definition";
import { agentSignature } from "../definition/definition";
import { normaliseKeys, returnedJson, unsendable } from "../result/result-value";
import { MAX_RETURN_BYTES } from "../result/sizes";
import { describe } from "./run-memory";

/** The verdict on a value that a program returned (agent reference, section 9). */
type Judged =
  | { kind: "fits"; result: Json }
  | { kind: "misfit"; mismatches: Mismatch[]; actual: Json; text: string }
  /** The value cannot leave the program: it is nested too deep, or too large for one payload. */
  | { kind: "unusable"; fail: Failure };

/**
 * Checks a value against the agent's signature. A run that can be woken (`mayWait`: it has a journal) may always return
 * that it waits: this is not a result yet, so the signature does not apply.
 */
export function judgeReturn(agent: AgentDefinition, value: Value, mayWait = false): Judged {
  try {
    const normal = normaliseKeys(value, TraversalLimit.within(MAX_RETURN_BYTES, "return"));
    const mismatches = [...unsendable(normal), ...misfits(agent, normal)];
    const result = returnedJson(normal, agent.float_precision, MAX_RETURN_BYTES);
    const bytes = jsonBytes(result);
    if (bytes > MAX_RETURN_BYTES) return { kind: "unusable", fail: tooLarge(bytes) };
    if (mismatches.length === 0 || (mayWait && isWaiting(agent, result))) return { kind: "fits", result };
    return {
      kind: "misfit",
      mismatches,
      actual: result,
      text: printValue(normal, { items: agent.format_options.feedback_limit }),
    };
  } catch (error) {
    if (isTooLarge(error)) return { kind: "unusable", fail: tooLarge() };
    if (error instanceof LispError) return { kind: "unusable", fail: error.toFailure() };
    throw error;
  }
}

/** Whether a returned value means that the mission waits for a decision: `{status: "waiting", ...}`. */
export function isWaiting(agent: AgentDefinition, value: Json): boolean {
  return isObject(value) && Object.hasOwn(value, "status") && value.status === agent.waiting_status;
}

/** The mismatches between a value with normalised keys and the agent's signature. */
function misfits(agent: AgentDefinition, value: Value): Mismatch[] {
  const signature = agentSignature(agent);
  return signature === undefined ? [] : checkValue(signature.output, value);
}

/**
 * `(fail e)`: a map's own `reason`, `message`, `op` and `details`, else `failed` and the value in words (agent reference,
 * section 9.3).
 */
export function deliberateFailure(agent: AgentDefinition, value: Value): Failure {
  const word = (key: string) => {
    const found = value instanceof PMap ? lookup(value, Keyword.of(key)) : undefined;
    if (found instanceof Keyword) return found.name;
    if (typeof found === "string") return found;
    return found === undefined || found === null ? undefined : printed(agent, found);
  };
  const json = shown(agent, value);
  const details = isObject(json) && isObject(json.details) ? json.details : {};
  const reason = reasonOf(word("reason") || "failed");
  const message = word("message") ?? (typeof value === "string" ? value : printed(agent, value));
  const failure = receivedFailure(reason, message, { ...details, user_fail: true, value: json });
  return { ...failure, ...defined({ op: word("op") }) };
}

/** A value as records and callers see it; one without such a form is described. */
export function shown(agent: AgentDefinition, value: Value): Json {
  try {
    // JSON would contain null in their place.
    if (unsendable(value).length > 0) return describe(value, TraversalLimit.within(MAX_RETURN_BYTES, "show"));
    const json = returnedJson(value, agent.float_precision, MAX_RETURN_BYTES);
    const bytes = jsonBytes(json);
    return bytes > MAX_RETURN_BYTES ? { $omitted: `${bytes} bytes` } : json;
  } catch (error) {
    if (isTooLarge(error)) return { $omitted: `more than ${MAX_RETURN_BYTES} bytes` };
    if (error instanceof LispError) return describe(value, TraversalLimit.within(MAX_RETURN_BYTES, "show"));
    throw error;
  }
}

/** A result in words, as long as the agent's format_options allow. */
function printed({ format_options }: AgentDefinition, value: Value): string {
  const { result_limit: items, result_max_chars: chars } = format_options;
  try {
    const text = printValue(value, { items, chars, nodes: 20_000 });
    return text.length > chars ? `${cutText(text, chars)}...` : text;
  } catch (error) {
    if (error instanceof LispError) return error.message;
    throw error;
  }
}

/** @param bytes undefined for values that are much too large: they are not written out only to count them */
function tooLarge(bytes?: number): Failure {
  const limit = MAX_RETURN_BYTES;
  return {
    reason: "memory_exceeded",
    message: `The returned value takes ${bytes ?? `more than ${limit}`} bytes; the limit is ${limit}. Return a summary or a reference.`,
    details: { code: "return_too_large", ...defined({ bytes }), limit },
  };
}
