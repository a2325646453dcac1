import type { Tokens } from "../host";
import type { JsonObject } from "../json";
import type { Usage } from "./step";

/** Token counts of a run so far. */
export interface TokenCounts {
  input: number;
  output: number;
  cache_creation: number;
  cache_read: number;
  total_cost: number;
  requests: number;
  /** Whether any reply reported tokens. */
  reported: boolean;
}

export const NO_TOKENS: TokenCounts = {
  input: 0,
  output: 0,
  cache_creation: 0,
  cache_read: 0,
  total_cost: 0,
  requests: 0,
  reported: false,
};

export function countTokens(counts: TokenCounts, tokens: Tokens | undefined): TokenCounts {
  return {
    input: counts.input + (tokens?.input ?? 0),
    output: counts.output + (tokens?.output ?? 0),
    cache_creation: counts.cache_creation + (tokens?.cache_creation ?? 0),
    cache_read: counts.cache_read + (tokens?.cache_read ?? 0),
    total_cost: counts.total_cost + (tokens?.total_cost ?? 0),
    requests: counts.requests + 1,
    reported: counts.reported || tokens !== undefined,
  };
}

export const totalTokens = (counts: TokenCounts): number => counts.input + counts.output;

/** What `(budget/remaining)` answers. */
export function remainingBudget(state: {
  turns: number;
  work: number;
  retry: number;
  depth: number;
  maxDepth: number;
  tokens: TokenCounts;
}): JsonObject {
  const { tokens } = state;
  return {
    turns: state.turns,
    "work-turns": state.work,
    "retry-turns": state.retry,
    depth: { current: state.depth + 1, max: state.maxDepth },
    tokens: {
      input: tokens.input,
      output: tokens.output,
      total: totalTokens(tokens),
      "cache-creation": tokens.cache_creation,
      "cache-read": tokens.cache_read,
    },
    "llm-requests": tokens.requests,
  };
}

/** The token part of a Step's usage (agent reference, section 11.1). */
export function tokenUsage(tokens: TokenCounts, systemPrompt: string | null): Partial<Usage> {
  if (tokens.requests === 0) return {};
  if (!tokens.reported) return { llm_requests: tokens.requests };
  return {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    total_tokens: totalTokens(tokens),
    llm_requests: tokens.requests,
    ...(systemPrompt === null ? {} : { system_prompt_tokens: Math.max(1, Math.floor(systemPrompt.length / 4)) }),
    ...(tokens.cache_creation > 0 ? { cache_creation_tokens: tokens.cache_creation } : {}),
    ...(tokens.cache_read > 0 ? { cache_read_tokens: tokens.cache_read } : {}),
    ...(tokens.total_cost > 0 ? { total_cost: tokens.total_cost } : {}),
  };
}
