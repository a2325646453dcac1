import fc from "fast-check";
import { Matcher } from "../../../../src/core/lisp/regex/match";
import { compilePatternText } from "../../../../src/core/lisp/regex/program";
import { assertProperty, sized } from "../../../support/run/property";
import { hardPatterns } from "./material/patterns";

/** Regular expressions take linear time. Steps of the engine are counted here, not seconds. */

/** Steps to find all matches, the searches behind each match included. */
function cost(source: string, text: string): number {
  let steps = 0;
  const charge = (n: number) => {
    steps += n;
  };
  const matcher = new Matcher(compilePatternText(source), text, { charge, allocate: () => {}, reserve: () => {} });
  for (let from = 0; from <= text.length; ) {
    const slots = matcher.search(from);
    if (slots === null) break;
    from = slots[0] === slots[1] ? matcher.after(slots[1]!) : slots[1]!;
  }
  return steps;
}

const LENGTHS = sized([500, 1_000, 2_000], [1_000, 2_000, 4_000, 8_000]);

describe.each([
  "(a+)+$",
  "(a+)+b",
  "(a|aa)+$",
  "(a|a|a)*b",
  "(a|a?)+$",
  "(.*)*x",
  "((a?){20}){20}b",
  "(\\w+\\s?)*!",
  "a*a*a*a*a*a*b",
  "(a*)*(a*)*(a*)*b",
  "(?:a?){30}a{30}$",
  "([a-z]+)*\\d",
  "(x+x+)+y|(a+a+)+y",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?=(a+)+b)a",
  "(?:(?=.*z)a)*",
  "(?:(?=(.*)z)a)*",
  "(?:(?!.*z)a)*",
  "(?=(?=(?=.*z).*z).*z)a",
  "a(?:.*z)?",
  "a(?=.*z)",
  ".*z|a",
  "a|.*z",
  "(?:|.*z)*",
  "(?:(?:|a*?)*z|a)",
  "(?<=a{0,20})b",
  "(?:(?<=(?=(.*z))a)a)*",
  "(?<!(?=.*z)a)a",
  "(?i:A|a)*(?i:A|a)*b",
  "(\\p{L}|\\w|.)*\\d",
])("%s", (source) => {
  test.each([
    ["that nearly matches", "a", "!"],
    ["that matches at its end", "a", "z"],
    ["of pairs", "ab", "\n"],
  ])("costs in proportion to a text %s", (_, unit, end) => {
    const costs = LENGTHS.map((length) => cost(source, unit.repeat(length / unit.length) + end));
    for (let i = 1; i < costs.length; i++) expect(costs[i]! / costs[i - 1]!).toBeLessThan(2.2);
  });
});

test("the cost of any pattern is at most that of each of its steps at each place of the text", () => {
  assertProperty(
    fc.property(
      hardPatterns,
      fc.constantFrom("a", "ab", "aab", "b"),
      fc.constantFrom("", "!", "b", "\n"),
      (source, unit, end) => {
        const size = sizeOf(source);
        fc.pre(size !== undefined);
        const text = unit.repeat(300) + end;
        // One step of the budget is four of the engine.
        const steps = 4 * cost(source, text);
        const most = 4 * size * (text.length + 1);
        if (steps > most) throw new Error(`${steps} steps, which is more than ${most}`);
      },
    ),
    { numRuns: 2_000 },
  );
});

function sizeOf(source: string): number | undefined {
  try {
    return compilePatternText(source).size;
  } catch {
    return undefined; // its repetitions are too large
  }
}
