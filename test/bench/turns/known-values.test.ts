import { fieldOf, leavesOf, mentions, partsOf } from "../../../bench/turns/known-values";
import type { Json } from "../../../src/core/base/json";

/** What a model could have written before it saw an answer. */

test.each<{ text: string; value: string | number; has: boolean }>([
  { text: "Move 'final_report.pdf' to temp", value: "final_report.pdf", has: true },
  { text: "Move it to TEMP.", value: "temp", has: true },
  { text: "a temporary folder", value: "temp", has: false },
  { text: "contemp temp", value: "temp", has: true },
  { text: "go up", value: "..", has: false },
  { text: '{"distance":750.0}', value: 750, has: true },
  { text: "sell 12,500 of them", value: 12_500, has: true },
  { text: "id 12345", value: 1234, has: false },
  { text: "it is -5 degrees", value: 5, has: true },
  { text: "nothing", value: 0, has: false },
])("whether $text has $value: $has", ({ text, value, has }) => {
  expect(mentions(text, value)).toBe(has);
});

test("texts and numbers are looked for at any depth, and nothing else", () => {
  expect(leavesOf({ a: [1, { b: "x" }, null, true], c: "y" })).toEqual([1, "x", "y"]);
});

test("a composed text has its numbers and its longer words", () => {
  expect(partsOf("The 2 zip is 94016.")).toEqual([2, 94016]);
  expect(partsOf("distance, 750.0")).toEqual(["distance", 750]);
});

test.each<{ what: string; answer: Json; field: string[] | undefined }>([
  { what: "a field", answer: { zipcode: "94016" }, field: ["zipcode"] },
  { what: "a field below", answer: { a: { b: "94016" } }, field: ["a", "b"] },
  { what: "an item of a list", answer: { all: ["94016"] }, field: undefined },
  { what: "a part of a text", answer: { text: "zip 94016" }, field: undefined },
  { what: "the whole answer", answer: "94016", field: undefined },
])("$what is passed on by its keys, or not at all", ({ answer, field }) => {
  expect(fieldOf(answer, "94016")).toEqual(field);
});
