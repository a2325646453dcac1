import { NavigatorError } from "../../src/core/base/navigator-error";

/** A size of a proof: an option of its command. */
export type Size = CountSize | ShareSize | NamesSize;

interface CountSize {
  kind: "count";
  about: string;
  quick: number;
  normal: number;
  /** Default 1. */
  min?: number;
  max?: number;
}

/** A part of all, from 0 to 1. */
interface ShareSize {
  kind: "share";
  about: string;
  quick: number;
  normal: number;
}

/** Some of a list of names, separated by commas. */
interface NamesSize {
  kind: "names";
  about: string;
  of: readonly string[];
  quick: readonly string[];
  normal: readonly string[];
}

export type SizeTable = { readonly [option: string]: Size };

/** The values of a table of sizes. */
export type SizesOf<T extends SizeTable> = {
  readonly [option in keyof T]: T[option] extends NamesSize ? readonly string[] : number;
};

/** Sizes as they were written on the command line; those that were not given are missing. */
export type GivenSizes = { readonly [option: string]: string | undefined };

/**
 * The sizes of a run: what was given, and the defaults of quick or normal runs for all others.
 *
 * @throws NavigatorError `bad_usage` that names the option and its valid values
 */
export function readSizes<T extends SizeTable>(table: T, given: GivenSizes, quick: boolean): SizesOf<T> {
  const entries = Object.entries(table).map(([option, size]) => {
    const text = given[option];
    return [option, text === undefined ? size[quick ? "quick" : "normal"] : readSize(`--${option}`, size, text)];
  });
  return Object.fromEntries(entries);
}

function readSize(option: string, size: Size, text: string): number | readonly string[] {
  if (size.kind === "names") return readNames(option, size, text);
  const value = Number(text);
  const [min, max] = size.kind === "share" ? [0, 1] : [size.min ?? 1, size.max ?? Number.MAX_SAFE_INTEGER];
  const whole = size.kind === "share" ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (text.trim() !== "" && whole && value >= min && value <= max) return value;
  const range = size.kind === "count" && size.max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  throw new NavigatorError(
    "bad_usage",
    `${option} must be a ${size.kind === "share" ? "number" : "whole number"}, ${range}, got "${text}".`,
    { details: { path: option } },
  );
}

function readNames(option: string, { of }: NamesSize, text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !of.includes(name));
  if (unknown === undefined) return of.filter((name) => names.includes(name));
  throw new NavigatorError(
    "bad_usage",
    `${option} takes names separated by commas, of: ${of.join(", ")}. Got "${unknown}".`,
    { details: { path: option } },
  );
}
