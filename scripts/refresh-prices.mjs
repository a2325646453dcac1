// npm run prices -- SOURCE: takes the prices of the models in src/models/price-table.json from SOURCE, and says what changed.
// SOURCE is a file or an http(s) address in the format of LiteLLM's model_prices_and_context_window.json: US dollars for
// one token, by model. Models that SOURCE does not have keep their prices and are named. Nothing is written when a price
// is not a number of at least 0.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";

const FILE = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "src", "models", "price-table.json");
const dollars = z.number().min(0);

/** Of one model in SOURCE. The prices of long contexts have the number of tokens in their names. */
const Source = z.record(
  z.string(),
  z.looseObject({
    input_cost_per_token: dollars.optional(),
    output_cost_per_token: dollars.optional(),
    cache_read_input_token_cost: dollars.optional(),
    cache_creation_input_token_cost: dollars.optional(),
  }),
);

/** Per token to per million, without the digits that floating point adds. */
const perMillion = (price) => Number((price * 1e6).toPrecision(12));

/** US dollars for a million tokens; undefined when SOURCE does not say what input and output cost. */
function rateOf(entry, suffix = "") {
  const cost = (name) => {
    const price = entry[`${name}${suffix}`];
    return price === undefined ? undefined : perMillion(dollars.parse(price));
  };
  const [input, output] = [cost("input_cost_per_token"), cost("output_cost_per_token")];
  if (input === undefined || output === undefined) return undefined;
  const [cache_read, cache_write] = [cost("cache_read_input_token_cost"), cost("cache_creation_input_token_cost")];
  return {
    input,
    output,
    ...(cache_read === undefined ? {} : { cache_read }),
    ...(cache_write === undefined ? {} : { cache_write }),
  };
}

function priceOf(entry) {
  const rate = rateOf(entry);
  if (rate === undefined) return undefined;
  const over = Object.keys(entry).flatMap(
    (key) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(key)?.[1] ?? [],
  )[0];
  const long = over === undefined ? undefined : rateOf(entry, `_above_${over}k_tokens`);
  return long === undefined ? rate : { ...rate, long: { over: Number(over) * 1000, ...long } };
}

/**
 * The table with the prices that SOURCE has.
 *
 * @returns the new table, the models whose price changed, and those that SOURCE does not have
 */
export function refreshed(table, source, today) {
  const entries = Source.parse(source);
  const [changed, missing] = [[], []];
  const prices = Object.entries(table.prices).map(([model, price]) => {
    const entry = entries[model] ?? entries[model.slice(model.indexOf("/") + 1)];
    const next = entry && priceOf(entry);
    if (next === undefined) {
      missing.push(model);
      return [model, price];
    }
    if (JSON.stringify(next) !== JSON.stringify(price)) changed.push(model);
    return [model, next];
  });
  return { table: { looked_up: today, prices: Object.fromEntries(prices) }, changed, missing };
}

async function read(place) {
  if (!/^https?:/.test(place)) return JSON.parse(readFileSync(place, "utf8"));
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place} answered ${response.status}.`);
  return response.json();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [place] = process.argv.slice(2);
  if (place === undefined) {
    console.error("Name a file or an address: npm run prices -- model_prices_and_context_window.json");
    process.exitCode = 2;
  } else {
    const today = new Date().toISOString().slice(0, 10);
    const { table, changed, missing } = refreshed(JSON.parse(readFileSync(FILE, "utf8")), await read(place), today);
    writeFileSync(FILE, `${JSON.stringify(table, null, 2)}\n`);
    console.log(`${changed.length} changed${changed.length === 0 ? "" : `: ${changed.join(", ")}`}`);
    console.log(`${missing.length} not in the source${missing.length === 0 ? "" : `: ${missing.join(", ")}`}`);
    console.log("docs/models.md names the day of the prices: change it there, too.");
  }
}
