import { thrownText } from "../../../src/core/base/navigator-error";
import { cutText, fitted, lastChars, shortened } from "../../../src/core/base/whole-characters";

const ROCKET = "ab🚀cd";

test.each([
  [cutText, 3, "ab"],
  [cutText, 4, "ab🚀"],
  [cutText, 9, ROCKET],
  [shortened, 3, "ab..."],
  [shortened, 6, ROCKET],
  [fitted, 5, "ab..."],
  [fitted, 6, ROCKET],
  [lastChars, 2, "cd"],
  [lastChars, 3, "cd"],
  [lastChars, 4, "🚀cd"],
  [lastChars, 9, ROCKET],
])("%p leaves no half of a character at %i", (cut, chars, expected) => expect(cut(ROCKET, chars)).toBe(expected));

test.each([
  [new Error("no paper"), "no paper"],
  ["no paper", "no paper"],
  [{ message: { a: 1 }, toString: null }, "something was thrown that has no text form"],
  [Object.create(null), "something was thrown that has no text form"],
  [undefined, "undefined"],
  [Symbol("x"), "Symbol(x)"],
])("%p that is thrown has a message", (thrown, message) => expect(thrownText(thrown)).toBe(message));
