import { z } from "zod";
import { costOf } from "../core/agent/budget/price";
import type { ModelReply, Price } from "../core/calls/host";
import type { Model } from "./model";
import table from "./price-table.json";

/**
 * The prices of known models: list prices of the providers' standard tier in US dollars per million tokens. Prices
 * change, and contracts differ: a project sets its own with `prices` in navigator.config. A model without a price has
 * no cost. `npm run prices` refreshes the file. Cache-write prices are those of a five-minute cache, which Navigator
 * requests.
 */
export const PRICES: { readonly [model: string]: Price } = table.prices;

/** The day on which the prices of the table were looked up. */
export const PRICES_LOOKED_UP: string = table.looked_up;

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

/** `-20250929`, `-2025-08-07`, `-001`: a dated version costs the same as its model. */
const EDITION = /-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3})$/;

/** `anthropic.messages/...`, as model objects are named: the provider's price. */
const INTERFACE = /^([^/.]+)\.[^/]+\//;

/** Finds the price of a model; `own` prices win. Undefined = no table has it. */
export function priceOf(model: string, own: PriceTable = {}): Price | undefined {
  const plain = model.replace(INTERFACE, "$1/");
  for (const name of [model, plain, plain.replace(EDITION, "")])
    for (const prices of [own, PRICES]) if (Object.hasOwn(prices, name)) return prices[name];
  return undefined;
}

/** The model, with the cost of each reply for which its provider reports none. */
export function priced(name: string, model: Model, own?: PriceTable): Model {
  return { complete: async (call, options) => withCost(name, await model.complete(call, options), own) };
}

function withCost(name: string, reply: ModelReply, own?: PriceTable): ModelReply {
  // A project's own provider may return anything.
  const tokens = reply?.tokens;
  if (tokens === undefined || tokens === null || tokens.total_cost !== undefined) return reply;
  const answered = `${name.split("/")[0]}/${reply.model}`;
  const price = priceOf(name, own) ?? (name.includes("/") ? priceOf(answered, own) : undefined);
  const cost = price && costOf(tokens, price);
  return cost === undefined ? reply : { ...reply, tokens: { ...tokens, total_cost: cost } };
}
