import { LispError } from "../values/errors";

/** A pattern read character by character. */
export class PatternScanner {
  protected readonly points: string[];
  protected at = 0;

  constructor(private readonly source: string) {
    this.points = [...source];
  }

  protected refuse(message: string, at = this.at): never {
    throw new LispError(
      "eval_error",
      "type_error",
      `invalid regex ${JSON.stringify(this.source)}: ${message} at position ${at}`,
    );
  }

  protected peek(text: string): boolean {
    return this.points.slice(this.at, this.at + text.length).join("") === text;
  }

  protected take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  protected next(missing: string): string {
    const point = this.points[this.at];
    if (point === undefined) this.refuse(missing);
    this.at += 1;
    return point;
  }
}
