import type { Json } from "../../src/core/base/json";

/**
 * Whether a model could have written a value before it saw an answer. A value counts as known when it stands in what the user said,
 * or in an answer that the model has seen; a value that stands only in an answer that it has not seen had to be read there.
 */

/** A field of an answer, by its keys. */
export type FieldPath = readonly string[];

const NUMBERS = /-?\d+(?:\.\d+)?/g;
/** Between digits a comma is no end of a number: 12,500. */
const COMMAS = /(?<=\d),(?=\d{3}\b)/g;

/** Whether a text has the value as a word of its own, in capitals or not; a number by its value. */
export function mentions(text: string, value: string | number): boolean {
  if (typeof value === "number") {
    const found = text.replace(COMMAS, "").match(NUMBERS) ?? [];
    return found.some((one) => Number(one) === value || Math.abs(Number(one)) === value);
  }
  const word = value.toLowerCase();
  if (!/[\p{L}\p{N}]/u.test(word)) return false;
  const where = text.toLowerCase();
  for (let at = where.indexOf(word); at >= 0; at = where.indexOf(word, at + 1))
    if (!isLetter(where[at - 1]) && !isLetter(where[at + word.length])) return true;
  return false;
}

const isLetter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char);

/** All texts and numbers of a value. */
export function leavesOf(value: Json): (string | number)[] {
  if (typeof value === "string" || typeof value === "number") return [value];
  if (value === null || typeof value !== "object") return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(leavesOf);
}

/**
 * The values that a text is made of, for texts that a model composes: numbers, and words that are long enough to say something.
 * "The distance is 750.0 km." has 750 and `distance`.
 */
export function partsOf(text: string): (string | number)[] {
  const words = text.match(/\p{L}[\p{L}\p{N}_-]{3,}/gu) ?? [];
  const numbers = (text.replace(COMMAS, "").match(NUMBERS) ?? []).map(Number);
  return [...new Set([...words, ...numbers])];
}

/** The field of an answer that is this value whole; lists are not looked into, because their order says nothing. */
export function fieldOf(answer: Json, value: string | number): FieldPath | undefined {
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) return undefined;
  for (const [key, field] of Object.entries(answer)) {
    if (field === value) return [key];
    const below = field === undefined ? undefined : fieldOf(field, value);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}
