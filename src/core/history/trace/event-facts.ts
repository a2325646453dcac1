import type { AgentDefinition } from "../../agent/definition/definition";
import { failAsJson } from "../../agent/result/turn";
import { isStep } from "../../agent/run/chain";
import { decodePayload, type HistoryEvent, rootFailure } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { ATTRIBUTE } from "../../base/search-attributes";
import { localCallOf } from "../read/local-call";
import { given } from "./span";
import { shortenedTo } from "./summarise";

/**
 * Facts from single events of a history: how a call ended, whether a run waits, what an agent is (agent reference,
 * section 13).
 */

export const MAX_ARGS_BYTES = 1_000;
export const MAX_RESULT_BYTES = 2_000;

const result = (value: Json): JsonObject => ({ result: shortenedTo(value, MAX_RESULT_BYTES) });
const exception = (value: Json): JsonObject => ({ exception: shortenedTo(value, MAX_RESULT_BYTES) });

/** For a tool: it returns `{ok, value}` or `{ok, fail}`. */
export function answerFacts(answer: Json | undefined): JsonObject {
  if (!isObject(answer)) return {};
  return answer.ok === false ? exception(answer.fail ?? null) : result(answer.value ?? null);
}

/** For an agent: its Step. */
export function childFacts(step: Json | undefined): JsonObject {
  if (!isStep(step)) return {};
  const ended = step.fail === null ? result(step.return) : exception(failAsJson(step.fail));
  return { ...ended, ...(step.trace_id === "" ? {} : { child_trace_id: step.trace_id }) };
}

/** For a call without a result: its class and message, innermost first, as Temporal reports them. */
export function failureFacts(event: HistoryEvent): JsonObject {
  const { cause } = event.attributes;
  const innermost = rootFailure(event) ?? {};
  const info = isObject(innermost.applicationFailureInfo) ? innermost.applicationFailureInfo : {};
  return exception(
    given({
      reason: typeof info.type === "string" && info.type !== "" ? info.type : reasonOf(event.type),
      message: typeof innermost.message === "string" ? innermost.message : undefined,
      ...(typeof cause === "string" ? { cause } : {}),
    }),
  );
}

function reasonOf(type: string): string {
  const ending = /(TimedOut|Canceled|Terminated)$/.exec(type)?.[1];
  return ending === "TimedOut" ? "timed_out" : ending === undefined ? "failed" : ending.toLowerCase();
}

/** A local activity that called a tool; null for another marker. */
export function localCall(event: HistoryEvent): { at: number; attempts: number; facts: JsonObject } | null {
  const local = localCallOf(event);
  if (local?.activity_type !== "callTool") return null;
  const { data, answer } = local;
  const ended = isObject(data.complete_time) ? data.complete_time : null;
  const at = ended === null ? event.at : Number(ended.seconds ?? 0) * 1000 + Math.floor(Number(ended.nanos ?? 0) / 1e6);
  const facts = event.attributes.failure ? failureFacts(event) : answerFacts(answer);
  return { at, attempts: Number(data.attempt ?? 1), facts };
}

/**
 * A mission that waits for a decision sets a status; one whose tool call waits for approval also counts its reviews.
 */
export function saysParked(event: HistoryEvent): boolean {
  const { searchAttributes } = event.attributes;
  const fields = isObject(searchAttributes) ? searchAttributes.indexedFields : undefined;
  if (!isObject(fields) || ATTRIBUTE.openReviews in fields) return false;
  return decodePayload(fields[ATTRIBUTE.status]) === "WAITING";
}

/** A short description of an agent: its tools by name, because a nested one may be as large as a whole tree. */
export function agentFacts({ name, prompt, signature, output, max_turns, retry_turns, tools }: AgentDefinition): Json {
  const names = (tools ?? []).map((tool) => (typeof tool === "string" ? tool : tool.name));
  return {
    name: name ?? null,
    prompt,
    signature: signature ?? null,
    output: output ?? "ptc_lisp",
    max_turns,
    retry_turns,
    tools: names,
  };
}

/** The worker's summaries: `turn 1: find` and `task hold: find`. */
export const nameInSummary = ({ summary }: HistoryEvent): string => summary?.split(": ").at(-1) ?? "";
