import { fromEntries, isFiniteNumber, toText } from "../../base/intrinsics";
import type { Json, JsonObject } from "../../base/json";
import { shortened } from "../../base/whole-characters";
import { instantText } from "../text/float-text";
import { PMap, PSet, Vec } from "./collections";
import type { ToolFinder } from "./context";
import { encodeValue } from "./encode";
import { LispError, type Place } from "./errors";
import { typeWord } from "./order";
import { printBriefly, printValue } from "./print";
import { MAX_SENT_NODES, TraversalLimit } from "./traversal-limit";
import { Float, Instant, Keyword, LocalDate, type Value } from "./values";

/** Values on their way from a program to a tool or the journal, and the ids of its tasks and steps. */

/** The name under which `(undo "id")` asks its host. No tool can have it. */
export const UNDO = "undo!";

/** Tools that the error of an unknown one offers. */
const LIKELY = 5;

const UNDO_NOT_ALLOWED = '(undo "id") is not allowed here: the definition of the agent does not set `undo: true`';

/** The argument object of `(tool/x ...)`: a map, keyword pairs or nothing (lisp reference, section 9.1). */
export function toolArguments(tool: string, given: readonly Value[]): JsonObject {
  if (given.length === 0) return {};
  const [first] = given;
  if (given.length === 1 && first instanceof PMap)
    return plainArgument(
      tool,
      first,
      "",
      0,
      new TraversalLimit("pass to a tool", undefined, MAX_SENT_NODES),
    ) as JsonObject;
  const isPairs = given.length % 2 === 0 && given.every((value, i) => i % 2 === 1 || value instanceof Keyword);
  if (!isPairs)
    throw new LispError(
      "invalid_tool_args",
      "invalid_tool_args",
      `tool/${tool} takes named arguments: (tool/${tool} {:key ${printBriefly(first as Value)}}), got ${given.length} positional value(s)`,
    );
  let map: PMap<Value> = PMap.empty;
  for (let i = 0; i < given.length; i += 2) map = map.assoc(given[i] as Value, given[i + 1] as Value);
  return plainArgument(tool, map, "", 0, new TraversalLimit("pass to a tool", undefined, MAX_SENT_NODES)) as JsonObject;
}

function plainArgument(tool: string, value: Value, path: string, depth: number, budget: TraversalLimit): Json {
  budget.visit(depth);
  if (typeof value === "string") {
    budget.text(value.length);
    return value;
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "bigint") return refuse(tool, path, "an integer beyond 2^53", "pass it as text, by str");
  const each = (item: Value, at: string) => plainArgument(tool, item, `${path}${at}`, depth + 1, budget);
  if (value instanceof Float)
    // JSON has no negative zero.
    return isFiniteNumber(value.n) ? value.n + 0 : refuse(tool, path, "an infinite or not-a-number float");
  if (value instanceof Keyword) {
    budget.text(value.name.length);
    return value.name;
  }
  if (value instanceof Vec) return value.toArray().map((item, i) => each(item, `[${i}]`));
  if (value instanceof PSet) return value.values().map((item) => each(item, ""));
  if (value instanceof PMap)
    return fromEntries(
      value.entries().map(([key, item]) => {
        const name = argumentName(key);
        budget.text(name.length);
        return [name, each(item, `.${name}`)];
      }),
    );
  if (value instanceof Instant) return instantText(value.ms);
  if (value instanceof LocalDate) return value.iso;
  return refuse(tool, path, `a ${typeWord(value)}`);
}

function argumentName(key: Value): string {
  const text = key instanceof Keyword ? key.name : typeof key === "string" ? key : printValue(key);
  return text.replaceAll("-", "_");
}

function refuse(tool: string, path: string, what: string, instead = "pass data"): never {
  throw new LispError(
    "invalid_tool_args",
    "invalid_tool_args",
    `tool/${tool}${path === "" ? "" : ` at ${path.slice(1)}`}: ${what} cannot be passed to a tool; ${instead}`,
  );
}

/** The error of a program, or of a function of an earlier turn, that names tools that do not exist. */
export function unknownTools(
  names: readonly string[],
  tools: ReadonlyMap<string, unknown>,
  at?: Place,
  search?: ToolFinder,
): LispError {
  if (names.includes(UNDO)) return new LispError("tool_not_found", "unknown_tool", UNDO_NOT_ALLOWED, at);
  const what = `Unknown tool${names.length > 1 ? "s" : ""}: ${names.join(", ")}.`;
  if (search?.isNeeded) {
    const likely = search.find(names.join(" "), LIKELY).map(({ name }) => name);
    const alike = likely.length === 0 ? "" : ` Similar: ${likely.join(", ")}.`;
    const advice = `${what}${alike} There are ${search.size} tools: find one by (tool-search "words")`;
    return new LispError("tool_not_found", "unknown_tool", advice, at);
  }
  const known = [...tools.keys()].filter((name) => name !== UNDO).sort();
  return new LispError(
    "tool_not_found",
    "unknown_tool",
    `${what} ${known.length > 0 ? `Available tools: ${known.join(", ")}` : "No tools available"}`,
    at,
  );
}

/** The value of a task as the journal keeps it. */
export function toJournal(value: Value, id: string): Json {
  try {
    return encodeValue(value);
  } catch (error) {
    if (error instanceof LispError) error.message = `task "${shownId(id)}": ${error.message}`;
    throw error;
  }
}

/** An id as messages show it: shortened, because it may be any text. */
export const shownId = (id: string): string => shortened(id, ID_CHARS);

const ID_CHARS = 100;

/** The id of a task or step: a text. Numbers, booleans and keywords are converted. */
export function journalId(value: Value): string {
  return journalText(value, "id");
}

/**
 * The value as a text for the journal. `what` names it in the error.
 *
 * @throws LispError `eval_error`, code `type_error`, for a value that is no text, keyword, number or boolean
 */
export function journalText(value: Value, what: string): string {
  if (typeof value === "string") return value;
  if (value instanceof Keyword) return value.name;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return toText(value);
  if (value instanceof Float) return printValue(value);
  throw new LispError("eval_error", "type_error", `the ${what} must be a text, got ${typeWord(value)}`);
}
