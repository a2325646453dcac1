import { ended, evaluate } from "../run";

/** Syntax (lisp reference, section 3): what the examples of others do not touch. */
const gives = (source: string) => evaluate(source).text;

describe("tokens need no blanks between them", () => {
  test.each([
    ["[1:a]", "[1 :a]"],
    ["[-5-3]", "[-5 -3]"],
    ['["a""b"]', '["a" "b"]'],
    ["[1.5:a]", "[1.5 :a]"],
    ["[1e3 1E3 2e+2 5e-1 -1.5e2]", "[1000.0 1000.0 200.0 0.5 -150.0]"],
    ["[##Inf##NaN]", "[##Inf ##NaN]"],
    ["[\\a\\b\\space\\c]", '["a" "b" " " "c"]'],
    ["(let [s 1] [\\newlines])", '["\n" 1]'.replace("\n", "\\n")],
    ["(let [abc 1] [7abc])", "[7 1]"],
    ["(let [x1F 1] [0x1F])", "[0 1]"],
    ["(let [M 1] [9M])", "[9 1]"],
    ["(let [/3 4] [1/3])", "[1 4]"],
    ["(let [nil-x 1 truely 2] [nil-x truely])", "[1 2]"],
    ["[:2fa :+ :a? :!]", "[:2fa :+ :a? :!]"],
    ["(let [+5 1 -x 2] [+5 -x])", "[1 2]"],
  ])("%s is %s", (source, text) => expect(gives(source)).toBe(text));
});

describe("texts and characters", () => {
  test.each([
    ['"a\\d"', '"a\\\\d"'],
    ['(= "\\d" "\\\\d")', "true"],
    ['"\\u0041"', '"\\\\u0041"'],
    ['(count "\\n\\t\\r\\"\\\\")', "5"],
    ['"a\nb"', '"a\\nb"'],
    ['[\\s \\( \\" \\; \\\\ \\é \\😀]', '["s" "(" "\\"" ";" "\\\\" "é" "😀"]'],
    ["[\\newline \\space \\tab \\return \\backspace \\formfeed]", '["\\n" " " "\\t" "\r" "\b" "\f"]'],
    ["[\\\n]", '["\\n"]'],
    ['"a\\\nb"', "!! parse_error"],
    ['"a\\\r\nb"', "!! parse_error"],
    ['(re-find #"a\\"b" "xa\\"b")', '"a\\"b"'],
  ])("%j is %s", (source, text) => expect(gives(source)).toBe(text));
});

describe("blanks, comments and tolerated text", () => {
  test.each([
    ["", "nil"],
    [" ; nothing\n\n", "nil"],
    ["[1,2,\t3,\r\n4]", "[1 2 3 4]"],
    ["[:k ;x]\n]", "[:k]"],
    ["; old line end\r(+ 1 2)", "3"],
    ["\"#_ 'x @y\" ; #_ 'x @y", '"#_ \'x @y"'],
    ["[\\' \\@]", '["\'" "@"]'],
    ["(* 6 7)))", "42"],
    [") ] } 5 }", "5"],
    ["\uFEFF(+ 1 2)", "3"],
    ["(+ 1\u00A02)", "!! parse_error"],
    ["(+ 1\f2)", "!! parse_error"],
  ])("%j is %s", (source, text) => expect(gives(source)).toBe(text));
});

describe("a parse error says why", () => {
  test.each([
    ["#_ 1 2", /discard form #_ is not supported: use a ; comment/],
    ["@state", /deref.*no atoms/],
    ["'x", /quoting is not supported: use a vector/],
    ["(f '(1 2))", /quoting is not supported/],
    ["{:a}", /even number of forms, got 1/],
    ["{:a/b 1}", /even number of forms, got 3/],
    ["::k", /keyword needs a name/],
    [":", /keyword needs a name/],
    ["# {}", /unexpected "# \{\}"/],
    ["#'1", /unexpected "#'1"/],
    ["é", /unexpected "é" \(U\+00E9\)/],
    ["(+ 1\u00A02)", /\(U\+00A0\) at 1:5/],
    ["\\", /character is missing/],
    ["(let [x (inc 1", /unclosed \( opened at 1:9; 3 closing brackets are missing/],
    ["(let [x 1\n  (inc x))", /expected \] to close the \[ of 1:6, found \) at 2:10/],
    ['(str "abc', /text that starts at 1:6 has no closing "/],
    [`${"[".repeat(201)}`, /nested deeper than 200/],
    [`(+ 1 ${"9".repeat(10_001)})`, /more than 10000 digits at 1:6/],
  ])("%j", (source, message) => {
    expect(gives(source)).toBe("!! parse_error");
    expect(evaluate(source).message).toMatch(message);
  });

  test("nesting up to the limit is fine", () =>
    expect(gives(`(count ${"[".repeat(199)}${"]".repeat(199)})`)).toBe("1"));
});

describe("different names are counted", () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(" ");

  test("up to 10,000; a namespaced one counts by its name", () => {
    expect(gives(`(count [${names(9_999, ":k")}])`)).toBe("9999");
    expect(gives(`(count [${names(9_000, ":k")} ${names(900, "data/x")} (or ${names(900, "x")})])`)).toBe("9901");
  });

  test("beyond that are all refused, before anything runs", () => {
    const { outcome } = ended(`[${names(10_005, ":k")}]`);
    expect(outcome).toMatchObject({
      fail: {
        reason: "symbol_limit_exceeded",
        message: expect.stringMatching(/contains 10005 different symbols and keywords; the limit is 10000/),
        details: { line: 1 },
      },
    });
  });
});
