import { isOneCharacter } from "../text/graphemes";
import { type Description, inCard } from "../values/doc";
import { typeWord } from "../values/order";
import { Keyword, type Value } from "../values/values";
import { isTruthy } from "./callable";
import { family } from "./define";
import { isNumber } from "./numbers";
import { tagOf } from "./sequence";

const { plain } = family("predicates");

const question = (name: string, text: Description, matches: (value: Value) => boolean) =>
  plain(name, 1, `(${name} x)`, text, ([x]) => matches(x));

const tagged =
  (...tags: string[]) =>
  (value: Value) =>
    tags.includes(tagOf(value) ?? "");

/** Type predicates, `not` and `boolean` (lisp reference, sections 11.7 and 11.10). None of them ever fails. */
export const PREDICATES = [
  question("nil?", inCard("tests", 1, "Whether x is nil."), (x) => x === null),
  question("some?", inCard("tests", 2, "Whether x is anything but nil."), (x) => x !== null),
  question("boolean?", inCard("tests", 11, "Whether x is true or false."), (x) => typeof x === "boolean"),
  question("number?", inCard("tests", 8, "Whether x is a number."), isNumber),
  question("string?", inCard("tests", 9, "Whether x is a string."), (x) => typeof x === "string"),
  question(
    "char?",
    inCard("tests", 16, "Whether x is a string of one character."),
    (x) => typeof x === "string" && isOneCharacter(x),
  ),
  question("keyword?", inCard("tests", 10, "Whether x is a keyword."), tagged("keyword")),
  question("vector?", inCard("tests", 12, "Whether x is a vector."), tagged("vector")),
  question("sequential?", "Whether x is a vector.", tagged("vector")),
  question("seq?", "Whether x is a vector.", tagged("vector")),
  question("map?", inCard("tests", 13, "Whether x is a map."), tagged("map")),
  question("set?", inCard("tests", 14, "Whether x is a set."), tagged("set")),
  question("coll?", inCard("tests", 15, "Whether x is a vector, map or set."), tagged("vector", "map", "set")),
  question("regex?", inCard("tests", 17, "Whether x is a pattern."), tagged("regex")),
  question("not", inCard("functions", 5, "Whether x is nil or false."), (x) => !isTruthy(x)),
  question("boolean", "false for nil and false, else true.", isTruthy),
  plain("type", 1, "(type x)", "The type as a keyword, e.g. :number; nil for nil.", ([x]) =>
    x === null ? null : Keyword.of(typeWord(x)),
  ),
];
