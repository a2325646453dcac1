import { defined } from "../core/base/defined";
import { isObject } from "../core/base/is-object";
import type { JsonObject } from "../core/base/json";
import type { ModelReply, Tokens } from "../core/calls/host";
import type { ProviderAnswer } from "./ai-sdk-model";
import { replayOf } from "./ai-sdk-replay";
import { type ModelCall, ModelError } from "./model";

/** @param name the model's, as the user wrote it */
export function replyOf(name: string, call: ModelCall, answer: ProviderAnswer): ModelReply {
  const content = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  // Calls of tools that were never offered do not count as calls.
  const tool_calls = call.tools === undefined ? [] : toolCallsOf(call, answer);
  if (content === "" && tool_calls.length === 0) refuseEmpty(name, answer.finishReason.unified);
  const tokens = tokensOf(answer);
  const replay = tool_calls.length === 0 ? undefined : replayOf(name, answer.content);
  return {
    content,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...defined({ replay }),
    ...modelOf(name, answer),
    ...defined({ tokens }),
  };
}

/** The model that answered, else the one that was asked. */
const modelOf = (name: string, { response }: ProviderAnswer) => ({
  model: response?.modelId ?? name.slice(name.indexOf("/") + 1),
});

/** An empty answer of a model that simply stopped, or whose reasoning used up its tokens, is left to the agent. */
function refuseEmpty(name: string, reason: string): void {
  if (reason === "stop" || reason === "length") return;
  if (reason === "content-filter")
    throw new ModelError("client_error", `${name}: the provider's content filter kept the answer back`);
  throw new ModelError("malformed_response", `${name}: the answer has no text (finish reason: ${reason})`);
}

function toolCallsOf(call: ModelCall, answer: ProviderAnswer): NonNullable<ModelReply["tool_calls"]> {
  const cut = answer.finishReason.unified === "length" ? "; the answer was cut off at its limit of tokens" : "";
  const used = new Set(call.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  return answer.content.flatMap((part) => {
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId, toolName: name, input } = part;
    // Some servers give calls repeated ids, or none: the run numbers them.
    const id = toolCallId === "" || used.has(toolCallId) ? {} : { id: toolCallId };
    used.add(toolCallId);
    const args = argsOf(input);
    return typeof args === "string" ? { ...id, name, args: {}, args_error: `${args}${cut}` } : { ...id, name, args };
  });
}

/** The arguments, or why they are invalid. */
function argsOf(input: string): JsonObject | string {
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    if (value === null) return {};
    return isObject(value) ? value : `the arguments must be a JSON object, not ${input.slice(0, 80)}`;
  } catch (error) {
    return `the arguments are no valid JSON (${(error as Error).message})`;
  }
}

function tokensOf({ usage, response }: ProviderAnswer): Tokens | undefined {
  const { inputTokens: input, outputTokens: output } = usage;
  const counts: [keyof Tokens, number | undefined][] = [
    ["input", input.total],
    ["output", output.total],
    ["cache_read", input.cacheRead],
    ["cache_creation", input.cacheWrite],
    ["total_cost", reportedCost(response)],
  ];
  const known = counts.filter(([, count]) => typeof count === "number" && Number.isFinite(count) && count >= 0);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Tokens);
}

/**
 * Gateways report the cost of a call: in `usage.cost` (a number, or parts with their total), or in LiteLLM's header.
 */
function reportedCost(response: ProviderAnswer["response"]): number | undefined {
  const usage = isObject(response?.body) ? response.body.usage : undefined;
  const cost = isObject(usage) ? usage.cost : undefined;
  if (typeof cost === "number") return cost;
  if (isObject(cost) && typeof cost.total_cost === "number") return cost.total_cost;
  const header = response?.headers?.["x-litellm-response-cost"]?.trim();
  return header ? Number(header) : undefined;
}
