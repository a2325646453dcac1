import { z } from "zod";
import { costOf } from "../core/agent/budget/price";
import type { ModelReply, Price, Rate } from "../core/calls/host";
import type { Model } from "./model";

/**
 * What known models cost: list prices of the providers' standard tier in US dollars for a million tokens. Prices
 * change, and contracts differ: a project sets its own with `prices` in navigator.config. A model that is in neither
 * has no cost.
 */
export const PRICES_LOOKED_UP = "2026-11-21";

const rate = (input: number, output: number, cache_read: number, cache_write?: number): Rate => ({
  input,
  output,
  cache_read,
  ...(cache_write === undefined ? {} : { cache_write }),
});
const long = (over: number, ...args: Parameters<typeof rate>) => ({ long: { over, ...rate(...args) } });

export const PRICES: { readonly [model: string]: Price } = {
  // Cache writes are those that live for five minutes: the ones that Navigator asks for.
  "anthropic/claude-fable-5-1": rate(10, 50, 0.25, 12.5),
  "anthropic/claude-fable-5": rate(10, 50, 1, 12.5),
  "anthropic/claude-opus-5-5": rate(4, 20, 0.2, 5),
  "anthropic/claude-opus-5": rate(5, 25, 0.5, 6.25),
  "anthropic/claude-opus-4-8": rate(5, 25, 0.5, 6.25),
  "anthropic/claude-opus-4-7": rate(5, 25, 0.5, 6.25),
  "anthropic/claude-opus-4-6": rate(5, 25, 0.5, 6.25),
  "anthropic/claude-opus-4-5": rate(5, 25, 0.5, 6.25),
  "anthropic/claude-opus-4-1": rate(15, 75, 1.5, 18.75),
  "anthropic/claude-sonnet-5-5": rate(2, 10, 0.1, 2.5),
  "anthropic/claude-sonnet-5": rate(2, 10, 0.2, 2.5),
  "anthropic/claude-sonnet-4-6": rate(3, 15, 0.3, 3.75),
  "anthropic/claude-sonnet-4-5": rate(3, 15, 0.3, 3.75),
  "anthropic/claude-haiku-5-5": { ...rate(0.1, 0.5, 0.01, 0.125), ...long(100_000, 0.5, 2.5, 0.05, 0.625) },
  "anthropic/claude-haiku-4-5": rate(1, 5, 0.1, 1.25),

  "openai/gpt-6-astra": { ...rate(10, 50, 1, 12.5), ...long(272_000, 20, 75, 2, 25) },
  "openai/gpt-6.1-sol": { ...rate(2, 10, 0.1, 2.5), ...long(272_000, 4, 15, 0.2, 5) },
  "openai/gpt-6-sol": { ...rate(2, 10, 0.2, 2.5), ...long(272_000, 4, 15, 0.4, 5) },
  "openai/gpt-6-luna": { ...rate(0.1, 0.5, 0.01, 0.125), ...long(272_000, 0.2, 0.75, 0.02, 0.25) },
  "openai/gpt-5.5": { ...rate(5, 30, 0.5), ...long(272_000, 10, 45, 1) },
  "openai/gpt-5.4": { ...rate(2.5, 15, 0.25), ...long(272_000, 5, 22.5, 0.5) },
  "openai/gpt-5.4-mini": rate(0.75, 4.5, 0.075),
  "openai/gpt-5.2": rate(1.75, 14, 0.175),
  "openai/gpt-5.1": rate(1.25, 10, 0.125),
  "openai/gpt-5": rate(1.25, 10, 0.125),
  "openai/gpt-5-mini": rate(0.25, 2, 0.025),
  "openai/gpt-5-nano": rate(0.05, 0.4, 0.005),
  "openai/gpt-4.1": rate(2, 8, 0.5),
  "openai/gpt-4.1-mini": rate(0.4, 1.6, 0.1),
  "openai/gpt-4.1-nano": rate(0.1, 0.4, 0.025),
  "openai/gpt-4o": rate(2.5, 10, 1.25),
  "openai/gpt-4o-mini": rate(0.15, 0.6, 0.075),

  // Announced: twice as much from 2027 on.
  "google/gemini-3.8-flash": rate(0.75, 3.75, 0.075),
  "google/gemini-3.7-flash": rate(1.5, 7.5, 0.15),
  "google/gemini-3.5-flash": rate(1.5, 9, 0.15),
  "google/gemini-3.1-pro-preview": { ...rate(2, 12, 0.2), ...long(200_000, 4, 18, 0.4) },
  "google/gemini-3.1-flash-lite": rate(0.25, 1.5, 0.025),
  "google/gemini-3-flash-preview": rate(0.5, 3, 0.05),
  "google/gemini-2.5-pro": { ...rate(1.25, 10, 0.125), ...long(200_000, 2.5, 15, 0.25) },
  "google/gemini-2.5-flash": rate(0.3, 2.5, 0.03),
  "google/gemini-2.5-flash-lite": rate(0.1, 0.4, 0.01),
};

const dollars = z.number("must be US dollars for a million tokens").min(0, "must not be negative");
const RATE = { input: dollars, output: dollars, cache_read: dollars.optional(), cache_write: dollars.optional() };

/** A project's own prices, by the name of the model as its agents write it. */
export const PriceTable = z.record(
  z.string().min(1),
  z.strictObject(
    { ...RATE, long: z.strictObject({ over: z.int().positive(), ...RATE }).optional() },
    "must be a map of input, output, cache_read, cache_write in US dollars for a million tokens",
  ),
  "must be a map of model to {input, output, cache_read, cache_write}",
);
export type PriceTable = { [model: string]: Price };

/** `-20250929`, `-2025-08-07`, `-001`: a dated edition costs what its model costs. */
const EDITION = /-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3})$/;

export function priceOf(model: string, own: PriceTable = {}): Price | undefined {
  for (const name of [model, model.replace(EDITION, "")])
    for (const prices of [own, PRICES]) if (Object.hasOwn(prices, name)) return prices[name];
  return undefined;
}

/** The model, with the cost of each reply for which its provider reports none. */
export function priced(name: string, model: Model, own?: PriceTable): Model {
  return { complete: async (call, options) => withCost(name, await model.complete(call, options), own) };
}

function withCost(name: string, reply: ModelReply, own?: PriceTable): ModelReply {
  // Providers of a project's own may answer anything.
  const tokens = reply?.tokens;
  if (tokens === undefined || tokens === null || tokens.total_cost !== undefined) return reply;
  const answered = `${name.split("/")[0]}/${reply.model}`;
  const price = priceOf(name, own) ?? (name.includes("/") ? priceOf(answered, own) : undefined);
  const cost = price && costOf(tokens, price);
  return cost === undefined ? reply : { ...reply, tokens: { ...tokens, total_cost: cost } };
}
