import type { PlainCode } from "../../base/error-codes";
import type { Failure } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { cutText } from "../../base/whole-characters";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { isTooLarge } from "../../lisp/values/traversal-limit";
import { checkValue, renderMismatches } from "../../signature/check";
import type { Type } from "../../signature/parse";
import { renderType } from "../../signature/render";
import type { AgentDefinition } from "../definition/definition";
import { normaliseKeys, returnedJson } from "../result/result-value";
import { MAX_RETURN_BYTES } from "../result/sizes";

/** The value of a model's last reply, or the reason why it has none. */
export type Answer = { ok: true; value: Json } | { ok: false; fail: Failure };

/** Reads the answer of an agent in text mode (agent reference, section 15). With `type` null any text is the answer. */
export function readAnswer(agent: AgentDefinition, type: Type | null, content: string): Answer {
  if (type === null) return { ok: true, value: content };
  const found = extractJson(content);
  if (!found.ok) return unusable("json_parse_error", found.problem);
  const outer = outerKind(type, found.value);
  if (!outer.ok) return outer;
  try {
    const value = normaliseKeys(fromJson(outer.value));
    const mismatches = checkValue(type, value, { keywordsAsText: true });
    if (mismatches.length > 0) return unusable("validation_error", renderMismatches(mismatches));
    return { ok: true, value: returnedJson(value, agent.float_precision, MAX_RETURN_BYTES) };
  } catch (error) {
    if (isTooLarge(error)) return unusable("validation_error", `the answer is more than ${MAX_RETURN_BYTES} bytes`);
    if (error instanceof LispError) return unusable("validation_error", error.message);
    throw error;
  }
}

/** Characters of an answer that the model is shown again. */
const MAX_SHOWN_REPLY = 500;

/** The message to the model about an answer that cannot be used. */
export function answerAgain(type: Type | null, reply: string, { message }: Failure): string {
  const expected = type === null ? "text" : renderType(type);
  return `Your answer cannot be used: ${message}\nReceived: ${cutText(reply, MAX_SHOWN_REPLY)}\nExpected: JSON of the type ${expected}. Answer again with JSON only.`;
}

/** Providers want an object at the root, so a list may be sent as its field `items`. */
function outerKind(type: Type, json: Json): Answer {
  if (type.kind === "list") {
    const list = isObject(json) && Array.isArray(json.items) ? json.items : json;
    return Array.isArray(list) ? { ok: true, value: list } : unusable("json_parse_error", "the JSON is not a list");
  }
  const wantsObject = type.kind === "record" || (type.name === "map" && json !== null);
  if (wantsObject && !isObject(json)) return unusable("json_parse_error", "the JSON is not an object");
  return { ok: true, value: json };
}

const unusable = (reason: PlainCode, message: string): Answer => ({ ok: false, fail: { reason, message } });

/** Extracts the JSON from a model's answer (agent reference, section 15). */
type ExtractedJson = { ok: true; value: Json } | { ok: false; problem: string };

const JSON_FENCE = /```(?:json)?[ \t]*\n([\s\S]*?)```/i;

/** A fenced block (tagged json or untagged), else the first object or list with its matching close. */
function extractJson(answer: string): ExtractedJson {
  const fenced = JSON_FENCE.exec(answer)?.[1]?.trim();
  const text = fenced !== undefined && fenced !== "" ? fenced : (bracketed(answer) ?? answer.trim());
  if (text === "") return { ok: false, problem: "the answer has no JSON" };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    const problem = /^[[{"]/.test(text)
      ? `the JSON is malformed: ${(error as Error).message}`
      : "the answer has no JSON";
    return { ok: false, problem };
  }
}

/** From the first `{` or `[` to the bracket that closes it; brackets in texts do not count. */
function bracketed(answer: string): string | undefined {
  const start = answer.search(/[[{]/);
  if (start < 0) return undefined;
  const open: string[] = [];
  let inText = false;
  for (let at = start; at < answer.length; at++) {
    const c = answer[at] as string;
    if (inText) {
      if (c === "\\") at += 1;
      else if (c === '"') inText = false;
    } else if (c === '"') inText = true;
    else if (c === "{" || c === "[") open.push(c === "{" ? "}" : "]");
    else if (c === "}" || c === "]") {
      if (open.pop() !== c) return answer.slice(start);
      if (open.length === 0) return answer.slice(start, at + 1);
    }
  }
  return answer.slice(start);
}
