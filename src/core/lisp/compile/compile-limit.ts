import { LispError, type Place } from "../values/errors";

const AT_LEAST = 10_000;
const FOR_A_CHARACTER = 10;

/**
 * Limits the work of compiling, in forms and captured names, in proportion to the text. Some forms are compiled more
 * than once (the patterns of `loop`, defaults) and can be nested, and names can be captured through many functions.
 */
export class CompileLimit {
  private left: number;

  constructor(source: string) {
    this.left = AT_LEAST + FOR_A_CHARACTER * source.length;
  }

  /** @throws invalid_form when the limit is exceeded */
  spend(at: Place | undefined): void {
    this.left -= 1;
    if (this.left < 0)
      throw new LispError(
        "analysis_error",
        "invalid_form",
        "the program unfolds to far more than its text: define functions instead of nesting patterns and closures",
        at,
      );
  }
}
