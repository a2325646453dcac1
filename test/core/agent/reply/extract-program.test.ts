import { clean, extractProgram } from "../../../../src/core/agent/reply/extract-program";

const block = (code: string, tag = "clojure") => `\`\`\`${tag}\n${code}\n\`\`\``;

describe("the program in an answer", () => {
  test.each([
    { name: "a tagged block", answer: block("(return 1)"), source: "(return 1)" },
    { name: "the other tag", answer: block("(return 1)", "lisp"), source: "(return 1)" },
    { name: "a block on one line", answer: "```clojure (return 1)```", source: "(return 1)" },
    { name: "a program that is no list", answer: block("42"), source: "42" },
    { name: "prose around it", answer: `I think.\n${block("(return 1)")}\nDone.`, source: "(return 1)" },
    {
      name: "a closing element instead of the fence",
      answer: "```clojure\n(return 1)\n</clojure>",
      source: "(return 1)",
    },
    { name: "CRLF", answer: "```clojure\r\n(return\r\n1)\r\n```", source: "(return\n1)" },
    {
      name: "a tagged block beside others",
      answer: `${block("{}", "json")}\n${block("(return 1)")}`,
      source: "(return 1)",
    },
    { name: "an untagged block", answer: block("(return 1)", ""), source: "(return 1)" },
    { name: "a block of another tag", answer: block("(return 1)", "scheme"), source: "(return 1)" },
    { name: "a block of a longer tag", answer: block("(return 1)", "clojurescript"), source: "(return 1)" },
    {
      name: "the one block that begins like a program",
      answer: `${block("{}", "json")}\n${block("(a)", "")}`,
      source: "(a)",
    },
    { name: "an element", answer: "So: <lisp>(return 1)</lisp>", source: "(return 1)" },
    { name: "the whole answer", answer: "\n (return 1) \n", source: "(return 1)" },
    { name: "several forms", answer: "(def a 1)\n(return a)", source: "(def a 1)\n(return a)" },
  ])("$name", ({ answer, source }) => expect(extractProgram(answer)).toMatchObject({ ok: true, source }));

  test.each([
    { name: "prose", answer: "I am done.", code: "no_code" },
    { name: "nothing", answer: "", code: "no_code" },
    { name: "data in a block", answer: block('{"a": 1}', "json"), code: "no_code" },
    {
      name: "an element beside a fence of something else",
      answer: `${block("x", "json")}<lisp>(a)</lisp>`,
      code: "no_code",
    },
    { name: "two tagged blocks", answer: `${block("(a)")}\n${block("(b)", "lisp")}`, code: "several_blocks" },
    { name: "two untagged programs", answer: `${block("(a)", "")}\n${block("(b)", "")}`, code: "several_blocks" },
    { name: "two elements", answer: "<lisp>(a)</lisp><clojure>(b)</clojure>", code: "several_blocks" },
  ])("refused: $name", ({ answer, code }) => expect(extractProgram(answer)).toMatchObject({ ok: false, code }));

  test("for too many blocks the message gives the count and asks for one", () => {
    const extracted = extractProgram([block("(a)"), block("(b)"), block("(c)")].join("\n"));
    expect(extracted).toMatchObject({ message: expect.stringMatching(/3 code blocks.*exactly one/) });
  });

  test("the conversation keeps only a tagged block; a reply without one stays whole", () => {
    expect(extractProgram(`Thinking.\n${block("(a)")}\nBye.`).kept).toBe(block("(a)"));
    expect(extractProgram(`Thinking.\n${block("(a)", "")}`).kept).toBe(`Thinking.\n${block("(a)", "")}`);
    expect(extractProgram("No program.").kept).toBe("No program.");
    const two = `${block("(a)")}\nand\n${block("(b)")}`;
    expect(extractProgram(`Thinking.\n${two}\nBye.`).kept).toBe(two);
  });
});

describe("cleaning", () => {
  test.each([
    ["\uFEFF(re\u200Bturn\u00A0 1)\u00AD", "(return 1)"],
    ["(str \u201Chello\u201D)", '(str "hello")'],
    ["(return \u2018a)", "(return 'a)"],
    ["(a #_(b (c)) d)", "(a  d)"],
    ["(a #_b c)", "(a  c)"],
    ["(a #_ b c)", "(a  c)"],
    ["(a #_#_b c d)", "(a  d)"],
    ['(a #_"b) c" d)', "(a  d)"],
    ['(a #_(b ")") c)', "(a  c)"],
    ["(a #_#{1 2} c)", "(a  c)"],
    ["(a #_#(inc %) c)", "(a  c)"],
    ["(a #_; note\n b c)", "(a  c)"],
    ["(a #_(b ; )\n) c)", "(a  c)"],
    ['(println "#_kept" 1)', '(println "#_kept" 1)'],
    ['(println "a \\" #_kept")', '(println "a \\" #_kept")'],
    ["(a) ; #_kept (b)\n(c)", "(a) ; #_kept (b)\n(c)"],
    ["(a #_)", "(a #_)"],
    ["(a #_(b", "(a #_(b"],
  ])("%j becomes %j", (code, cleaned) => expect(clean(code)).toBe(cleaned));

  // In quadratic time it would not end before the test's own limit.
  test("a long answer full of discarded forms is read in one pass", () => {
    expect(clean(`(a ${'#_(b "c") '.repeat(200_000)}${"#_".repeat(200_000)})`)).toMatch(/^\(a/);
    expect(clean("#_(".repeat(200_000))).toBeDefined();
  });
});
