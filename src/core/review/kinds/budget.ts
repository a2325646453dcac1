import { failed } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import type { ReviewKind } from "./review-kind";

/** The choice that gives a spent budget more. */
export const TOP_UP = "top_up";
const STOP = "stop";

const PARTS = ["tokens", "cost"] as const;

type Part = (typeof PARTS)[number];

/** A budget that is spent: whether it gets more. */
export const budgetKind: ReviewKind<{
  spent: { [part in Part]: number };
  limit: { [part in Part]: number | null };
  /** What the next call may take at most. */
  next_call: { [part in Part]: number };
  /** An amount of the limited parts, as text. */
  shown(amount: { [part in Part]: number }): string;
}> = {
  source: "question",
  ask: ({ spent, limit, next_call, shown }) => ({
    about: "budget",
    title: "The budget is spent: top it up?",
    body: `Spent: ${shown(spent)}. The next call may take up to ${shown(next_call)}.\n\nChoose \`${TOP_UP}\` with what is added, as in {"tokens": 50000}, or \`${STOP}\`.`,
    data: { spent: { ...spent }, limit: { ...limit }, next_call: { ...next_call } },
    choices: [TOP_UP, STOP],
    editable: { choice: TOP_UP, parameters: "tokens :int?, cost :float?" },
  }),
  separates: false,
  agents: "nothing",
  about: () => ({}),
  drawing: {
    label: "budget",
    form: {
      value: "value",
      given: ({ next_call }) => (next_call ?? {}) as JsonObject,
      about: "What is added",
    },
  },
  // The run would ask again at once.
  problem({ id, data: { limit } }, { choice, value }) {
    if (choice !== TOP_UP || !isObject(limit)) return null;
    const limited = PARTS.filter((part) => typeof limit[part] === "number");
    const added = isObject(value) ? value : {};
    const wrong = PARTS.find((part) => !isAbsent(added[part]) && !isPositive(added[part]));
    if (wrong === undefined && limited.some((part) => isPositive(added[part]))) return null;
    const parts = limited.join(" or ");
    const why = wrong === undefined ? `it adds no ${parts}` : `${wrong} is ${JSON.stringify(added[wrong])}`;
    return failed(
      "invalid_decision",
      `"${TOP_UP}" of review "${id}" must add more than 0 ${parts}, as in {"${limited[0]}": ${limited[0] === "cost" ? 2 : 50_000}}: ${why}.`,
      { path: "value", limit },
    ).fail;
  },
};

const isAbsent = (amount: Json | undefined): boolean => amount === undefined || amount === null;
const isPositive = (amount: Json | undefined): boolean => typeof amount === "number" && amount > 0;
