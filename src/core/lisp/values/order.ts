import { isNaNumber, min, NAN, toNumber, toText } from "../../base/intrinsics";
import type { PMap, Vec } from "./collections";
import { LispError } from "./errors";
import { billBig, billEach, billText, TraversalLimit } from "./traversal-limit";
import type { Value } from "./values";

/**
 * Compares two texts by code points: the order of their UTF-8 bytes, the same on every host.
 * (Host strings compare by UTF-16 units, which sorts U+E000..FFFF after characters beyond U+FFFF.)
 */
export function compareText(a: string, b: string): number {
  if (a.length === b.length && a.length >= LONG_TEXT) {
    billText(a);
    if (a === b) return 0;
  }
  const length = min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  billEach(i);
  return i === length ? a.length - b.length : codePointRank(a.charCodeAt(i)) - codePointRank(b.charCodeAt(i));
}

/** From this length on the host's test for equality is tried first; shorter texts are read as fast. */
const LONG_TEXT = 16;

const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/**
 * The total order of `sort`, `sort-by`, `min-by`, `keys`, printing (lisp reference, section 4.4): number < keyword,
 * boolean, nil (as words) < function < map < set < other < vector < string. Never fails on mixed
 * data; NaN sorts after all numbers.
 */
export function compareTotal(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return compareAt(a, b, 0, new TraversalLimit("compare"));
}

/**
 * What `< > <= >= compare` use: numbers with numbers, strings with strings, times with times.
 *
 * @returns negative, 0, positive, or NaN when a NaN is involved
 * @throws type_error for anything else, naming `name`
 */
export function compareStrict(name: string, a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== undefined && y !== undefined) billBig(x, y);
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x >= y ? 0 : NAN;
  if (tagOf(a) === "instant" && tagOf(b) === "instant") return (a as { ms: number }).ms - (b as { ms: number }).ms;
  if (tagOf(a) === "date" && tagOf(b) === "date")
    return compareText((a as { iso: string }).iso, (b as { iso: string }).iso);
  throw new LispError(
    "eval_error",
    "type_error",
    `${name}: cannot compare ${typeWord(a)} with ${typeWord(b)}; both must be numbers or both strings`,
  );
}

/** The word for a value's type in messages. */
export function typeWord(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
    case "bigint":
      return "number";
    case "boolean":
      return "boolean";
  }
  if (value === null) return "nil";
  switch (value.tag) {
    case "float":
      return "number";
    case "closure":
    case "builtin":
    case "native":
      return "function";
    case "instant":
      return "date-time";
    default:
      return value.tag;
  }
}

function tagOf(value: Value): string | undefined {
  return typeof value === "object" && value !== null ? value.tag : undefined;
}

function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return typeof value === "object" && value !== null && value.tag === "float" ? value.n : undefined;
}

const RANKS: Record<string, number> = {
  number: 0,
  keyword: 1,
  boolean: 1,
  nil: 1,
  function: 2,
  map: 3,
  set: 4,
  regex: 5,
  var: 6,
  date: 7,
  "date-time": 8,
  vector: 9,
  string: 10,
};

function compareAt(a: Value, b: Value, depth: number, budget: TraversalLimit): number {
  if (a === b) return 0;
  budget.visit(depth);
  const type = typeWord(a);
  const rank = RANKS[type]!;
  const other = RANKS[typeWord(b)]!;
  if (rank !== other) return rank - other;
  switch (type) {
    case "number":
      return compareNumbers(numberOf(a)!, numberOf(b)!);
    case "string":
      return compareText(a as string, b as string);
    case "keyword":
    case "boolean":
    case "nil":
      return compareText(word(a), word(b));
    case "map":
      return compareMaps(a as PMap<Value>, b as PMap<Value>, depth, budget);
    case "set":
      return compareLists(
        sortedBy((a as { values(): Value[] }).values(), depth, budget),
        sortedBy((b as { values(): Value[] }).values(), depth, budget),
        depth,
        budget,
      );
    case "vector":
      return compareVectors(a as Vec<Value>, b as Vec<Value>, depth, budget);
    case "date-time":
      return (a as { ms: number }).ms - (b as { ms: number }).ms;
    case "date":
      return compareText((a as { iso: string }).iso, (b as { iso: string }).iso);
    default:
      return 0;
  }
}

function compareNumbers(x: number | bigint, y: number | bigint): number {
  billBig(x, y);
  if (x < y) return -1;
  if (x > y) return 1;
  return toNumber(isNaNumber(x)) - toNumber(isNaNumber(y));
}

const word = (value: Value): string =>
  tagOf(value) === "keyword" ? (value as { name: string }).name : toText(value === null ? "nil" : value);

function compareVectors(a: Vec<Value>, b: Vec<Value>, depth: number, budget: TraversalLimit): number {
  return compareLists(a.toArray(), b.toArray(), depth, budget);
}

function compareMaps(a: PMap<Value>, b: PMap<Value>, depth: number, budget: TraversalLimit): number {
  if (a.size !== b.size) return a.size - b.size;
  const keys = sortedBy(a.keys(), depth, budget);
  const others = sortedBy(b.keys(), depth, budget);
  const byKeys = compareLists(keys, others, depth, budget);
  if (byKeys !== 0) return byKeys;
  return compareLists(
    keys.map((key) => a.get(key)!),
    others.map((key) => b.get(key)!),
    depth,
    budget,
  );
}

function compareLists(a: Value[], b: Value[], depth: number, budget: TraversalLimit): number {
  billEach(a.length + b.length);
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareAt(a[i]!, b[i]!, depth + 1, budget);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const sortedBy = (items: Value[], depth: number, budget: TraversalLimit): Value[] =>
  items.sort((a, b) => compareAt(a, b, depth + 1, budget));
