import type { Price } from "../../src/core/calls/host";
import { PRICES, PRICES_LOOKED_UP } from "../../src/models";
import type { TokenTotals } from "./token-meter";

/** Models whose list prices the report uses, from the table of the project. */
export const PRICED_MODELS = ["anthropic/claude-sonnet-5-5", "openai/gpt-5.5"] as const;

/** The day of the table. */
export const PRICES_OF = PRICES_LOOKED_UP;

const MILLION = 1_000_000;

/** US dollars without a cache of the provider, and with one that keeps the beginning of each conversation. */
export function dollarsOf(model: string, { prompt, cached, output }: TokenTotals): { plain: number; cached: number } {
  const price: Price | undefined = PRICES[model];
  if (price === undefined) throw new Error(`There is no list price of ${model}.`);
  const { input, cache_read = input, cache_write = input } = price;
  const answers = (output * price.output) / MILLION;
  return {
    plain: (prompt * input) / MILLION + answers,
    cached: (cached * cache_read + (prompt - cached) * cache_write) / MILLION + answers,
  };
}
