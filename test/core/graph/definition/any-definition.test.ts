import fc from "fast-check";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { assertProperty } from "../../../support/run/property";
import { task, written } from "./definitions";
import { branches, errorsOf, forked, warningsOf, whole } from "./findings";

/** Whatever stands in a file: it is read or refused, with a word for each thing that is wrong. */
const odd = fc.constantFrom<unknown>(
  ...[
    7,
    -1,
    1.5,
    null,
    true,
    "",
    "x",
    "a",
    "b",
    "passed",
    [],
    {},
    [1],
    ["passed"],
    { a: null },
    { a: { entryStep: "a" } },
  ],
);
const ids = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "");

/** An object that has some of these properties, each of them anything. */
const withAny = (fixed: { [key: string]: fc.Arbitrary<unknown> }, keys: string[]) =>
  fc.record({ ...fixed, ...Object.fromEntries(keys.map((key) => [key, odd])) }, { requiredKeys: [] });

const types = fc.constantFrom("start", "end", "task", "gate", "subflow", "fork", "join", "loop");
const PROPERTIES = "name description outputs maxRetries workflow inputs join fork branches strategy maxConcurrency";
const MORE = "result escalation review config metadata context_files instructions agent stage emoji";
const node = withAny({ type: types }, `${PROPERTIES} ${MORE}`.split(" "));
const edge = withAny({ from: fc.oneof(ids, odd), to: fc.oneof(ids, odd) }, ["on", "label", "condition"]);
const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
const definitions = fc.record(
  {
    id: odd,
    name: odd,
    nodes: mostly(fc.dictionary(ids, mostly(node))),
    edges: mostly(fc.array(mostly(edge), { maxLength: 8 })),
  },
  { requiredKeys: [] },
);

test("no content of a file makes the reader throw", () =>
  assertProperty(
    fc.property(definitions, (raw) => {
      const read = parseDefinition(raw, "any", new Map());
      const issues = read.ok ? [] : (read.fail.details?.issues as { code: string; message: string }[]);
      expect(issues.length > 0).toBe(!read.ok);
      for (const { code, message } of issues) expect([typeof code, message.length > 10]).toEqual(["string", true]);
    }),
    { numRuns: 3_000 },
  ));

describe("a property that its node type does not have has no effect", () => {
  test("a join's outputs, whatever they are", () => {
    const odd = { type: "join", fork: "split", outputs: 7 };
    expect(errorsOf(written({ ...branches, merge: odd }, forked))).toEqual([]);
    const declared = { ...odd, outputs: ["passed", "failed", "odd"] };
    expect(errorsOf(written({ ...branches, merge: declared }, [...forked, ["merge", "done", "odd"]]))).toEqual([
      "output_not_declared",
    ]);
  });

  test("the retries of a subflow, and the workflow of a task", () => {
    const S = { type: "subflow", workflow: "other", maxRetries: 3 };
    expect(
      warningsOf({ S }, [
        ["start", "S"],
        ["S", "done"],
      ]),
    ).toEqual(["unknown_property"]);
    const read = parseDefinition(written({ S: task({ workflow: "test-flow" }) }, whole), undefined, new Map());
    expect(read.ok && read.value.warnings.map(({ code }) => code)).toEqual(["unknown_property"]);
  });
});

test("outputs with a mistake still show the author's intent", () => {
  const S = task({ outputs: ["passed", "failed", "odd", "odd", 7] });
  expect(errorsOf(written({ S }, [...whole, ["S", "done", "odd"]]))).toEqual(["invalid_outputs"]);
});
