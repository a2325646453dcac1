import type { Price } from "../../calls/host";
import type { AgentDefinition } from "../definition/definition";
import { asksModels, runTools } from "../tools/run-tools";
import { mostCost } from "./price";

/** What agents can spend at most, before anything is known of what they will do. */

/** Prices by model; null = not known. */
export interface KnownPrices {
  readonly [model: string]: Price | null;
}

/** The tokens that one model call is assumed to take. */
export interface TokensPerCall {
  input: number;
  output: number;
}

/** A long prompt and a long answer; what calls really use is told by the runs. */
export const TOKENS_PER_CALL: TokensPerCall = { input: 20_000, output: 4_096 };

/** Dollars of the dearest of the models that may answer; null where one is not known, or has no known price. */
export function worstCall(models: readonly string[], prices: KnownPrices, tokens: TokensPerCall): number | null {
  const found = models.map((name) => (Object.hasOwn(prices, name) ? prices[name] : null) ?? null);
  if (found.length === 0 || found.includes(null)) return null;
  return Math.max(...(found as Price[]).map((price) => mostCost(tokens, price)));
}

/** Dollars for so many calls; nothing is spent by none, whatever is known. */
export const partOf = (calls: number, perCall: number | null): number | null =>
  calls === 0 ? 0 : perCall === null ? null : calls * perCall;

/** Turns of one run, each a model call: the retry turns come on top, but text agents have none. */
export const turnsOfRun = ({ output, max_turns, retry_turns }: AgentDefinition): number =>
  max_turns + (output === "text" ? 0 : retry_turns);

/** Tools whose calls ask models: how often a program calls them nobody can say, so a bound leaves them out by name. */
export const askingTools = (agent: AgentDefinition): string[] =>
  runTools(agent)
    .filter(asksModels)
    .map(({ spec }) => spec.name);
