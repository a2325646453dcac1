import { readFileSync } from "node:fs";
import path from "node:path";

const { countWords, wordsOf } = require("./words.cjs") as {
  countWords(): Record<string, number>;
  wordsOf(file: string, text: string): { word: string; line: number }[];
};

/** Words with four meanings and words of no field stay out of code, docs, messages and prompts. */
describe("the words of the field", () => {
  /** The files that still have some, until none has. `node test/docs/words.cjs --write` writes the table. */
  const left = JSON.parse(readFileSync(path.join(__dirname, "words-left.json"), "utf8")) as Record<string, number>;
  const counts = countWords();

  test("no file has more of the avoided words than the table allows; words.cjs names the word to use instead", () => {
    const over = Object.entries(counts).filter(([file, count]) => count > (left[file] ?? 0));
    expect(over.map(([file, count]) => `${file}: ${count}, allowed ${left[file] ?? 0}`)).toEqual([]);
  });

  test("the table names no file without such words", () => {
    expect(Object.keys(left).filter((file) => !(file in counts))).toEqual([]);
  });

  test.each([
    { text: "const toldBy = 1;", words: ["told"] },
    { text: "const told_log = UNHEARD;", words: ["told", "unheard"] },
    { text: "const { isHeldUp, TheLane } = it;", words: ["held", "lane"] },
    { text: "/** The run goes\n * on. */", words: ["goes on"] },
    { text: '"The deeds of its own"', words: ["deeds", "of its own"] },
    { text: "mushroom, threshold, essay, input", words: [] },
    { text: 'method: "PUT"', words: [] },
  ])("in $text it finds $words", ({ text, words }) => {
    expect(wordsOf("a.ts", text).map(({ word }) => word)).toEqual(words);
  });
});
