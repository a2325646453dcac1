import type { Entry, PMap, PSet, Vec } from "./collections";
import { formatFloat, instantText, shortestFloat } from "./float-text";
import { isOneCharacter } from "./graphemes";
import { floor, INFINITY, max, min, toText } from "./host";
import { compareTotal } from "./order";
import type { Value } from "./values";
import { keySortSteps, WalkBudget } from "./walk-budget";

/** How much of a value the formatter shows (language reference, section 5). */
export interface PrintOptions {
  /** At most this many items of each collection. */
  items?: number;
  /** At most this many characters of each string; also bounds how many entries of a map are shown, and their values. */
  chars?: number;
  /** At most this many values, those inside counted: past it the value is too large to print. */
  nodes?: number;
  /** Decimals of floats at the top level, for results shown to people; default 10. */
  decimals?: number;
  /** Bills the program for the work of printing. */
  charge?: (steps: number) => void;
}

/**
 * The one formatter: a value as Clojure text. Used by `println`, `pr-str`, `str` of collections, feedback and
 * inventories. Entries whose key begins with `_` are never shown, at any depth.
 *
 * @throws LispError for a value too deep or too large to print
 */
export function printValue(value: Value, options: PrintOptions = {}): string {
  if (options.decimals !== undefined && isFloat(value)) return formatFloat(value.n, options.decimals);
  return print(value, options.chars, 0, new Printer(options));
}

/** `str` of one argument: strings raw, nil empty, numbers in shortest notation. */
export function strValue(value: Value, charge?: (steps: number) => void): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return printValue(value, charge ? { charge } : {});
  if (typeof value !== "object") return toText(value);
  switch (value.tag) {
    case "float":
      return shortestFloat(value.n);
    case "date":
      return value.iso;
    case "instant":
      return instantText(value.ms);
    default:
      return printValue(value, charge ? { charge } : {});
  }
}

/** One argument of `println`: strings raw, vectors of single characters joined, the rest by the formatter. */
export function printlnValue(arg: Value, charge: (steps: number) => void): string {
  return typeof arg === "string" ? arg : (joinedCharacters(arg, charge) ?? printValue(arg, { charge }));
}

/** A name that is hidden from every text a model sees: it begins with `_`. */
export function isHiddenKey(key: Value): boolean {
  if (typeof key === "string") return key.startsWith("_");
  return typeof key === "object" && key !== null && key.tag === "keyword" && key.name.startsWith("_");
}

class Printer extends WalkBudget {
  readonly items: number;
  constructor(options: PrintOptions) {
    super("print", options.charge, options.nodes);
    this.items = options.items ?? INFINITY;
  }
  written(text: string): string {
    this.text(text.length);
    return text;
  }
}

function print(value: Value, chars: number | undefined, depth: number, printer: Printer): string {
  printer.visit(depth);
  if (value === null) return "nil";
  if (typeof value === "string") return quote(value, chars, printer);
  if (typeof value === "bigint") return printer.digits(value);
  if (typeof value !== "object") return toText(value);
  switch (value.tag) {
    case "float":
      return printer.written(formatFloat(value.n));
    case "keyword":
      return printer.written(`:${value.name}`);
    case "vector":
      return printItems("[", value, "]", chars, depth, printer);
    case "set":
      return printItems("#{", value, "}", chars, depth, printer);
    case "map":
      return printMap(value, chars, depth, printer);
    case "regex":
      return `#${quote(value.source, undefined, printer)}`;
    case "var":
      return printer.written(`#'${value.name}`);
    case "instant":
      return `"${instantText(value.ms)}"`;
    case "date":
      return `"${value.iso}"`;
    case "builtin":
      return "#<builtin>";
    case "native":
      return "#<fn>";
    default:
      return printer.written(`#fn[${value.paramNames.join(" ")}]`);
  }
}

function printItems(
  open: string,
  coll: Vec | PSet,
  close: string,
  chars: number | undefined,
  depth: number,
  printer: Printer,
): string {
  const total = coll.tag === "vector" ? coll.length : coll.size;
  const shown: string[] = [];
  for (const item of coll) {
    if (shown.length >= printer.items) break;
    shown.push(print(item, chars, depth + 1, printer));
  }
  const cut = total > shown.length;
  return `${open}${shown.join(" ")}${cut ? " ..." : ""}${close}${cut ? ` (${total} items, showing first ${shown.length})` : ""}`;
}

function printMap(map: PMap, chars: number | undefined, depth: number, printer: Printer): string {
  const visible = map.entries().filter((entry) => !isHiddenKey(entry[0]));
  printer.work(keySortSteps(visible.length));
  const entries = sortedEntries(visible);
  const byChars = chars === undefined ? INFINITY : max(1, floor(chars / 30));
  const shown = entries.slice(0, min(printer.items, byChars, entries.length));
  const room = chars === undefined ? undefined : max(10, floor((chars - 10 * shown.length) / shown.length));
  const texts = shown.map(
    ([key, value]) => `${print(key, undefined, depth + 1, printer)} ${print(value, room, depth + 1, printer)}`,
  );
  return `{${texts.join(" ")}${entries.length > shown.length ? " ..." : ""}}`;
}

/** Entries by key, keywords before strings. */
export function sortedEntries(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => compareTotal(a[0], b[0]));
}

function quote(text: string, chars: number | undefined, printer: Printer): string {
  const kept = printer.written(chars !== undefined && text.length > chars ? `${cutText(text, chars)}...` : text);
  const escaped = kept.replace(/[\\"\n\t]/g, (c) => ESCAPES[c]!);
  printer.work((escaped.length - kept.length) >> 1);
  return `"${escaped}"`;
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t" };

/** The first `chars` UTF-16 units, never half a character. */
export function cutText(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** The text of a non-empty vector of one-character strings, what `(take 3 "abcdef")` gives. */
function joinedCharacters(value: Value, charge: (steps: number) => void): string | undefined {
  if (typeof value !== "object" || value === null || value.tag !== "vector" || value.length === 0) return undefined;
  const parts: string[] = [];
  for (const item of value) {
    charge(1);
    if (typeof item !== "string" || !isOneCharacter(item)) return undefined;
    parts.push(item);
  }
  return parts.join("");
}

function isFloat(value: Value): value is Extract<Value, { tag: "float" }> {
  return typeof value === "object" && value !== null && value.tag === "float";
}
