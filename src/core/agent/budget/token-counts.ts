import type { Failure } from "../../base/failure";
import type { Tokens } from "../../calls/host";
import type { Usage } from "../result/step";
import { roundCost } from "./round-cost";

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

/** The counts of a run that has asked no model yet. */
export const NO_TOKENS: TokenCounts = {
  input: 0,
  output: 0,
  cache_creation: 0,
  cache_read: 0,
  total_cost: 0,
  requests: 0,
  reported: false,
};

/** The counts with one more reply. `tokens` is undefined when the provider reported none. */
export function countTokens(counts: TokenCounts, tokens: Tokens | undefined): TokenCounts {
  return {
    input: counts.input + (tokens?.input ?? 0),
    output: counts.output + (tokens?.output ?? 0),
    cache_creation: counts.cache_creation + (tokens?.cache_creation ?? 0),
    cache_read: counts.cache_read + (tokens?.cache_read ?? 0),
    total_cost: roundCost(counts.total_cost + (tokens?.total_cost ?? 0)),
    requests: counts.requests + 1,
    reported: counts.reported || tokens !== undefined,
  };
}

/** Input and output tokens together. */
export const totalTokens = (counts: TokenCounts): number => counts.input + counts.output;

/** Why a run must stop after a reply; null while it may continue. */
export function budgetFailure(counts: TokenCounts, token_limit: number | null): Failure | null {
  const used = totalTokens(counts);
  if (token_limit === null || used <= token_limit) return null;
  return {
    reason: "budget_callback_exceeded",
    message: `The token limit of ${token_limit} is exceeded: ${used} used.`,
    details: { token_limit, used },
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
    ...(systemPrompt === null ? {} : { system_prompt_tokens: Math.max(1, estimateTokens(systemPrompt)) }),
    ...(tokens.cache_creation > 0 ? { cache_creation_tokens: tokens.cache_creation } : {}),
    ...(tokens.cache_read > 0 ? { cache_read_tokens: tokens.cache_read } : {}),
    ...(tokens.cache_read + tokens.cache_creation > 0
      ? { cache_hit_rate: hitRate(tokens.cache_read, tokens.input) }
      : {}),
    ...(tokens.total_cost > 0 ? { total_cost: tokens.total_cost } : {}),
  };
}

/** The part of the input that came from a cache, in thousandths; 0 without input. */
const hitRate = (cached: number, input: number): number =>
  input <= 0 ? 0 : Math.round((Math.min(cached, input) / input) * 1000) / 1000;

/** The number of tokens in a text, estimated: one for every four characters, rounded down. */
export const estimateTokens = (text: string): number => Math.floor(text.length / 4);
