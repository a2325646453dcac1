import type { Price } from "../../calls/host";
import type { AgentDefinition } from "../definition/definition";
import { asksModels, runTools } from "../tools/run-tools";
import { mostCost } from "./price";

/** The maximum that agents can spend, before they run. */

/** Prices by model; null = not known. */
export interface KnownPrices {
  readonly [model: string]: Price | null;
}

/** The tokens that one model call is assumed to take. */
export interface TokensPerCall {
  input: number;
  output: number;
}

/** A long prompt and a long answer. The runs report the real usage of their calls. */
export const TOKENS_PER_CALL: TokensPerCall = { input: 20_000, output: 4_096 };

/** Dollars for the dearest of the models that may answer; null if one is unknown or has no known price. */
export function worstCall(models: readonly string[], prices: KnownPrices, tokens: TokensPerCall): number | null {
  const found = models.map((name) => (Object.hasOwn(prices, name) ? prices[name] : null) ?? null);
  if (found.length === 0 || found.includes(null)) return null;
  return Math.max(...(found as Price[]).map((price) => mostCost(tokens, price)));
}

/** Dollars for this many calls. No calls cost nothing, even if the price is unknown. */
export const partOf = (calls: number, perCall: number | null): number | null =>
  calls === 0 ? 0 : perCall === null ? null : calls * perCall;

/** The most turns of one run, each a model call: work turns and, except for text agents, retry turns. */
export const turnsOfRun = ({ output, max_turns, retry_turns }: AgentDefinition): number =>
  max_turns + (output === "text" ? 0 : retry_turns);

/**
 * Tools whose calls ask models. The number of their calls is unknown, so a bound names them instead of counting them.
 */
export const askingTools = (agent: AgentDefinition): string[] =>
  runTools(agent)
    .filter(asksModels)
    .map(({ spec }) => spec.name);
