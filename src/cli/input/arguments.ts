import type { Budget } from "../../core/agent/definition/agent-input";
import { defined } from "../../core/base/defined";
import { durationMs } from "../../core/base/duration";
import { isRealDay } from "../../core/base/iso-time";
import type { Json, JsonObject } from "../../core/base/json";
import { asNavigatorError, NavigatorError } from "../../core/base/navigator-error";
import { parseJson, readTextFile } from "../../node/data-file";
import { checkedShare, type WorkShare } from "../../workflows/start/priority";
import { badUsage } from "../terminal/exit";

/** Whether a text is a number as people write it: `0x10` and `1_000` are none. */
export const isDecimal = (text: string): boolean =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) && Number.isFinite(Number(text));

/** A whole number of at least `min`; undefined if the option is not given. */
export function wholeNumber(option: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (isDecimal(text) && Number.isSafeInteger(value) && value >= min) return value;
  throw badUsage(option, `${option} must be a whole number, ${min} or more, got "${text}".`);
}

/** Any number of an option. */
export function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (isDecimal(text)) return value;
  throw badUsage(option, `${option} must be a number, got "${text}".`);
}

/** Milliseconds of a text such as `5m`. */
export function duration(option: string, text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw badUsage(option, `${option} must be a time such as 30s, 5m or 2h, got "${text}".`);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads a time as a person writes it: a day (`2026-12-24`) or a time with its zone. Returns UTC, as in `2026-12-24T00:00:00Z`.
 *
 * @param end true: a day stands for its end, and not for its begin
 * @throws NavigatorError `bad_usage`
 */
export function timeArgument(option: string, text: string, { end = false } = {}): string {
  const isDay = DAY.test(text);
  const ms = isDay || TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || !isRealDay(text))
    throw badUsage(
      option,
      `${option}: "${text}" is no date.`,
      `A day as in 2026-12-24 (UTC), or a time with its zone as in 2026-12-24T18:00:00+01:00`,
    );
  return isoText(isDay && end ? ms + DAY_MS : ms) as string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const isoText = (ms: number): string | undefined =>
  Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");

/** An option that is one of some words. @throws NavigatorError `bad_usage` */
export function oneOf<T extends string>(option: string, text: string, words: readonly T[]): T {
  if ((words as readonly string[]).includes(text)) return text as T;
  throw badUsage(option, `${option} must be one of ${words.join(", ")}, got "${text}".`);
}

/** For an option that may stand several times: `--group a --group b`. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];

const INLINE = "TEXT";

/** A JSON argument, given as text or as `@FILE`. Errors name the option, the file and the place. */
export function jsonArgument(option: string, text: string): Json {
  const file = text.startsWith("@") ? text.slice(1) : undefined;
  try {
    return parseJson(file === undefined ? text : readTextFile(file), file ?? INLINE) as Json;
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const inline = new RegExp(`^${INLINE}:(\\d+:\\d+): (.+)\\.$`).exec(error.message);
    const message = inline ? `${option} is not JSON: ${inline[2]} at ${inline[1]}.` : `${option}: ${error.message}`;
    const details = { ...error.details, path: file === undefined ? option : error.details?.path };
    throw asNavigatorError({ reason: error.code, message, details }, { hint: howToGive(option) });
  }
}

/** The same, when it must be an object. */
export function jsonObjectArgument(option: string, text: string): JsonObject {
  const value = jsonArgument(option, text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  const from = text.startsWith("@") ? `${text.slice(1)}: ` : "";
  throw new NavigatorError("invalid_input", `${option}: ${from}must be a JSON object, got ${kindOf(value)}.`, {
    hint: howToGive(option),
    details: { path: option },
  });
}

/** A shell removes quotes, so the message shows a correct example. */
function howToGive(option: string): string {
  const name = option.replace(/^-+/, "").toLowerCase();
  const example = name === "journal" ? '{"charge_order_42": {"tx": "tx_1"}}' : '{"order_id": 42}';
  return option.startsWith("-")
    ? `As text, quoted for the shell: ${option} '${example}'\nAs a file: ${option} @${name}.json`
    : `As text, quoted for the shell: '"yes"', 'true', '{"amount": 12}'\nAs a file: @value.json`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : typeof value === "string" ? "a text" : `the ${typeof value} ${value}`;
}

/** `--budget`: what a mission, with all agents below it, may spend on models. */
export const BUDGET_OPTION = [
  "--budget <limits>",
  "what it may spend on models, as cost=2,tokens=200000 (cost in US dollars); when_spent=end: it ends then, else it asks for more",
] as const;

const PARTS: { readonly [name in keyof Required<Budget>]: { right: string; fits(value: string): boolean } } = {
  cost: { right: "US dollars, more than 0", fits: (value) => isDecimal(value) && Number(value) > 0 },
  tokens: {
    right: "a whole number, more than 0",
    fits: (value) => isDecimal(value) && Number.isSafeInteger(Number(value)) && Number(value) > 0,
  },
  when_spent: { right: "park or end", fits: (value) => value === "park" || value === "end" },
};

const isPart = (name: string): name is keyof Budget => Object.hasOwn(PARTS, name);

/** The budget that an option gives; undefined without one. @throws NavigatorError `bad_usage` */
export function budgetArgument(text: string | undefined): Budget | undefined {
  if (text === undefined) return undefined;
  const budget: { [name: string]: string | number } = {};
  for (const part of text.split(",")) {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part.trim(), ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (!isPart(name)) throw wrong(`has no part "${name}": its parts are ${Object.keys(PARTS).join(", ")}`);
    if (Object.hasOwn(budget, name)) throw wrong(`has ${name} twice`);
    if (!PARTS[name].fits(value)) throw wrong(`has ${name}="${value}": it must be ${PARTS[name].right}`);
    budget[name] = name === "when_spent" ? value : Number(value);
  }
  if (budget.cost === undefined && budget.tokens === undefined) throw wrong("must limit cost, tokens or both");
  return budget;
}

const wrong = (what: string) => badUsage("--budget", `--budget ${what}.`, "For example --budget cost=2,tokens=200000");

/** The command line's options of a start: how it shares busy workers with other work. */
export interface ShareFlags {
  priority?: string;
  fairnessKey?: string;
  fairnessWeight?: string;
}

export const SHARE_OPTIONS = [
  ["--priority <number>", "which work busy workers take first: a higher number is more important (default: 0)"],
  ["--fairness-key <key>", "whose work it is: each key gets its turn (default: the project)"],
  ["--fairness-weight <number>", "how many turns that key gets where another gets one (default: 1)"],
] as const;

/** @throws NavigatorError `bad_usage` */
export function shareArguments({ priority, fairnessKey, fairnessWeight }: ShareFlags): WorkShare {
  const weight = fairnessWeight === undefined ? undefined : numberOf("--fairness-weight", fairnessWeight);
  if (fairnessWeight !== undefined && fairnessKey === undefined)
    throw badUsage(
      "--fairness-weight",
      "--fairness-weight needs --fairness-key.",
      "For example --fairness-key acme --fairness-weight 2",
    );
  return checkedShare({
    priority: priority === undefined ? undefined : numberOf("--priority", priority),
    fairness: fairnessKey === undefined ? undefined : { key: fairnessKey, ...defined({ weight }) },
  });
}
