import type { AgentDefinition } from "../../../../src/core/agent/definition/definition";
import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { withToolSpecs } from "../../../../src/core/agent/tools/with-specs";
import type { ToolSpec } from "../../../../src/core/calls/tool";
import { effectId, toolVersion } from "../../../../src/core/effects/effect-id";

const PAY: ToolSpec = { name: "pay", effect: "write", signature: "(invoice :string, memo :string?) -> :any" };

function agentWith(tool: object): AgentDefinition {
  const read = parseAgent({ name: "payer", prompt: "Pay.", tools: [{ name: "pay", ...tool }] });
  if (!read.ok) throw new Error(read.fail.message);
  return read.value;
}

const merged = (worker: Partial<ToolSpec>, own: object) =>
  withToolSpecs(agentWith(own), [{ ...PAY, ...worker }]).tools[0] as ToolSpec;

test("an agent that only names a tool gets its spec as it is", () => expect(merged({}, {})).toEqual(PAY));

test.each<{ it: string; worker: Partial<ToolSpec>; own: object; becomes: object }>([
  {
    it: "the worker's ask stays",
    worker: { on_same_effect: "ask" },
    own: { on_same_effect: "reuse" },
    becomes: { on_same_effect: "ask" },
  },
  { it: "reuse can become fail", worker: {}, own: { on_same_effect: "fail" }, becomes: { on_same_effect: "fail" } },
  {
    it: "the default of a write is not loosened",
    worker: {},
    own: { on_same_effect: "run" },
    becomes: { on_same_effect: "reuse" },
  },
  {
    it: "nor that of an irreversible tool",
    worker: { effect: "irreversible" },
    own: { on_same_effect: "fail" },
    becomes: { on_same_effect: "ask" },
  },
  {
    it: "a tool that the agent calls irreversible asks",
    worker: {},
    own: { effect: "irreversible", on_same_effect: "reuse" },
    becomes: { effect: "irreversible", on_same_effect: "ask" },
  },
  { it: "serve can become ask", worker: {}, own: { on_other_effect: "ask" }, becomes: { on_other_effect: "ask" } },
  { it: "serve is not loosened", worker: {}, own: { on_other_effect: "rerun" }, becomes: { on_other_effect: "serve" } },
  {
    it: "the mission can become the namespace",
    worker: {},
    own: { identity_scope: "namespace" },
    becomes: { identity_scope: "namespace" },
  },
  {
    it: "the namespace stays",
    worker: { identity_scope: "namespace" },
    own: { identity_scope: "mission" },
    becomes: { identity_scope: "namespace" },
  },
  {
    it: "the worker's identity stays",
    worker: { identity: ["invoice"] },
    own: { identity: ["memo"] },
    becomes: { identity: ["invoice"] },
  },
  {
    it: "an identity is set where there is none",
    worker: {},
    own: { identity: ["invoice"] },
    becomes: { identity: ["invoice"] },
  },
  { it: "the worker's version stays", worker: { version: "3" }, own: { version: "4" }, becomes: { version: "3" } },
])("$it", ({ worker, own, becomes }) => expect(merged(worker, own)).toMatchObject(becomes));

describe("the approval of a tool", () => {
  const FINANCE = { assignees: ["group:finance"], quorum: 2, timeout_ms: 172_800_000 };

  test.each<{ it: string; own: object; becomes: object }>([
    { it: "is not removed by an agent that asks, too", own: { approval: true }, becomes: FINANCE },
    { it: "may become stricter", own: { approval: { quorum: 3 } }, becomes: { ...FINANCE, quorum: 3 } },
    { it: "stays beside other settings", own: { cache: true }, becomes: FINANCE },
  ])("$it", ({ own, becomes }) => expect(merged({ approval: FINANCE }, own).approval).toEqual(becomes));

  test.each<{ own: object; says: string }>([
    { own: { assignees: ["dora"] }, says: "assignees dora are others than the tool's: group:finance" },
    { own: { quorum: 1 }, says: "quorum 1 is less than the tool's: 2" },
  ])("is not replaced: $own", ({ own, says }) =>
    expect(() => merged({ approval: FINANCE }, { approval: own })).toThrow(
      expect.objectContaining({ code: "invalid_agent", message: `Agent payer: tools.pay.approval, ${says}.` }),
    ),
  );
});

test("what its code can do, and that each call is meant, only the worker can say", () => {
  const spec = merged({}, { repeatable: true, lookup: true, undo: true });
  expect([spec.repeatable, spec.lookup, spec.undo]).toEqual([undefined, undefined, undefined]);
  expect(merged({ repeatable: true, lookup: true, undo: true }, { cache: true })).toMatchObject({
    repeatable: true,
    lookup: true,
    undo: true,
  });
});

test("an agent may ask before a call is repeated that its worker repeats", () => {
  const spec = merged({ repeatable: true }, { on_same_effect: "ask" });
  expect(spec).toMatchObject({ on_same_effect: "ask" });
  expect(spec.repeatable).toBeUndefined();
});

test("agents with settings of their own mean the same effect as those without", () => {
  const [strict, plain] = [merged({}, { effect: "irreversible", approval: true }), merged({}, {})];
  expect(toolVersion(strict)).toBe(toolVersion(PAY));
  expect(effectId(strict, { invoice: "A-1" })).toBe(effectId(plain, { invoice: "A-1" }));
});

test("added twice, specs are the same", () => {
  const agent = agentWith({ on_same_effect: "fail", identity: ["invoice"] });
  const once = withToolSpecs(agent, [{ ...PAY, repeatable: true }]);
  expect(withToolSpecs(once, [{ ...PAY, repeatable: true }])).toEqual(once);
});

test("an identity that the worker's tool does not have is refused", () =>
  expect(() => merged({}, { identity: ["invoice", "cents"] })).toThrow(
    expect.objectContaining({
      code: "invalid_agent",
      message: "Agent payer: tools.pay.identity names cents, which the signature does not have; it has invoice, memo.",
    }),
  ));

test.each([
  {
    it: "an unknown argument",
    tool: { signature: "(a :int) -> :any", identity: ["b"] },
    says: "identity: names b, which the signature does not have; it has a",
  },
  { it: "an argument named twice", tool: { identity: ["a-b", "a_b"] }, says: "identity: names a_b twice" },
  {
    it: "an identity of nothing",
    tool: { identity: [] },
    says: "identity: names no argument: every call would be the same effect",
  },
  {
    it: "an unknown policy",
    tool: { on_same_effect: "skip" },
    says: "on_same_effect: must be run, reuse, fail or ask",
  },
  { it: "a wrong scope", tool: { identity_scope: "world" }, says: "identity_scope: must be mission or namespace" },
])("$it is a mistake of the agent file", ({ tool, says }) => expect(() => agentWith(tool)).toThrow(`tools[0].${says}`));
