import { isNaNumber, min, toNumber } from "../../base/intrinsics";
import type { Float, Instant, Keyword, LocalDate, Regex, VarRef } from "./scalars";
import { billBig, billEach, TraversalLimit } from "./traversal-limit";

/** The part of a value that its order as a key depends on. With it, collections need not know the values in them. */
export type Key = null | boolean | number | bigint | string | { readonly tag: string };

interface Named {
  readonly tag: string;
  readonly name?: string;
}
interface Items {
  readonly tag: string;
  readonly length: number;
  at(index: number): Key;
}
interface Entries {
  readonly tag: string;
  readonly size: number;
  sorted(): readonly (readonly [Key, Key])[];
}

/**
 * A strict total order over all values, used inside maps and sets: 0 exactly when two values are the same
 * key. 1 and 1.0 differ, NaN is the same key as itself. Programs never see this order (iteration is in
 * insertion order), so it may be any order that is cheap to compute.
 */
export function compareKeys(a: Key, b: Key): number {
  if (typeof a === "string" && typeof b === "string") return compareUnits(a, b);
  if (a === b) return 0;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  const rank = keyRank(a);
  const other = keyRank(b);
  if (rank !== other) return rank - other;
  if (rank <= RANK.keyword) return compareScalarKeys(a, b, rank);
  return compareDeep(a, b, rank, 0, new TraversalLimit("compare"));
}

/** Whether two values are the same key (strict: 1 and 1.0 are not). */
export function sameKey(a: Key, b: Key): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  // Keywords are interned: two keyword objects are always different keys.
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

function keyRank(value: Key): number {
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
 * Compares texts by their UTF-16 units. Most keys differ early, where this is faster than the host's own comparison,
 * which is slow to start. A long common beginning is billed, because it is read again at each node of a tree.
 */
function compareUnits(a: string, b: string): number {
  const length = min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  if (i >= LONG_BEGINNING) billEach(i);
  return i === length ? a.length - b.length : a.charCodeAt(i) - b.charCodeAt(i);
}

/** Up to this length comparing two texts costs no more than comparing other keys. */
const LONG_BEGINNING = 64;

function compareScalarKeys(a: Key, b: Key, rank: number): number {
  switch (rank) {
    case RANK.float: {
      const x = (a as Float).n;
      const y = (b as Float).n;
      if (isNaNumber(x) || isNaNumber(y)) return toNumber(isNaNumber(x)) - toNumber(isNaNumber(y));
      return compareHost(x, y);
    }
    case RANK.keyword:
    case RANK.var:
      return compareUnits((a as Keyword | VarRef).name, (b as Keyword | VarRef).name);
    case RANK.instant:
      return compareHost((a as Instant).ms, (b as Instant).ms);
    case RANK.date:
      return compareHost((a as LocalDate).iso, (b as LocalDate).iso);
    case RANK.regex:
      return compareHost((a as Regex).source, (b as Regex).source);
    case RANK.nil:
      return 0;
    case RANK.string:
      return compareUnits(a as string, b as string);
    default:
      billBig(a as bigint, b as bigint);
      return compareHost(a as bigint, b as bigint);
  }
}

function compareDeep(a: Key, b: Key, rank: number, depth: number, budget: TraversalLimit): number {
  budget.visit(depth);
  if (rank === RANK.fn) return compareFunctions(a as Named, b as Named);
  const size = sizeOf(a) - sizeOf(b);
  if (size !== 0) return size;
  // Maps and sets are sorted for the comparison.
  billEach(sizeOf(a) * (rank === RANK.vector ? 2 : 16));
  if (rank === RANK.vector) return compareVectors(a as Items, b as Items, depth + 1, budget);
  return compareEntries((a as Entries).sorted(), (b as Entries).sorted(), rank, depth + 1, budget);
}

function compareVectors(a: Items, b: Items, depth: number, budget: TraversalLimit): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareAt(a.at(i), b.at(i), depth, budget);
    if (order !== 0) return order;
  }
  return 0;
}

/** Keys and values of a map, members of a set in key order, so that insertion order does not matter. */
function compareEntries(
  a: readonly (readonly [Key, Key])[],
  b: readonly (readonly [Key, Key])[],
  rank: number,
  depth: number,
  budget: TraversalLimit,
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

function compareAt(a: Key, b: Key, depth: number, budget: TraversalLimit): number {
  if (a === b) return 0;
  const rank = keyRank(a);
  const other = keyRank(b);
  if (rank !== other) return rank - other;
  return rank <= RANK.keyword ? compareScalarKeys(a, b, rank) : compareDeep(a, b, rank, depth, budget);
}

const sizeOf = (value: Key): number =>
  (value as Items).tag === "vector" ? (value as Items).length : (value as Entries).size;

/** Builtins are shared by all programs of the host, so they are ordered by name and not by who used them first. */
function compareFunctions(a: Named, b: Named): number {
  const x = a.tag === "builtin" ? (a.name as string) : "";
  const y = b.tag === "builtin" ? (b.name as string) : "";
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
