import { runAgent } from "../../../../src/core/agent/run/run";
import { ok } from "../../../../src/core/base/failure";
import type { ModelCall } from "../../../../src/models";
import { MemoryHost } from "../../../../src/simulate/memory-host";
import { agentOf } from "./mission";

test("provider data of tool calls is sent back with them; for any other reply it is dropped", async () => {
  const replay = { model: "m", parts: [{ type: "reasoning", text: "hm" }] };
  const replies = [
    { content: "", tool_calls: [{ id: "c1", name: "look", args: {} }], replay },
    { content: "no JSON", replay },
    { content: '{"a": 1}' },
  ];
  const seen: ModelCall[] = [];
  const model = {
    complete: async (call: ModelCall) => {
      seen.push(call);
      return replies[seen.length - 1] as (typeof replies)[number];
    },
  };
  const host = new MemoryHost({ model, tools: new Map([["look", () => ok(1)]]) });
  const agent = agentOf({ output: "text", signature: "{a :int}", tools: ["look"], max_turns: 3 });
  const step = await runAgent(host, { agent, context: {}, journal: null, model: "m" });
  expect(step.return).toEqual({ a: 1 });
  const said = seen.at(-1)?.messages.filter(({ role }) => role === "assistant");
  expect(said).toMatchObject([{ replay, tool_calls: [{ id: "c1" }] }, { content: "no JSON" }]);
  expect(said?.[1]).not.toHaveProperty("replay");
});
