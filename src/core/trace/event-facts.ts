import type { AgentDefinition } from "../agent/definition/definition";
import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { decodePayload, type HistoryEvent } from "../journal/history";

/** What single events of a history say, and ids that follow a rule. */

/** A mission that waits for a decision says so; one whose tool call waits for approval counts its reviews as well. */
export function saysParked(event: HistoryEvent): boolean {
  const { searchAttributes } = event.attributes;
  const fields = isObject(searchAttributes) ? searchAttributes.indexedFields : undefined;
  if (!isObject(fields) || "NavigatorOpenReviews" in fields) return false;
  return decodePayload(fields.NavigatorStatus) === "WAITING";
}

/** An agent in a few words: its tools by name, for a nested one may be as large as a whole tree. */
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

/** `turn 1: find` and `task hold: find` are what the worker calls them. */
export const nameInSummary = ({ summary }: HistoryEvent): string => summary?.split(": ").at(-1) ?? "";
