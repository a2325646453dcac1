const { countWords, wordsOf } = require("./words.cjs") as {
  countWords(): Record<string, number>;
  wordsOf(file: string, text: string): { word: string; line: number }[];
};

/** Words with four meanings and words of no field stay out of code, docs, messages and prompts. */
describe("the words of the field", () => {
  test("no file has one of the avoided words; `node test/docs/words.cjs FOLDER` names the word to use instead", () =>
    expect(countWords()).toEqual({}));

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
