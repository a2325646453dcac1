import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { agentAdvice, toolAdvice } from "../../../../src/core/agent/tools/effect-advice";
import type { ToolSpec } from "../../../../src/core/calls/tool";
import { IDENTITY_ADVICE } from "../../../../src/core/effects/effect-settings";

const PAY: ToolSpec = { name: "pay", effect: "irreversible", identity: ["invoice"], lookup: true };

describe("a tool", () => {
  test.each<{ it: string; change: Partial<ToolSpec>; isCode?: boolean; says: string[] }>([
    { it: "with all that it needs", change: {}, says: [] },
    {
      it: "that only reads",
      change: { effect: "read", on_same_effect: "fail", on_other_effect: "fail" },
      says: ["a read has no effect, so identity, on_same_effect does nothing"],
    },
    {
      it: "that cannot be looked up",
      change: { lookup: undefined as never },
      says: ["it has no lookup, so a person is asked when the outcome of a call is lost"],
    },
    { it: "without an identity", change: { identity: undefined as never }, says: [IDENTITY_ADVICE] },
    { it: "whose identity is all arguments", change: { identity: false }, says: [] },
    { it: "whose every call is wanted", change: { identity: undefined as never, repeatable: true }, says: [] },
    { it: "that writes, without an identity", change: { effect: "write", identity: undefined as never }, says: [] },
    { it: "of a server", change: { lookup: undefined as never }, isCode: false, says: [] },
  ])("$it", ({ change, isCode = true, says }) =>
    expect(toolAdvice({ ...PAY, ...change }, isCode)).toEqual(says.map((message) => ({ tool: "pay", message }))),
  );
});

describe("an agent", () => {
  const agentWith = (tools: unknown) => {
    const read = parseAgent({ name: "payer", prompt: "Pay.", tools });
    if (!read.ok) throw new Error(read.fail.message);
    return read.value;
  };

  test.each([
    { own: { on_same_effect: "ask", on_other_effect: "ask", identity_scope: "namespace" }, says: [] },
    { own: { on_same_effect: "run" }, says: ["on_same_effect is ignored: the tool is stricter, ask"] },
    { own: { on_other_effect: "rerun" }, says: ["on_other_effect is ignored: the tool is stricter, serve"] },
    { own: { identity: ["memo"] }, says: ["identity is ignored: the tool's own is invoice"] },
    { own: { repeatable: true }, says: ["repeatable is ignored: only the tool itself can have it"] },
    {
      own: { version: "2", undo: true },
      says: expect.arrayContaining(["version is ignored: only the tool itself can have it"]),
    },
  ])("that says $own", ({ own, says }) =>
    expect(agentAdvice(agentWith([{ name: "pay", ...own }]), [PAY]).map(({ message }) => message)).toEqual(says),
  );

  test("and the agents among its tools", () => {
    const tools = {
      helper: {
        description: "Pays",
        agent: { name: "helper", prompt: "Pay.", tools: { pay: { on_same_effect: "run" } } },
      },
    };
    expect(agentAdvice(agentWith(tools), [PAY])).toEqual([
      { tool: "pay", agent: "helper", message: "on_same_effect is ignored: the tool is stricter, ask" },
    ]);
  });

  test("tools that are not known here are left alone", () =>
    expect(agentAdvice(agentWith([{ name: "pay", repeatable: true }, "look"]), [])).toEqual([]));
});
