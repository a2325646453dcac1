import { alias, family } from "../../../../src/core/lisp/builtins/define";
import { inCard } from "../../../../src/core/lisp/values/doc";

/** A builtin is one entry: what it does, how it is called and what is told of it. */
const { plain } = family("numbers");

test("the REPL, the docs and the card read what the entry says", () => {
  const half = plain("half", 1, "(half n)", inCard("numbers", 99, "Half of a number."), ([n]) => n);
  expect(half.doc).toEqual({
    usage: ["(half n)"],
    text: "Half of a number.",
    card: [{ list: "numbers", place: 99 }],
    family: "numbers",
  });
  expect(alias(half, "halved").doc).toMatchObject({ usage: ["(halved n)"], text: "Half of a number.", card: [] });
});

test("a name can stand in two lists of the card, and under another spelling", () => {
  const { doc } = plain("f", 0, "(f)", inCard("functions", 1, inCard("forms", 2, "Nothing.", "f #()")), () => null);
  expect(doc.card).toEqual([
    { list: "forms", place: 2, shown: "f #()" },
    { list: "functions", place: 1 },
  ]);
});

test("an entry without a description does not compile", () => {
  // @ts-expect-error a description is a sentence that ends with a full stop
  plain("half", 1, "(half n)", "", ([n]) => n);
  // @ts-expect-error a builtin has a description
  plain("half", 1, "(half n)", ([n]) => n);
});
