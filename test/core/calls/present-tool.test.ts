import { changedTool, presentSpec, strictestTool, withoutSpec } from "../../../src/core/calls/present-tool";
import type { ToolSpec } from "../../../src/core/calls/tool";
import { toolVersion } from "../../../src/core/effects/effect-id";
import type { SealedApproval } from "../../../src/core/review/approval";
import type { ReviewTerms } from "../../../src/core/review/policy/terms";

const PAY: ToolSpec = { name: "pay", effect: "irreversible", signature: "(cents :int) -> :any" };
const approved = (terms: ReviewTerms | undefined, spec = PAY) =>
  ({ sealed: { tool_version: toolVersion(spec), ...(terms && { terms }) } }) as unknown as SealedApproval;
const irreversible = { effect: { kind: "irreversible" as const, at: 0, call: 1 } };
const write = { effect: { kind: "write" as const, at: 0, call: 1 } };

test.each<[string, Partial<ToolSpec>, Parameters<typeof changedTool>[1], string | null]>([
  ["the same tool", {}, irreversible, null],
  ["a read that is one", { effect: "read" }, { reads: true }, null],
  ["a read that writes now", { effect: "write" }, { reads: true }, "effect"],
  ["a read that acts once for each key now", { effect: "idempotent" }, { reads: true }, "effect"],
  ["a write that is a read now", { effect: "read" }, write, null],
  ["a write that is irreversible now", {}, write, "effect"],
  ["an irreversible one that is a write now", { effect: "write" }, irreversible, null],
  ["a tool that needs an approval now", { approval: true }, irreversible, "approval"],
  ["a read that needs an approval now", { effect: "read", approval: true }, { reads: true }, "approval"],
  ["a tool that needs none any more", {}, { ...irreversible, approval: approved({}) }, null],
  ["an approved call", { approval: true }, { ...irreversible, approval: approved({}) }, null],
  ["another version", { approval: true, version: "2" }, { ...irreversible, approval: approved({}) }, "version"],
  [
    "other people",
    { approval: { assignees: ["anna"] } },
    { ...irreversible, approval: approved({ assignees: ["bob"] }) },
    "terms",
  ],
  [
    "people where anybody could decide",
    { approval: { assignees: ["anna"] } },
    { ...irreversible, approval: approved({}) },
    "terms",
  ],
  [
    "the same people",
    { approval: { assignees: ["anna", "bob"] } },
    { ...irreversible, approval: approved({ assignees: ["bob", "anna"] }) },
    null,
  ],
  ["a larger quorum", { approval: { quorum: 2 } }, { ...irreversible, approval: approved({}) }, "terms"],
  ["a smaller quorum", { approval: { quorum: 1 } }, { ...irreversible, approval: approved({ quorum: 2 }) }, null],
  [
    "agents that may not decide now",
    { approval: { agents: false } },
    { ...irreversible, approval: approved({}) },
    "terms",
  ],
  [
    "terms that an earlier version did not seal",
    { approval: { quorum: 2 } },
    { ...irreversible, approval: approved(undefined) },
    null,
  ],
])("%s", (_, change, call, kind) => {
  const spec = { ...PAY, ...change };
  const fail = changedTool(spec, call);
  expect(fail?.details?.kind ?? null).toBe(kind);
  if (fail !== null) expect(fail).toMatchObject({ reason: "tool_changed", details: { path: "pay", spec } });
});

test("the run reads the declaration from the answer, and the program does not get it", () => {
  const details = { tool: "pay", code: "tool_changed", spec: { ...PAY } };
  const answer = { ok: false as const, fail: { reason: "tool_error" as const, message: "changed", details } };
  expect(presentSpec(answer as never)).toEqual(PAY);
  expect(withoutSpec(answer as never)).toEqual({
    ok: false,
    fail: { reason: "tool_error", message: "changed", details: { tool: "pay", code: "tool_changed" } },
  });
  expect(presentSpec({ ok: true, value: 1 })).toBeUndefined();
});

describe("the stricter one of two declarations", () => {
  const own: ToolSpec = { name: "pay", effect: "write", identity: ["cents"], approval: { quorum: 2 } };

  test("keeps its effects, and is the same where nothing is stricter", () => {
    const now = { ...own, effect: "irreversible" as const, signature: "(cents :int) -> :any", approval: true as const };
    const both = strictestTool(own, now);
    expect(both).toEqual({ ...now, approval: { quorum: 2 }, version: toolVersion(own) });
    expect(toolVersion(both)).toBe(toolVersion(own));
    expect(strictestTool(own, { name: "pay", effect: "read", approval: { quorum: 1 } })).toBe(own);
  });

  test("asks the people of the tool", () =>
    expect(strictestTool(own, { ...own, approval: { assignees: ["anna"] } }).approval).toEqual({
      assignees: ["anna"],
      quorum: 2,
    }));
});
