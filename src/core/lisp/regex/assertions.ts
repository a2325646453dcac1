import { isWordPoint } from "./char-set";
import type { Assertion } from "./tree";

/** Whether an assertion such as `^` or `\b` holds at an offset of a text. */
export function assertionHolds(what: Assertion, text: string, at: number): boolean {
  switch (what) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "last-end":
      return at === text.length || (at === text.length - 1 && text[at] === "\n");
    case "line-start":
      return at === 0 || text[at - 1] === "\n";
    case "line-end":
      return at === text.length || text[at] === "\n";
    default: {
      const before = at > 0 && isWordPoint(pointBefore(text, at));
      const after = at < text.length && isWordPoint(text.codePointAt(at)!);
      return (before !== after) === (what === "word");
    }
  }
}

/** The character that ends at an offset. */
export function pointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  const paired = unit >= 0xdc00 && unit <= 0xdfff && at >= 2;
  return text.codePointAt(paired ? at - 2 : at - 1)!;
}
