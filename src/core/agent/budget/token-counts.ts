import type { Failure } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import type { LispLimits } from "../../base/limits";
import { LISP_LIMITS } from "../../base/limits";
import type { Tokens } from "../../calls/host";
import type { AgentDefinition } from "../definition/definition";
import type { Usage } from "../run/step";
import { roundCost } from "./price";

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
    total_cost: roundCost(counts.total_cost + (tokens?.total_cost ?? 0)),
    requests: counts.requests + 1,
    reported: counts.reported || tokens !== undefined,
  };
}

export const totalTokens = (counts: TokenCounts): number => counts.input + counts.output;

/** Why a run must stop after a reply; null while it may go on. */
export function budgetFailure(counts: TokenCounts, token_limit: number | null): Failure | null {
  const used = totalTokens(counts);
  if (token_limit === null || used <= token_limit) return null;
  return {
    reason: "budget_callback_exceeded",
    message: `The token limit of ${token_limit} is exceeded: ${used} used.`,
    details: { token_limit, used },
  };
}

/** Evaluation steps that stand for one ms of `timeout`: the default of 5000 ms is the engine's own limit. */
const STEPS_PER_MS = LISP_LIMITS.max_steps / 5000;
const BYTES_PER_WORD = 8;

/** The limits of one program of this agent. */
export function limitsOf(agent: AgentDefinition): LispLimits {
  return {
    ...LISP_LIMITS,
    max_steps: agent.timeout * STEPS_PER_MS,
    max_bytes: agent.max_heap === null ? LISP_LIMITS.max_bytes : agent.max_heap * BYTES_PER_WORD,
    max_iterations: agent.loop_limit,
    max_parallel: agent.pmap_max_concurrency,
    max_tool_calls: agent.max_tool_calls,
    max_print_chars: agent.format_options.max_print_length,
  };
}

/** A program that used up its agent's `timeout` is told so in the option's own unit. */
export function withTimeout(agent: AgentDefinition, fail: Failure, steps: number): Failure {
  const { timeout } = agent;
  if (fail.reason !== "timeout" || steps < timeout * STEPS_PER_MS) return fail;
  return { ...fail, message: `${fail.message} (timeout: ${timeout} ms)`, details: { ...fail.details, timeout } };
}

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
    ...(systemPrompt === null ? {} : { system_prompt_tokens: Math.max(1, estimateTokens(systemPrompt)) }),
    ...(tokens.cache_creation > 0 ? { cache_creation_tokens: tokens.cache_creation } : {}),
    ...(tokens.cache_read > 0 ? { cache_read_tokens: tokens.cache_read } : {}),
    ...(tokens.total_cost > 0 ? { total_cost: tokens.total_cost } : {}),
  };
}

/** What a text takes of a model's attention, roughly: a token for every four characters. */
export const estimateTokens = (text: string): number => Math.floor(text.length / 4);
