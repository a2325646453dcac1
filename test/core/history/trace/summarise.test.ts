import fc from "fast-check";
import { jsonBytes, utf8Bytes } from "../../../../src/core/base/bytes";
import type { Json } from "../../../../src/core/base/json";
import { shortenedTo, summarised, summarisedMetadata } from "../../../../src/core/history/trace/summarise";
import { assertProperty } from "../../../support/run/property";

/** What is large is told by its size and its beginning (agent reference, section 13). */
const LONG = "ü".repeat(40_000);
const LONG_TOLD = { $summary: "text", bytes: 80_000, start: "ü".repeat(500) };
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
const map = (n: number) => Object.fromEntries(numbers(n).map((i) => [`k${i}`, i]));

test.each<[string, Json, unknown]>([
  ["a text of 65,536 bytes", "a".repeat(65_536), "a".repeat(65_536)],
  ["a text of more", LONG, LONG_TOLD],
  ["a list of 100", numbers(100), numbers(100)],
  ["a list of 101", numbers(101), { $summary: "list", entries: 101, start: numbers(10) }],
  ["a map of 100", map(100), map(100)],
  ["a map of 101", map(101), { $summary: "map", entries: 101, start: map(10) }],
  ["what is inside", { a: [numbers(101)] }, { a: [{ $summary: "list", entries: 101, start: numbers(10) }] }],
  [
    "what begins a summary",
    Array<Json>(101).fill(LONG),
    { $summary: "list", entries: 101, start: Array(10).fill(LONG_TOLD) },
  ],
  ["numbers, truth, nothing", [1.5, true, null], [1.5, true, null]],
])("%s", (_, value, told) => expect(summarised(value)).toEqual(told));

const large = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.integer({ min: 65_000, max: 66_500 }).map((n) => `${"é".repeat(n / 2)}x`),
);
const values = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    large,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.integer({ min: 90, max: 130 }).map(numbers),
    fc.integer({ min: 90, max: 130 }).map(map),
    fc.dictionary(fc.string({ maxLength: 5 }), tie("any"), { maxKeys: 4 }),
  ),
})).any;

function* parts(value: unknown): Iterable<unknown> {
  yield value;
  if (typeof value === "object" && value !== null) for (const item of Object.values(value)) yield* parts(item);
}
const isLarge = (part: unknown) =>
  typeof part === "string"
    ? utf8Bytes(part) > 65_536
    : typeof part === "object" && part !== null && Object.keys(part).length > 100;

test("no large value is left at any depth, and a small value is unchanged", () =>
  assertProperty(
    fc.property(values, (value) => {
      const told = summarised(value);
      expect([...parts(told)].filter(isLarge)).toEqual([]);
      if (![...parts(value)].some(isLarge)) expect(told).toEqual(value);
      else expect(JSON.stringify(told)).toContain("$summary");
    }),
    { numRuns: 200 },
  ));

test("the system prompt is never summarised, all other metadata is", () => {
  const system_prompt = "p".repeat(100_000);
  expect(summarisedMetadata({ system_prompt, response: system_prompt })).toEqual({
    system_prompt,
    response: { $summary: "text", bytes: 100_000, start: "p".repeat(1000) },
  });
});

test("metadata with many fields is not summarised as a map", () =>
  expect(summarisedMetadata(map(150))).toEqual(map(150)));

test("endless nesting is cut before it overflows the stack", () => {
  let deep: Json = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(JSON.stringify(summarised(deep))).toContain("nested too deep");
  expect(shortenedTo(deep, 1000)).toBeDefined();
});

test.each<[Json, number, unknown]>([
  [{ a: 1 }, 1000, { a: 1 }],
  ["x".repeat(998), 1000, "x".repeat(998)],
  ["x".repeat(999), 1000, { $summary: "text", bytes: 1001, start: `"${"x".repeat(999)}` }],
  [{ a: "y".repeat(50) }, 10, { $summary: "map", bytes: 58, start: '{"a":"yyyy' }],
  [[1, 2, 3], 3, { $summary: "list", bytes: 7, start: "[1," }],
])("%j in %i bytes", (value, bytes, told) => expect(shortenedTo(value, bytes)).toEqual(told));

test("a shortened value is as short as requested, except for its frame", () =>
  assertProperty(
    fc.property(values, (value) => expect(jsonBytes(shortenedTo(value, 1000))).toBeLessThan(2_600)),
    { numRuns: 200 },
  ));
