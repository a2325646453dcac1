import fc from "fast-check";
import type { Setting } from "../../../../../prove/sandbox/fingerprint";
import type { Json } from "../../../../../src/core/base/json";

/** Programs that call tools in branches, tasks and callbacks, whatever these answer and in whatever order. */

const ANSWERS: Json[] = [
  ...[
    null,
    0,
    -0,
    1.5,
    1e21,
    2 ** 53,
    "",
    "text",
    "\ud800",
    true,
    [],
    {},
    [[]],
    [1, "a", null],
    { a: 1, b: { c: [2] } },
  ],
  ...[
    { $fail: "not now" },
    { $fail: "" },
    { $kw: "k" },
    { $set: [1, 1] },
    { __proto__: null, x: 1 },
    { "a-b": 1, a_b: 2 },
  ],
  ...[JSON.parse(`${"[".repeat(499)}1${"]".repeat(499)}`), JSON.parse(`${"[".repeat(600)}1${"]".repeat(600)}`)],
  ...["x".repeat(50_000), Array.from({ length: 5_000 }, (_, i) => ({ id: i }))],
];

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const some = tie("expression");
  const holes = (text: string) =>
    fc
      .array(some, { minLength: 3, maxLength: 3 })
      .map((parts) => text.replace(/\b[ABC]\b/g, (c) => parts["ABC".indexOf(c)] as string));
  return {
    expression: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        "1",
        "x",
        "nil",
        '"a"',
        "[1 2]",
        "(tool/echo {:n x})",
        "(tool/cached {:n 1})",
        '(task "a" (tool/echo {:n x}))',
      ),
      fc
        .constantFrom(
          ...[
            "(pmap (fn [x] A) [1 2 3])",
            "(pmap (fn [x] A) (range 9))",
            "(pcalls (fn [] A) (fn [] B) #(do C))",
            "(pmap #(tool/echo {:n %}) [1 2])",
          ],
          ...[
            '(task "a" A)',
            '(task "b" A)',
            "(task (str x) A)",
            "(let [x A] B)",
            "(do A B)",
            "[A B]",
            "(map (fn [x] A) [1 2])",
            "(if A B C)",
          ],
          ...[
            "(reduce (fn [x y] A) B [1 2])",
            "(sort-by (fn [x] A) [2 1])",
            "(tool/echo {:n A})",
            "(tool/cached {:n A})",
            "(update {:a 1} :a (fn [x] A))",
          ],
          ...[
            "(for [x [1 2]] A)",
            '(do A (task-reset "a") B)',
            "(step-done x A)",
            "(return A)",
            "(fail A)",
            "(inc A)",
            "(def kept A)",
            "(do (def x A) B)",
          ],
          ...[
            "(loop [x 1] (if (< x 3) (do A (recur (inc x))) B))",
            "(doseq [x [1 2]] A)",
            "(group-by (fn [x] A) [1 2])",
            "(filter (fn [x] A) [1 2])",
          ],
          ...[
            "(budget/remaining)",
            "(println A)",
            "(count A)",
            "(get A :a)",
            "(task A B)",
            "(apply (fn [x] A) [B])",
            "(when-let [x A] B)",
          ],
        )
        .chain(holes),
    ),
  };
});

export const calling: fc.Arbitrary<{ source: string; setting: Setting }> = fc
  .record({
    body: expression,
    answers: fc.array(fc.constantFrom(...ANSWERS), { minLength: 1, maxLength: 4 }),
    picks: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
    max_tool_calls: fc.constantFrom(null, null, 0, 3),
    max_parallel: fc.constantFrom(1, 2, 8),
  })
  .map(({ body, answers, picks, ...limits }) => ({
    source: `(def x 7) ${body}`,
    setting: { answers, picks, limits, tools: { cached: { cache: true } } },
  }));
