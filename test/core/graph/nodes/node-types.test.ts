import { NODE_TYPES } from "../../../../src/core/graph/nodes";

test.each(Object.entries(NODE_TYPES))("the schema of %s accepts only nodes of this type", (type, kind) => {
  expect(kind.schema().shape.type?.safeParse(type).success).toBe(true);
  expect(kind.schema().shape.type?.safeParse(`${type}s`).success).toBe(false);
});

test.each(Object.entries(NODE_TYPES))(
  "every code for a wrong value of %s is for a property that it has",
  (_type, kind) => expect(Object.keys(kind.schema().shape)).toEqual(expect.arrayContaining(Object.keys(kind.codes))),
);
