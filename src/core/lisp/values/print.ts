import { floor, INFINITY, max, min, toText } from "../../base/intrinsics";
import { shortened } from "../../base/whole-characters";
import { escapeText } from "../text/escape-text";
import { formatFloat, instantText, shortestFloat } from "../text/float-text";
import { isOneCharacter } from "../text/graphemes";
import type { Entry, PMap, PSet, Vec } from "./collections";
import { compareTotal } from "./order";
import { keySortSteps, TraversalLimit } from "./traversal-limit";
import type { Value } from "./values";

/** How much of a value the formatter shows (lisp reference, section 5). */
export interface PrintValueOptions {
  /** At most this many items of each collection. */
  items?: number;
  /** At most this many characters of each string; also bounds how many entries of a map are shown, and their values. */
  chars?: number;
  /** At most this many values, nested ones included: a larger value is refused. */
  nodes?: number;
  /** Collections that are nested deeper print as `[...]`. */
  levels?: number;
  /** Decimals of floats at the top level, for results shown to people; default 10. */
  decimals?: number;
  /** Bills the program for the work of printing. */
  charge?: (steps: number) => void;
}

/**
 * A value as Clojure text (lisp reference, section 5). Used by `println`, `pr-str`, `str` of collections, feedback and
 * inventories. Entries whose key begins with `_` are never shown, at any depth.
 *
 * @throws LispError for a value too deep or too large to print
 */
export function printValue(value: Value, options: PrintValueOptions = {}): string {
  if (options.decimals !== undefined && isFloat(value)) return formatFloat(value.n, options.decimals);
  const printer = new Printer(options);
  print(value, options.chars, 0, printer);
  return printer.all();
}

const BRIEF = { items: 3, chars: 40, levels: 3 };
const BRIEF_CHARS = 200;

/** The beginning of a value, for messages. */
export function printBriefly(value: Value): string {
  return shortened(printValue(value, BRIEF), BRIEF_CHARS);
}

/** A value as `str` writes one argument: strings raw, nil empty, numbers in their shortest notation. */
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

/**
 * A value as `println` writes one argument: strings raw, vectors of single characters joined, everything else as
 * `printValue`.
 */
export function printlnValue(arg: Value, charge: (steps: number) => void): string {
  return typeof arg === "string" ? arg : (joinedCharacters(arg, charge) ?? printValue(arg, { charge }));
}

/** A name that is hidden from every text a model sees: it begins with `_`. */
export function isHiddenKey(key: Value): boolean {
  if (typeof key === "string") return key.startsWith("_");
  return typeof key === "object" && key !== null && key.tag === "keyword" && key.name.startsWith("_");
}

/** Parts are joined when there are this many: each takes more memory than its text. */
const MANY_PARTS = 4_096;

/** Collects the output in parts: joining texts level by level would copy each text once for each level. */
class Printer extends TraversalLimit {
  readonly items: number;
  readonly levels: number;
  private done = "";
  private readonly parts: string[] = [];
  constructor(options: PrintValueOptions) {
    super("print", options.charge, options.nodes);
    this.items = options.items ?? INFINITY;
    this.levels = options.levels ?? INFINITY;
  }

  /** Writes a short text without counting its characters. */
  append(text: string): void {
    if (this.parts.push(text) >= MANY_PARTS) this.all();
  }
  write(text: string): void {
    this.text(text.length);
    this.append(text);
  }
  all(): string {
    this.done += this.parts.join("");
    this.parts.length = 0;
    return this.done;
  }
}

function print(value: Value, chars: number | undefined, depth: number, printer: Printer): void {
  printer.visit(depth);
  if (value === null) return printer.append("nil");
  if (typeof value === "string") return quote(value, chars, printer);
  if (typeof value === "bigint") return printer.append(printer.digits(value));
  if (typeof value !== "object") return printer.append(toText(value));
  switch (value.tag) {
    case "float":
      return printer.write(formatFloat(value.n));
    case "keyword":
      return printer.write(`:${value.name}`);
    case "vector":
      return printItems("[", value, "]", chars, depth, printer);
    case "set":
      return printItems("#{", value, "}", chars, depth, printer);
    case "map":
      return printMap(value, chars, depth, printer);
    case "regex":
      printer.append("#");
      return quote(value.source, undefined, printer);
    case "var":
      return printer.write(`#'${value.name}`);
    case "instant":
      return printer.append(`"${instantText(value.ms)}"`);
    case "date":
      return printer.append(`"${value.iso}"`);
    case "builtin":
      return printer.append("#<builtin>");
    case "native":
      return printer.append("#<fn>");
    default:
      return printer.write(`#fn[${value.paramNames.join(" ")}]`);
  }
}

function printItems(
  open: string,
  coll: Vec<Value> | PSet<Value>,
  close: string,
  chars: number | undefined,
  depth: number,
  printer: Printer,
): void {
  const total = coll.tag === "vector" ? coll.length : coll.size;
  if (depth >= printer.levels && total > 0) return printer.append(`${open}...${close}`);
  let shown = 0;
  printer.append(open);
  for (const item of coll) {
    if (shown >= printer.items) break;
    if (shown > 0) printer.append(" ");
    print(item, chars, depth + 1, printer);
    shown += 1;
  }
  printer.append(total > shown ? ` ...${close} (${total} items, showing first ${shown})` : close);
}

function printMap(map: PMap<Value>, chars: number | undefined, depth: number, printer: Printer): void {
  if (depth >= printer.levels && map.size > 0) return printer.append("{...}");
  const visible = map.entries().filter((entry) => !isHiddenKey(entry[0]));
  printer.work(keySortSteps(visible.length));
  const entries = sortedEntries(visible);
  const byChars = chars === undefined ? INFINITY : max(1, floor(chars / 30));
  const shown = entries.slice(0, min(printer.items, byChars, entries.length));
  const width = chars === undefined ? undefined : max(10, floor((chars - 10 * shown.length) / shown.length));
  printer.append("{");
  shown.forEach(([key, value], i) => {
    if (i > 0) printer.append(" ");
    print(key, undefined, depth + 1, printer);
    printer.append(" ");
    print(value, width, depth + 1, printer);
  });
  printer.append(entries.length > shown.length ? " ...}" : "}");
}

/** The entries of a map by key, keywords before strings. */
export function sortedEntries(entries: readonly Entry<Value>[]): Entry<Value>[] {
  return [...entries].sort((a, b) => compareTotal(a[0], b[0]));
}

function quote(text: string, chars: number | undefined, printer: Printer): void {
  const kept = chars === undefined ? text : shortened(text, chars);
  printer.text(kept.length);
  const escaped = escapeText(kept);
  printer.work((escaped.length - kept.length) >> 1);
  printer.append(`"${escaped}"`);
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
