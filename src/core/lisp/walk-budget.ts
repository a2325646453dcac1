import { LispError } from "./errors";

/**
 * Values may nest deeply and share their parts, so a small program can describe a value with 2^60 leaves.
 * Every recursive walk over a value therefore counts depth and nodes, and ends in a program error.
 */
export const MAX_NESTING = 500;
const MAX_NODES = 2_000_000;

// Comparing keys deep inside a map has no context at hand to bill. Programs run synchronously, one at a
// time, so the running one is known here; outside of one nothing is billed.
let meter: ((steps: number) => void) | undefined;

/** Runs a program's code with all walks over its values billed to it. */
export function metered<T>(charge: (steps: number) => void, body: () => T): T {
  const outer = meter;
  meter = charge;
  try {
    return body();
  } finally {
    meter = outer;
  }
}

const LONG_TEXT = 4_096;

/** Bills a comparison of a text, where it is long enough to be felt. */
export function billText(text: string): void {
  if (text.length > LONG_TEXT) meter?.(text.length >> 9);
}

export class WalkBudget {
  private left: number;
  /** `what` completes "value too large to ..."; `charge` also bills the program when there is one. */
  constructor(
    private readonly what: string,
    private readonly charge?: (steps: number) => void,
    nodes = MAX_NODES,
  ) {
    this.left = nodes;
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
    if (this.left < 0) throw new LispError("memory_exceeded", "memory_exceeded", `value too large to ${this.what}`);
    (this.charge ?? meter)?.(1);
  }
}
