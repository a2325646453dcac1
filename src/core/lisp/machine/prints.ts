import { shortened } from "../text/cut-text";

/** Characters that one program can print; they are kept with the turn, and shown to the model at most in part. */
const MAX_CHARS = 100_000;

/** What a program prints: lines up to a size, and a count of the rest. */
export class Prints {
  private readonly lines: string[] = [];
  private left = MAX_CHARS;
  private dropped = 0;
  /** Whether a parallel branch runs: what it prints is dropped with its definitions. */
  quiet = false;

  constructor(private readonly maxLine: number) {}

  add(line: string): void {
    if (this.quiet) return;
    if (this.left <= 0) {
      this.dropped += 1;
      return;
    }
    const shown = shortened(line, this.maxLine);
    // An empty line takes room too.
    this.left -= shown.length + 1;
    this.lines.push(shown);
  }

  all(): string[] {
    const { lines, dropped } = this;
    return dropped === 0 ? lines : [...lines, `... and ${dropped} more line${dropped === 1 ? "" : "s"}`];
  }
}
