import { parseArgs } from "node:util";
import { COMPARISONS } from "./rows";
import type { Comparison } from "./rows/context";

export interface Options {
  comparisons: Comparison[];
  quick: boolean;
  json: boolean;
  help: boolean;
}

/** @throws Error with what is wrong, for a person. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      only: { type: "string", multiple: true, default: [] },
    },
  });
  const only = values.only.flatMap((names) => names.split(","));
  const unknown = only.filter((name) => !COMPARISONS.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`There is no row "${unknown.join(", ")}". Rows: ${names()}.`);
  const { quick } = values;
  const isAsked = ({ name, slow }: Comparison) => (only.length === 0 ? !(quick && slow) : only.includes(name));
  const comparisons = COMPARISONS.filter(isAsked);
  return { comparisons, quick, json: values.json, help: values.help };
}

const names = () => COMPARISONS.map(({ name }) => name).join(", ");

export const HELP = `Usage: npm run bench -- [options]

Navigator beside the same work written by hand on Temporal, and beside LangGraph.js; its language beside plain JavaScript
and another Lisp. All numbers are medians of runs that take turns. An aim that was missed is told and is no error.

  --quick       fewer rounds, and no rows that take minutes (*); some of these are smaller
  --only <row>  one row (may be repeated, or a list with commas)
  --json        one JSON object instead of the table
  --help

Rows:
${COMPARISONS.map(({ name, about, slow }) => `  ${`${name}${slow ? " *" : ""}`.padEnd(14)}${about}`).join("\n")}
`;
