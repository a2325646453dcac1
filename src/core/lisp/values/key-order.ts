import { isNaNumber, min, toNumber } from "../host";
import type { Entry, PMap, PSet, Vec } from "./collections";
import type { Fn, Value } from "./values";
import { billBig, billEach, WalkBudget } from "./walk-budget";

/**
 * A strict total order over all values, used inside maps and sets: 0 exactly when two values are the same
 * key. 1 and 1.0 differ, NaN is the same key as itself. It is never visible to programs (iteration is in
 * insertion order), so it may be whatever is cheap to compute.
 */
export function compareKeys(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") return compareUnits(a, b);
  if (a === b) return 0;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  const rank = keyRank(a);
  const other = keyRank(b);
  if (rank !== other) return rank - other;
  if (rank <= RANK.keyword) return compareScalarKeys(a, b, rank);
  return compareDeep(a, b, rank, 0, new WalkBudget("compare"));
}

/** Whether two values are the same key (strict: 1 and 1.0 are not). */
export function sameKey(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  // Keywords are interned: two are never the same.
  return a.tag === b.tag && a.tag !== "keyword" && compareKeys(a, b) === 0;
}

const RANK = {
  nil: 0,
  boolean: 1,
  integer: 2,
  float: 3,
  string: 4,
  instant: 5,
  date: 6,
  var: 7,
  regex: 8,
  keyword: 9,
  fn: 10,
  vector: 11,
  map: 12,
  set: 13,
} as const;

function keyRank(value: Value): number {
  switch (typeof value) {
    case "string":
      return RANK.string;
    case "number":
    case "bigint":
      return RANK.integer;
    case "boolean":
      return RANK.boolean;
  }
  if (value === null) return RANK.nil;
  switch (value.tag) {
    case "keyword":
      return RANK.keyword;
    case "float":
      return RANK.float;
    case "vector":
      return RANK.vector;
    case "map":
      return RANK.map;
    case "set":
      return RANK.set;
    case "instant":
      return RANK.instant;
    case "date":
      return RANK.date;
    case "var":
      return RANK.var;
    case "regex":
      return RANK.regex;
    default:
      return RANK.fn;
  }
}

const compareHost = (a: string | number | bigint | boolean, b: string | number | bigint | boolean): number =>
  a < b ? -1 : a > b ? 1 : 0;

/**
 * Texts by their UTF-16 units. Most keys differ early, and the host's own comparison of two texts, quick as it is for
 * long ones, takes its time to begin. What two have in common is billed: at each node of a tree it is read again.
 */
function compareUnits(a: string, b: string): number {
  const length = min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  if (i >= LONG_BEGINNING) billEach(i);
  return i === length ? a.length - b.length : a.charCodeAt(i) - b.charCodeAt(i);
}

/** Up to here a comparison costs no more than one of other keys. */
const LONG_BEGINNING = 64;

function compareScalarKeys(a: Value, b: Value, rank: number): number {
  switch (rank) {
    case RANK.float: {
      const x = (a as { n: number }).n;
      const y = (b as { n: number }).n;
      if (isNaNumber(x) || isNaNumber(y)) return toNumber(isNaNumber(x)) - toNumber(isNaNumber(y));
      return compareHost(x, y);
    }
    case RANK.keyword:
    case RANK.var:
      return compareUnits((a as { name: string }).name, (b as { name: string }).name);
    case RANK.instant:
      return compareHost((a as { ms: number }).ms, (b as { ms: number }).ms);
    case RANK.date:
      return compareHost((a as { iso: string }).iso, (b as { iso: string }).iso);
    case RANK.regex:
      return compareHost((a as { source: string }).source, (b as { source: string }).source);
    case RANK.nil:
      return 0;
    case RANK.string:
      return compareUnits(a as string, b as string);
    default:
      billBig(a as bigint, b as bigint);
      return compareHost(a as bigint, b as bigint);
  }
}

function compareDeep(a: Value, b: Value, rank: number, depth: number, budget: WalkBudget): number {
  budget.visit(depth);
  if (rank === RANK.fn) return compareFunctions(a as Fn, b as Fn);
  const size = sizeOf(a) - sizeOf(b);
  if (size !== 0) return size;
  // Members and entries are put in order for it.
  billEach(sizeOf(a) * (rank === RANK.vector ? 2 : 16));
  if (rank === RANK.vector) return compareVectors(a as Vec, b as Vec, depth + 1, budget);
  return compareEntries((a as PMap | PSet).sorted(), (b as PMap | PSet).sorted(), rank, depth + 1, budget);
}

function compareVectors(a: Vec, b: Vec, depth: number, budget: WalkBudget): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareAt(a.at(i), b.at(i), depth, budget);
    if (order !== 0) return order;
  }
  return 0;
}

/** Keys and values of a map, members of a set in key order, so that insertion order does not matter. */
function compareEntries(
  a: readonly Entry[],
  b: readonly Entry[],
  rank: number,
  depth: number,
  budget: WalkBudget,
): number {
  for (let i = 0; i < a.length; i++) {
    const [key, value] = a[i]!;
    const other = b[i]!;
    const order = compareAt(key, other[0], depth, budget);
    if (order !== 0) return order;
    if (rank === RANK.set) continue;
    const values = compareAt(value, other[1], depth, budget);
    if (values !== 0) return values;
  }
  return 0;
}

function compareAt(a: Value, b: Value, depth: number, budget: WalkBudget): number {
  if (a === b) return 0;
  const rank = keyRank(a);
  const other = keyRank(b);
  if (rank !== other) return rank - other;
  return rank <= RANK.keyword ? compareScalarKeys(a, b, rank) : compareDeep(a, b, rank, depth, budget);
}

const sizeOf = (value: Value): number =>
  (value as Vec).tag === "vector" ? (value as Vec).length : (value as PMap | PSet).size;

/** Builtins are the host's, shared by all that it runs: what others did with them first must not decide anything here. */
function compareFunctions(a: Fn, b: Fn): number {
  const x = a.tag === "builtin" ? a.name : "";
  const y = b.tag === "builtin" ? b.name : "";
  return x === y ? functionNumber(a) - functionNumber(b) : compareHost(x, y);
}

// Functions have no content to compare. The numbers only order tree nodes and are never seen by a program.
const functionNumbers = new WeakMap<object, number>();
let functionsSeen = 0;
function functionNumber(fn: object): number {
  let n = functionNumbers.get(fn);
  if (n === undefined) {
    functionsSeen += 1;
    n = functionsSeen;
    functionNumbers.set(fn, n);
  }
  return n;
}
