import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { Matcher } from "../../lisp/regex/match";
import { compilePatternText } from "../../lisp/regex/program";
import { PatternError } from "../../lisp/regex/tree";

/** The builtin tools `grep` and `grep-n`, which search the lines of a text (agent reference, section 4.2). */
export const GREP_TOOLS = [
  {
    kind: "grep" as const,
    spec: {
      name: "grep",
      effect: "read" as const,
      signature: "(pattern :string, text :string) -> [:string]",
      description: "Lines of a text that match a pattern; case does not matter",
    },
  },
  {
    kind: "grep-n" as const,
    spec: {
      name: "grep-n",
      effect: "read" as const,
      signature: "(pattern :string, text :string, context :int?) -> [{line :int, text :string, match :bool}]",
      description: "The same with line numbers, and so many lines of context around each match",
    },
  },
];

const MAX_ROWS = 100;
/** The step limit of one call: a step of the matcher takes some ten nanoseconds. */
const MAX_STEPS = 20_000_000;
const MAX_BYTES = 64_000_000;

/** The lines of a text that match a pattern. Reason `tool_error` when the arguments are wrong. */
export function grep(args: JsonObject): Result<Json> {
  return withLines("grep", args, (lines, matches) => ok(lines.filter(matches)));
}

/**
 * As `grep`, with line numbers and lines of context. At most 100 rows; a last row with `line: -1` counts the matches
 * that are not shown.
 */
export function grepN(args: JsonObject): Result<Json> {
  const context = args.context ?? 0;
  if (typeof context !== "number" || !Number.isInteger(context) || context < 0)
    return refused("grep-n", "context must be an integer, 0 or more");
  return withLines("grep-n", args, (lines, matches) => {
    const found = lines.map(matches);
    const shown = found.map((_, i) => found.slice(Math.max(0, i - context), i + context + 1).includes(true));
    const rows = lines.flatMap((text, i) => (shown[i] ? [{ line: i + 1, text, match: found[i] === true }] : []));
    if (rows.length <= MAX_ROWS) return ok(rows);
    const dropped = rows.slice(MAX_ROWS).filter(({ match }) => match).length;
    return ok([...rows.slice(0, MAX_ROWS), { line: -1, text: `${dropped} more match(es) not shown`, match: false }]);
  });
}

function withLines(
  name: string,
  { pattern, text }: JsonObject,
  answer: (lines: string[], matches: (line: string) => boolean) => Result<Json>,
): Result<Json> {
  if (typeof pattern !== "string" || typeof text !== "string") return refused(name, "pattern and text must be texts");
  try {
    return answer(text.split("\n"), matcher(pattern));
  } catch (error) {
    if (error instanceof PatternError) return refused(name, error.message);
    throw error;
  }
}

/** The basic spelling `\|`, `\(`, `\)` means the same as the extended one. Linear in the text, whatever the pattern. */
function matcher(pattern: string): (line: string) => boolean {
  if (pattern === "") return () => true;
  const program = compilePatternText(`(?i)${pattern.replace(/\\([|()])/g, "$1")}`);
  let spent = 0;
  const reserveBytes = (bytes: number) => {
    if (bytes > MAX_BYTES) throw tooMuch();
  };
  const budget = {
    charge: (steps: number) => {
      spent += steps;
      if (spent > MAX_STEPS) throw tooMuch();
    },
    // A line's matcher is freed before the next line's is made: only the largest counts.
    allocate: reserveBytes,
    reserve: reserveBytes,
  };
  return (line) => new Matcher(program, line, budget).search(0) !== null;
}

const tooMuch = () => new PatternError("the text is too long for this pattern: search a part of it");

const refused = (tool: string, message: string): Result<never> => failed("tool_error", message, { tool });
