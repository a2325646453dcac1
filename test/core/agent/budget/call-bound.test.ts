import fc from "fast-check";
import { boundOf } from "../../../../src/core/agent/budget/call-bound";
import type { Message } from "../../../../src/core/calls/host";
import { assertProperty } from "../../../support/run/property";

const user = (content: string): Message => ({ role: "user", content });
const NOTHING = { system: "", messages: [] };

describe("the upper bound of a call", () => {
  test.each([
    { it: "ASCII: a token is at least a byte", text: "abc", bytes: 3 },
    { it: "other scripts: up to four bytes a character", text: "中文 é 🙂", bytes: 6 + 1 + 2 + 1 + 4 },
  ])("$it", ({ text, bytes }) => {
    const empty = boundOf(NOTHING, 0).tokens;
    expect(boundOf({ ...NOTHING, system: text }, 0).tokens - empty).toBe(bytes);
    expect(boundOf({ system: "", messages: [user(text)] }, 0).tokens - empty).toBeGreaterThan(bytes);
  });

  test("the answer counts with its token limit", () =>
    expect(boundOf(NOTHING, 1_000).tokens - boundOf(NOTHING, 0).tokens).toBe(1_000));

  const tool = { name: "look", description: "Looks around", parameters: { type: "object" } };
  const call = { id: "c1", name: "look", args: { text: "x".repeat(50) } };
  test.each([
    { it: "a tool", request: { tools: [tool] }, atLeast: 2_000 + JSON.stringify(tool).length },
    { it: "a schema", request: { schema: { type: "object" } }, atLeast: 2_000 + 17 },
    {
      it: "a call",
      request: { messages: [{ role: "assistant", content: "", tool_calls: [call] } as Message] },
      atLeast: JSON.stringify(call).length,
    },
    {
      it: "an answer of a tool, escaped",
      request: { messages: [{ role: "tool", content: '"'.repeat(100), tool_call_id: "c1" } as Message] },
      atLeast: 200,
    },
    {
      it: "thoughts that are sent back",
      request: {
        messages: [{ role: "assistant", content: "", replay: { model: "m", parts: ["x".repeat(500)] } } as Message],
      },
      atLeast: 500,
    },
  ])("$it counts", ({ request, atLeast }) =>
    expect(boundOf({ ...NOTHING, ...request }, 0).tokens - boundOf(NOTHING, 0).tokens).toBeGreaterThanOrEqual(atLeast),
  );

  test("a longer request never has a smaller bound", () =>
    assertProperty(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.string({ unit: "grapheme" })), (system, texts) => {
        const messages = texts.map(user);
        const whole = boundOf({ system, messages }, 10).tokens;
        const bytes = [system, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        expect(whole).toBeGreaterThanOrEqual(bytes + 10);
        expect(boundOf({ system, messages: messages.slice(1) }, 10).tokens).toBeLessThanOrEqual(whole);
      }),
    ));
});

describe("in money", () => {
  const request = { system: "x".repeat(1_000_000 - 16), messages: [] };

  test.each([
    { it: "input and output", price: { input: 2, output: 10 }, cost: 3 },
    { it: "a cache that is dearer to write", price: { input: 2, output: 10, cache_write: 2.5 }, cost: 3.5 },
    { it: "a cache that is cheaper to read", price: { input: 2, output: 10, cache_read: 0.2 }, cost: 3 },
    {
      it: "a prompt that may be long",
      price: { input: 2, output: 10, long: { over: 200_000, input: 4, output: 15 } },
      cost: 5.5,
    },
    {
      it: "a prompt that cannot be long",
      price: { input: 2, output: 10, long: { over: 1_000_000, input: 4, output: 15 } },
      cost: 3,
    },
  ])("$it: $cost", ({ price, cost }) => expect(boundOf(request, 100_000, price)).toEqual({ tokens: 1_100_000, cost }));

  test("without a price there is no cost", () => expect(boundOf(request, 1)).toEqual({ tokens: 1_000_001 }));
});
