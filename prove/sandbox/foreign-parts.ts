import { PMap, PSet, Vec } from "../../src/core/lisp/values/collections";
import {
  Closure,
  Float,
  Instant,
  Keyword,
  LocalDate,
  Regex,
  type Value,
  VarRef,
} from "../../src/core/lisp/values/values";

const SCALARS = [Float, Keyword, Regex, VarRef, Instant, LocalDate];
const ENOUGH = 20_000;

/** Parts of a value that are none of the language: a function or an object of the host would show here. */
export function foreignParts(value: Value): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && seen.size < ENOUGH) {
    const part = waiting.pop();
    if (isPlain(part) || seen.has(part)) continue;
    seen.add(part);
    const inner = partsOf(part);
    if (inner === undefined) found.push(`a ${typeof part} of the host: ${Object.prototype.toString.call(part)}`);
    else for (const one of inner) waiting.push(one);
  }
  return found;
}

function isPlain(part: unknown): boolean {
  if (typeof part === "number") return Number.isSafeInteger(part) && !Object.is(part, -0);
  if (typeof part === "bigint") return !Number.isSafeInteger(Number(part));
  return part === null || typeof part === "boolean" || typeof part === "string";
}

/** The content of a value; undefined if the part is no value. */
function partsOf(part: unknown): readonly unknown[] | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  if (SCALARS.some((kind) => part instanceof kind)) return [];
  if (part instanceof Vec) return part.toArray();
  if (part instanceof PMap) return part.entries().flat();
  if (part instanceof PSet) return part.values();
  if (part instanceof Closure) return part.captured;
  const { tag, origin } = part as { tag?: unknown; origin?: { literals?: unknown[]; captured: unknown[] } };
  if (tag === "builtin") return [];
  return tag === "native" && origin ? [...(origin.literals ?? []), ...origin.captured] : undefined;
}
