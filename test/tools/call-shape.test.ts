import type { JsonObject } from "../../src/core/base/json";
import { descriptionOf } from "../../src/core/signature/json-schema/description";
import { type Schema, SchemaReader } from "../../src/core/signature/json-schema/schema-reader";
import { ToolFailure } from "../../src/tools";
import { CallShape } from "../../src/tools/call-shape";

const input: Schema = {
  type: "object",
  properties: {
    "max-items": { type: "integer", description: "How many\n  at most", default: 10 },
    $filter: {
      type: "object",
      properties: {
        "created-at": { type: "string" },
        note: { type: "string" },
        end: { type: "string", nullable: true },
      },
    },
    tags: { type: "array", items: { anyOf: [{ type: "string" }, { $ref: "#/$defs/Tag" }] } },
    city: { type: "string", enum: ["Rome", "Oslo"] },
    free: { type: "object", additionalProperties: true },
  },
  required: ["city"],
};
const reader = new SchemaReader({
  $defs: { Tag: { type: "object", properties: { "tag-id": { type: "integer" } }, required: ["tag-id"] } },
});
const shapeOf = (schema: Schema) => new CallShape({ input: schema, inputReader: reader, outputReader: reader });
const shape = shapeOf(input);

describe("arguments of a program in the tool's names", () => {
  test.each<{ it: string; args: JsonObject; sent: JsonObject }>([
    {
      it: "names that programs write with _",
      args: { city: "Rome", max_items: 5 },
      sent: { city: "Rome", "max-items": 5 },
    },
    {
      it: "names inside objects",
      args: { city: "Rome", filter: { created_at: "today" } },
      sent: { city: "Rome", $filter: { "created-at": "today" } },
    },
    {
      it: "names in lists of alternatives",
      args: { city: "Rome", tags: ["a", { tag_id: 1 }] },
      sent: { city: "Rome", tags: ["a", { "tag-id": 1 }] },
    },
    {
      it: "nil for what may be left out",
      args: { city: "Rome", max_items: null, filter: { note: null, end: null } },
      sent: { city: "Rome", $filter: { end: null } },
    },
    { it: "free objects", args: { city: "Rome", free: { a_b: null } }, sent: { city: "Rome", free: { a_b: null } } },
  ])("$it", ({ args, sent }) => expect(shape.read(args)).toEqual(sent));

  test.each<{ args: JsonObject; problem: string }>([
    { args: { city: "Rome", max: 5 }, problem: "there is no max; there are max-items, filter, tags, city, free" },
    { args: {}, problem: "city: expected field, got nil" },
    { args: { city: null }, problem: "city: expected string, got nil" },
    {
      args: { city: 5, max_items: "x" },
      problem: "max_items: expected int, got string; city: expected string, got int",
    },
  ])("$args are refused: $problem", ({ args, problem }) => {
    expect(() => shape.read(args)).toThrow(ToolFailure);
    expect(() => shape.read(args)).toThrow(`invalid arguments: ${problem}`);
  });

  test.each<Schema>([{ type: "object", additionalProperties: true, properties: {} }, { type: "object" }, {}])(
    "%j takes any argument",
    (open) => expect(shapeOf(open).read({ any: [1] })).toEqual({ any: [1] }),
  );

  describe("of two fields that differ in - and _", () => {
    const closed: Schema = { type: "object", additionalProperties: false };
    const both = shapeOf({
      ...closed,
      properties: { "amount-eur": { type: "number" }, amount_eur: { type: "number" } },
      required: ["amount-eur"],
    });
    const one = shapeOf({ ...closed, properties: { amount_eur: { type: "number" } } });

    test("each is meant by its own name, and by the name that is shown", () => {
      expect(both.signature).toBe("(amount-eur_2 :float, amount_eur :float?) -> :any");
      const sent = { "amount-eur": 1, amount_eur: 900 };
      expect(both.read({ "amount-eur": 1, amount_eur: 900 })).toEqual(sent);
      expect(both.read({ amount_eur_2: 1, amount_eur: 900 })).toEqual(sent);
    });
    test("one is given only once", () => {
      const twice = (args: JsonObject) => () => one.read(args);
      const says = (a: string, b: string) => `${a} and ${b} are the same argument; give one of them`;
      expect(twice({ amount_eur: 1, "amount-eur": 900 })).toThrow(says("amount_eur", "amount-eur"));
      expect(twice({ "amount-eur": 900, amount_eur: 1 })).toThrow(says("amount-eur", "amount_eur"));
      expect(() => both.read({ "amount-eur": 1, amount_eur_2: 2 })).toThrow(says("amount-eur", "amount_eur_2"));
    });
  });

  test("alternatives are shown with all their names", () => {
    const either = shapeOf({
      type: "object",
      properties: { id: { type: "integer" } },
      required: ["id"],
      oneOf: [
        { properties: { "by-mail": { type: "string" } }, required: ["by-mail"] },
        { properties: { phone: { type: "string" } } },
      ],
    });
    expect(either.signature).toBe("(by-mail :string?, phone :string?, id :int) -> :any");
    expect(either.read({ id: 1, by_mail: "x" })).toEqual({ id: 1, "by-mail": "x" });
  });
});

describe("the description of a tool", () => {
  test("contains its purpose and its arguments' meanings in one line", () =>
    expect(descriptionOf("Finds  things.\nFast.", input, reader)).toBe(
      'Finds things. Fast. -- max_items: How many at most, default 10; city: "Rome" | "Oslo"',
    ));
  test("is empty without any text", () => expect(descriptionOf(undefined, {}, reader)).toBeUndefined());
  test("is cut if it is long", () => expect(descriptionOf("x".repeat(3_000), {}, reader)).toHaveLength(400));
});
