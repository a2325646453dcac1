import { ceil, log2, min, toBigInt } from "../../base/intrinsics";
import { LispError } from "./errors";

/**
 * Values may nest deeply and share their parts, so a small program can describe a value with 2^60 leaves.
 * Every recursive walk over a value therefore counts depth and nodes, and ends in a program error.
 */

/** The deepest nesting that a walk over a value follows. */
export const MAX_NESTING = 500;
const MAX_NODES = 2_000_000;
/** More characters than this are never printed or sent: the host itself fails when a text grows too long. */
const MAX_CHARS = 16_000_000;
/** A value that leaves the program has to fit into one payload, so it never has more parts than this. */
export const MAX_SENT_NODES = 1_000_000;

// A comparison of keys deep inside a map has no context that it could bill. Programs run synchronously, one at a time, so
// the running program's meter is kept here. Outside of a program nothing is billed.
let meter: ((steps: number) => void) | undefined;

/** Runs a program's code, and bills it for all walks over its values. */
export function metered<T>(charge: (steps: number) => void, body: () => T): T {
  const outer = meter;
  meter = charge;
  try {
    return body();
  } finally {
    meter = outer;
  }
}

/** Bills another meter from now on. @returns the one before */
export function swapMeter(charge: typeof meter): typeof meter {
  const outer = meter;
  meter = charge;
  return outer;
}

/** Bills the host's own comparison of a text for equality, when the text is long. */
export function billText(text: string): void {
  if (text.length >= 128) meter?.(text.length >> 7);
}

/** Bills the host's own comparison of two integers, when they are long. */
export function billBig(a: number | bigint, b: number | bigint): void {
  if (typeof a !== "bigint" || typeof b !== "bigint") return;
  const bits = min(bitsOf(a), bitsOf(b));
  if (bits >= LONG_INTEGER) meter?.(bits >> 12);
}

const LONG_INTEGER = 4_096;

/** The cost of sorting items that are cheap to compare. */
export const sortSteps = (items: number): number => ceil((items * log2(items + 1)) / 4);

/** Sorting up to this many keys is free. */
const FEW_KEYS = 16;

/** The cost of sorting the keys of a map. */
export const keySortSteps = (keys: number): number => (keys > FEW_KEYS ? sortSteps(keys) : 0);

/** Bills a loop over the characters of a text, or over plain items. */
export function billEach(count: number): void {
  if (count >= 16) meter?.(count >> 4);
}

/** Whether a walk ended because the value was too large. */
export const isTooLarge = (error: unknown): boolean => error instanceof LispError && error.reason === "memory_exceeded";

const MANY_DIGITS = 1_000;

/**
 * Counts the nodes, the characters and the depth of one walk over a value.
 *
 * @throws LispError, from its methods, when the walk takes too much
 */
export class TraversalLimit {
  private left: number;
  /** Bytes that the walk has produced, if it produces something. */
  built = 0;
  /** `what` completes "value too large to ..."; `charge` also bills the program when there is one. */
  constructor(
    private readonly what: string,
    private readonly charge?: (steps: number) => void,
    nodes = MAX_NODES,
    private charsLeft = MAX_CHARS,
  ) {
    this.left = nodes;
  }

  /** For values whose JSON may have at most so many bytes: each node takes at least two of them, with its separator. */
  static within(bytes: number, what: string): TraversalLimit {
    return new TraversalLimit(what, undefined, min(MAX_SENT_NODES, (bytes >> 1) + 1), min(MAX_CHARS, bytes));
  }

  /** Counts one node at a depth (0 = outermost). */
  visit(depth: number): void {
    if (depth > MAX_NESTING)
      throw new LispError(
        "eval_error",
        "type_error",
        `value nested more than ${MAX_NESTING} levels deep, cannot ${this.what} it`,
      );
    this.left -= 1;
    if (this.left < 0) this.tooLarge();
    (this.charge ?? meter)?.(1);
  }

  /** Counts the characters of a text that is written out, as often as the value contains it. */
  text(chars: number): void {
    this.charsLeft -= chars;
    if (this.charsLeft < 0) this.tooLarge();
    if (chars >= 32) (this.charge ?? meter)?.(chars >> 5);
  }

  /** Counts work that is neither a node nor a text. */
  work(steps: number): void {
    if (steps > 0) (this.charge ?? meter)?.(steps);
  }

  /** The digits of a bigint, which are quadratic work. */
  digits(n: bigint): string {
    const text = n.toString();
    // Journal records are bounded by their size alone, and long integers take more work than their size suggests.
    if (text.length > MANY_DIGITS) this.charsLeft -= 3 * text.length;
    this.text(text.length);
    (this.charge ?? meter)?.((text.length * text.length) >> 15);
    return text;
  }

  private tooLarge(): never {
    throw new LispError("memory_exceeded", "memory_exceeded", `value too large to ${this.what}`);
  }
}

// Comparing with these costs almost nothing; computing the digits of a large integer is slow.
const WIDTHS = Array.from({ length: 11 }, (_, i) => ({ bits: 64 << i, above: 1n << toBigInt(64 << i) }));

/** Bits of an integer, rounded up generously. */
export function bitsOf(n: number | bigint): number {
  if (typeof n === "number") return 64;
  const size = n < 0n ? -n : n;
  for (let i = 0; i < WIDTHS.length; i++) {
    const { bits, above } = WIDTHS[i] as (typeof WIDTHS)[number];
    if (size < above) return bits;
  }
  return 65_536;
}
