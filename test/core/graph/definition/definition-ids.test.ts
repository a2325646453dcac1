import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import type { Loaded } from "../../../../src/core/graph/definition/validate";
import { definition, parsed, task, written } from "./definitions";
import { codesOf, errorsOf, whole } from "./findings";

/** Ids of definitions, their own and those of their subflows (graph reference, sections 1 and 2). */
describe("the id", () => {
  const named = (id: unknown) => ({ ...written({ S: task() }, whole), id });
  test.each<[unknown, string | undefined, string]>([
    [undefined, undefined, "invalid_id"],
    ["Bug-Fix", undefined, "invalid_id"],
    ["2nd", undefined, "invalid_id"],
    [7, undefined, "invalid_id"],
    [undefined, "a b", "invalid_id"],
    ["bug-fix", "hot-fix", "id_mismatch"],
  ])("%j, loaded as %j: %s", (id, argument, reason) =>
    expect(parseDefinition(named(id), argument)).toMatchObject({ ok: false, fail: { reason } }),
  );

  test.each<[unknown, string | undefined]>([
    ["bug-fix", undefined],
    [undefined, "bug-fix"],
    ["bug-fix", "bug-fix"],
  ])("%j, loaded as %j: bug-fix, which is also the default of its name", (id, argument) => {
    const read = parseDefinition(named(id), argument);
    expect(read).toMatchObject({
      ok: true,
      value: { definition: { id: "bug-fix", name: "bug-fix", description: "" } },
    });
  });
});

describe("subflows", () => {
  const calling = (id: string, workflow: string) => ({
    ...written({ S: { type: "subflow", workflow } }, whole),
    id,
  });
  const loaded = (...definitions: object[]): Loaded =>
    new Map(definitions.map((one) => parsed(one).definition).map((one) => [one.id, one]));

  test.each([
    { name: "to itself", load: calling("a", "a"), there: [] },
    { name: "through another", load: calling("a", "b"), there: [calling("b", "a")] },
    { name: "through two others", load: calling("a", "b"), there: [calling("b", "c"), calling("c", "a")] },
  ])("that lead back to their workflow are refused: $name", ({ load, there }) => {
    expect(errorsOf(load, loaded(...there))).toEqual(["subflow_cycle"]);
  });

  test("whose workflows are not loaded yet give a warning, if the loaded ones are known", () => {
    expect(codesOf(parsed(calling("a", "b"), loaded()).warnings)).toEqual(["subflow_not_loaded"]);
    expect(codesOf(parsed(calling("a", "b")).warnings)).toEqual([]);
    expect(codesOf(parsed(calling("a", "b"), loaded(calling("b", "c"))).warnings)).toEqual([]);
  });

  test("that form a circle elsewhere do not keep the check busy forever", () => {
    const round = { ...calling("b", "c") };
    expect(errorsOf(calling("a", "b"), loaded(round, calling("c", "b")))).toEqual([]);
  });
});

test("reading does not change its input", () => {
  const input = written({ S: task({ outputs: ["passed", "failed"] }) }, whole);
  const copy = JSON.stringify(input);
  parseDefinition(input);
  expect(JSON.stringify(input)).toBe(copy);
  expect(definition({ S: task() }, whole).nodes.S).not.toHaveProperty("outputs");
});
