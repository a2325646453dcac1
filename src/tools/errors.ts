import type { JsonObject } from "../core/base/json";

/**
 * Thrown by a tool that did nothing and wants to be called again: Temporal retries the call, with the same
 * idempotency key, as often as the retry policy of its effect allows (never for `irreversible`). Any other
 * error is an answer that the program sees, and is not retried.
 */
export class ToolRetry extends Error {
  /** Milliseconds to wait before the next attempt; undefined = as the retry policy sets it. */
  readonly after_ms?: number;

  constructor(message: string, options: { after_ms?: number } = {}) {
    super(message);
    this.name = "ToolRetry";
    if (options.after_ms !== undefined) this.after_ms = options.after_ms;
  }
}

/** By name, not by class: a project may bring its own copy of this package. */
export const isToolRetry = (error: unknown): error is ToolRetry => error instanceof Error && error.name === "ToolRetry";

/**
 * Thrown by a tool that cannot know whether it has acted, because the answer of its service was lost. The outcome of
 * the call is then unknown, as after a lost worker: the tool's `lookup` is asked, then a person (effects reference,
 * section 6). A broken connection counts as this automatically. For a tool that only reads it is an error as any other.
 */
export class UnknownOutcome extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "UnknownOutcome";
  }
}

/** By name, as `isToolRetry`. */
export const isUnknownOutcome = (error: unknown): error is UnknownOutcome =>
  error instanceof Error && error.name === "UnknownOutcome";

/** The message to the program and to people about a call whose outcome is unknown. */
export const unknownOutcomeText = (problem: string): string =>
  `the outcome is unknown: ${problem.replace(/\.$/, "")}. The effect may have happened.`;

/** A call that was refused because its arguments or its result are not what the tool declared. */
export class ToolFailure extends Error {
  constructor(
    message: string,
    readonly details: JsonObject,
  ) {
    super(message);
    this.name = "ToolFailure";
  }
}

/** Thrown by the wrapper of a tool that completes later, from outside. */
export class CompletesLater extends Error {
  constructor() {
    super("the answer comes later");
    this.name = "CompletesLater";
  }
}

/** Checks whether an error reports that another process completes the call. */
export const completesLater = (error: unknown): boolean => error instanceof Error && error.name === "CompletesLater";
