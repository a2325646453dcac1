import { readRunInput } from "../../../../src/core/agent/definition/read-run-input";
import { readData } from "../../../../src/core/agent/run/given-data";
import type { JsonObject } from "../../../../src/core/base/json";
import { agentOf, run } from "./mission";

/** What types in signatures mean for what comes in (agent reference, sections 3 and 4.2). */

describe("the context", () => {
  const read = (signature: string, context: JsonObject) => readData(agentOf({ signature }), context);

  test("that fits is passed on as it was given", () => {
    const context = { order: { id: 1, note: { $kw: "rush" }, memo: "x" }, price: 3, kind: "a", more: null };
    expect(read("(order {id :int}, price :float, kind :string) -> :any", context)).toEqual({
      data: context,
      changes: [],
      fail: null,
    });
  });

  test("is converted where texts are numbers, and fields that are not declared stay", () => {
    const { data, fail } = read("(order {id :int}) -> :any", { order: { id: "7", memo: "x" } });
    expect([data, fail]).toEqual([{ order: { id: 7, memo: "x" } }, null]);
  });

  test("that does not fit is refused, with the field, what was expected and what was found", () => {
    expect(read("(order_id :int, items [{n :int}], to :string) -> :any", { order_id: "abc", items: 3 }).fail).toEqual({
      reason: "validation_error",
      message:
        'context.to: expected field, got nil; context.order_id: cannot coerce string "abc" to integer; context.items: cannot coerce int 3 to list',
      details: { input: true, errors: expect.any(Array) },
    });
  });
});

test("an agent whose tool has an empty identity is refused", () => {
  const agent = { prompt: "Pay.", tools: [{ name: "pay", identity: [] }] };
  for (const knownFields of [true, false])
    expect(readRunInput({ agent, context: {} }, { knownFields })).toMatchObject({
      fail: { message: expect.stringContaining("agent.tools[0].identity is wrong: names no argument") },
    });
});

test("a call with wrong arguments is not made", async () => {
  const agent = { max_turns: 1, tools: { charge: "(order_id :int) -> :any" } };
  const { host } = await run({ agent, tools: { charge: 1 }, says: ['(tool/charge {:order_id "abc"})'] });
  expect(host.toolCalls).toEqual([]);
});
