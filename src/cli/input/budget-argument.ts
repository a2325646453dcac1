import type { Budget } from "../../core/agent/definition/agent-input";
import { badUsage } from "../terminal/exit";
import { isDecimal } from "./number-argument";

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
