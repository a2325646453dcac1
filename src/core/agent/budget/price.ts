import type { Price, Rate, Tokens } from "../../calls/host";
import { roundCost } from "./round-cost";

const MILLION = 1_000_000;

/** The dollars that a reply cost; undefined when no tokens were reported. */
export function costOf(tokens: Tokens, price: Price): number | undefined {
  if (tokens.input === undefined && tokens.output === undefined) return undefined;
  const { input = 0, output = 0, cache_read = 0, cache_creation = 0 } = tokens;
  const rate = price.long !== undefined && input > price.long.over ? price.long : price;
  const fresh = Math.max(0, input - cache_read - cache_creation);
  return roundCost(
    (fresh * rate.input +
      cache_read * (rate.cache_read ?? rate.input) +
      cache_creation * (rate.cache_write ?? rate.input) +
      output * rate.output) /
      MILLION,
  );
}

/** The maximum cost of a call with this many tokens, whatever is cached. Rounded up. */
export function mostCost(tokens: { input: number; output: number }, price: Price): number {
  const rates: Rate[] = price.long !== undefined && tokens.input > price.long.over ? [price, price.long] : [price];
  const dearest = (rate: Rate) => Math.max(rate.input, rate.cache_read ?? 0, rate.cache_write ?? 0);
  const input = Math.max(...rates.map(dearest));
  const output = Math.max(...rates.map((rate) => rate.output));
  return Math.ceil(((tokens.input * input + tokens.output * output) / MILLION) * 1e9) / 1e9;
}
