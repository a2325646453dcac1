import { isOneCharacter } from "../text/graphemes";
import { typeWord } from "../values/order";
import { Keyword, type Value } from "../values/values";
import { isTruthy } from "./callable";
import { family } from "./define";
import { isNumber } from "./numbers";
import { tagOf } from "./sequence";

const { plain } = family("predicates");

const question = (name: string, text: string, holds: (value: Value) => boolean) =>
  plain(name, 1, `(${name} x)`, text, ([x]) => holds(x));

const tagged =
  (...tags: string[]) =>
  (value: Value) =>
    tags.includes(tagOf(value) ?? "");

/** Type predicates, `not` and `boolean` (lisp reference, sections 11.7 and 11.10). None of them ever fails. */
export const PREDICATES = [
  question("nil?", "Whether x is nil.", (x) => x === null),
  question("some?", "Whether x is anything but nil.", (x) => x !== null),
  question("boolean?", "Whether x is true or false.", (x) => typeof x === "boolean"),
  question("number?", "Whether x is a number.", isNumber),
  question("string?", "Whether x is a string.", (x) => typeof x === "string"),
  question("char?", "Whether x is a string of one character.", (x) => typeof x === "string" && isOneCharacter(x)),
  question("keyword?", "Whether x is a keyword.", tagged("keyword")),
  question("vector?", "Whether x is a vector.", tagged("vector")),
  question("sequential?", "Whether x is a vector.", tagged("vector")),
  question("seq?", "Whether x is a vector.", tagged("vector")),
  question("map?", "Whether x is a map.", tagged("map")),
  question("set?", "Whether x is a set.", tagged("set")),
  question("coll?", "Whether x is a vector, map or set.", tagged("vector", "map", "set")),
  question("regex?", "Whether x is a pattern.", tagged("regex")),
  question("not", "Whether x is nil or false.", (x) => !isTruthy(x)),
  question("boolean", "false for nil and false, else true.", isTruthy),
  plain("type", 1, "(type x)", "The type as a keyword, e.g. :number; nil for nil.", ([x]) =>
    x === null ? null : Keyword.of(typeWord(x)),
  ),
];
