import { LispError, type Place } from "../values/errors";

const AT_LEAST = 10_000;
const FOR_A_CHARACTER = 10;

/**
 * What compiling may take, in forms and captured names: in proportion to the text. Forms that are compiled more than
 * once (the patterns of `loop`, defaults) can stand in each other, and names can be captured through many functions.
 */
export class CompileLimit {
  private left: number;

  constructor(source: string) {
    this.left = AT_LEAST + FOR_A_CHARACTER * source.length;
  }

  /** @throws invalid_form when it has become too much */
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
