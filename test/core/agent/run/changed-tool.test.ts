import { type AgentInput, runAgent } from "../../../../src/core/agent/run/run";
import { failed, ok } from "../../../../src/core/base/failure";
import type { ToolSpec } from "../../../../src/core/calls/tool";
import { agentOf, fenced, hostOf } from "./mission";

/** A tool that a deploy changes while a mission is under way (engine reference, section 5). */

const PAY: ToolSpec = { name: "pay", effect: "irreversible", signature: "(cents :int) -> :any", identity: ["cents"] };
const NOW: ToolSpec = { ...PAY, approval: { assignees: ["anna"] }, version: "2" };
const changed = failed("tool_error", "changed", { code: "tool_changed", tool: "pay", spec: { ...NOW } as never });

async function called(flags: string[], { own = PAY, now = NOW, refusals = 1 } = {}) {
  const host = hostOf([fenced("(return (tool-try (tool/pay {:cents 5})))")], {
    pay: () => (refusals-- > 0 ? changed : ok("paid")),
  });
  const asked: string[] = [];
  host.requestReview = async ({ body, assignees, sealed }) => {
    asked.push(`${assignees ?? "anybody"} ${sealed?.tool_version} ${body.split("\n")[0]}`);
    return ok({ id: "1", choice: "approve", by: "bob", at: 0 } as never);
  };
  Object.assign(host, { presentTool: async () => now });
  const input: AgentInput = { agent: agentOf({ tools: [own] }), context: {}, journal: null, model: "m", flags };
  const step = await runAgent(host, input);
  return { asked, calls: host.toolCalls.map(({ key }) => key), returned: JSON.stringify(step.return ?? step.fail) };
}

test("an approval that it needs now is asked for, and the call keeps its key", async () => {
  const { asked, calls, returned } = await called(["follows-tools"]);
  expect(asked).toEqual([expect.stringMatching(/^anna 2 /)]);
  expect(calls).toHaveLength(2);
  expect(new Set(calls).size).toBe(1);
  expect(returned).toContain("paid");
});

test("a yes to another version is asked for again, and people read whose does not count", async () => {
  const { asked, returned } = await called(["follows-tools"], { own: { ...PAY, approval: true } });
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain("pay has changed since bob approved this call");
  expect(returned).toContain("paid");
});

test("nobody is asked about arguments that do not fit it now", async () => {
  const now = { ...NOW, signature: "(euros :int) -> :any" };
  const { asked, calls, returned } = await called(["follows-tools"], { own: { ...PAY, approval: true }, now });
  expect(asked).toEqual([]);
  expect(calls).toEqual([]);
  expect(returned).toContain("invalid arguments");
});

test("workers of two versions that answer in turn end, and the call is not made", async () => {
  const { asked, returned } = await called(["follows-tools"], { refusals: 1_000 });
  expect(asked).toHaveLength(20);
  expect(returned).toContain("tool_changed");
});

test("a mission of an earlier version gets the refusal, without the declaration", async () => {
  const { asked, calls, returned } = await called([]);
  expect(asked).toEqual([]);
  expect(calls).toHaveLength(1);
  expect(returned).not.toContain("signature");
});
