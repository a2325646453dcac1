import type { AgentDefinition } from "../../agent/definition/definition";
import { failAsJson } from "../../agent/result/turn";
import { isStep } from "../../agent/run/chain";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { ATTRIBUTE } from "../../base/search-attributes";
import type { FactFailure, FactOf, HistoryFact } from "../read/facts";
import { given } from "./span";
import { shortenedTo } from "./summarise";

/**
 * What single facts of a history show: how a call ended, whether a run waits, what an agent is (agent reference,
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
export function failureFacts(outcome: string, failure: FactFailure | undefined, cause?: string): JsonObject {
  const { type, message } = failure ?? {};
  return exception(given({ reason: type || REASONS[outcome] || "failed", message, cause }));
}

/** The reasons that traces have for outcomes. */
const REASONS: { [outcome: string]: string } = {
  timed_out: "timed_out",
  cancelled: "canceled",
  terminated: "terminated",
};

/**
 * A mission that waits for a decision sets a status; one whose tool call waits for approval also counts its reviews.
 */
export const showsParked = ({ attributes }: FactOf<"attributes_changed">): boolean =>
  !(ATTRIBUTE.openReviews in attributes) && attributes[ATTRIBUTE.status] === "WAITING";

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

/** The worker's summaries: `turn 1: find` and `task book: find`. */
export const nameInSummary = ({ summary }: HistoryFact): string => summary?.split(": ").at(-1) ?? "";
