import { parseAgent } from "../../../src/core/agent/definition/parse-agent";
import { withToolSpecs } from "../../../src/core/agent/tools/with-specs";
import { attemptPolicy } from "../../../src/core/calls/tool-attempts";
import { effectId } from "../../../src/core/effects/effect-id";
import { policyForEqual, policyForSame } from "../../../src/core/effects/policies";
import { readHistory } from "../../../src/core/history/read/history";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import { timelineOf } from "../../../src/core/history/read/timeline";
import { missionFacts } from "../../../src/core/history/stream/mission-facts";
import { storyOf } from "../../../src/core/history/trace/story";
import { missionUndoPlan } from "../../../src/core/history/trace/undo-of-mission";
import { readRecorded } from "../../support/recorded";

/** An idempotent tool is a write that may be called in another way: whatever is known of its effects is the same. */

describe("as a write", () => {
  const spec = { name: "put", signature: "(n :int) -> :string" };

  test("a call has the same effect id under either word, so a deploy that changes it makes no other effects", () => {
    const id = effectId({ ...spec, effect: "write" }, { n: 1 });
    expect(effectId({ ...spec, effect: "idempotent" }, { n: 1 })).toBe(id);
    expect(effectId({ ...spec, effect: "irreversible" }, { n: 1 })).not.toBe(id);
  });

  test("it has the policies and the attempts of a write", () => {
    expect(policyForSame({ effect: "idempotent" })).toBe("reuse");
    expect(policyForEqual({ effect: "idempotent" })).toBe("run");
    expect(attemptPolicy({ effect: "idempotent" })).toEqual(attemptPolicy({ effect: "write" }));
  });

  test.each([
    { tool: "idempotent", own: "write", becomes: "write" },
    { tool: "write", own: "idempotent", becomes: "write" },
    { tool: "idempotent", own: "read", becomes: "idempotent" },
    { tool: "read", own: "idempotent", becomes: "idempotent" },
  ] as const)("an agent that says $own of a tool with $tool has $becomes", ({ tool, own, becomes }) => {
    const parsed = parseAgent({ name: "a", prompt: "p", tools: [{ name: "put", effect: own }] });
    if (!parsed.ok) throw new Error(parsed.fail.message);
    expect(withToolSpecs(parsed.value, [{ ...spec, effect: tool }]).tools).toMatchObject([{ effect: becomes }]);
  });
});

/** Local activities and others: see test/workflows/recordings/effects.ts. */
describe("from a history", () => {
  const history = readRecorded("effects-idempotent.json");
  const id = "agent/recorded";
  const mission = { workflow_id: id, runs: [history], children: [] };

  test("the ledger has each effect, also of a call that was refused or took too long", () => {
    const told = projectEffects(history).map(({ tool, args, state }) => `${tool} ${args?.n} ${state}`);
    expect(told.sort()).toEqual(
      [
        ...[1, 2, 3, 4, 6, 6, 7, 7, 8, 9, 20, 21].map((n) => `put ${n} done`),
        "put 0 failed",
        "put 5 unknown",
        "pay 1 done",
      ].sort(),
    );
  });

  test("a call is in the trace with its arguments, its task and its key", () => {
    const calls = (storyOf([history])?.turns ?? []).flatMap((turn) => turn.calls);
    expect(calls[0]).toMatchObject({ name: "put", args: { n: 1 } });
    expect(calls.find(({ error }) => error?.includes("full"))?.error).toContain("it is full");
  });

  test("those who follow the mission are told of a call and its answer", () => {
    const facts = missionFacts(id, "run-id-of-temporal", readHistory(history));
    const calls = facts.flatMap((fact) => (fact.type === "tool" && fact.name === "put" ? [fact] : []));
    expect(calls.map(({ args }) => args.n)).toEqual(expect.arrayContaining([1, 2, 3, 4, 0, 6, 7, 8, 9, 20, 21]));
    for (const { id: call } of calls)
      expect(facts.filter((fact) => fact.type === "tool_result" && fact.id === call)).toHaveLength(1);
  });

  test("the timeline says of a refused call that it failed", () => {
    const lines = timelineOf(readHistory(history)).filter(({ text }) => text.endsWith(": put"));
    expect(lines.filter(({ outcome }) => outcome === "failed")).toHaveLength(2);
  });

  test("a plan to undo lists them by when they were called", () => {
    const plan = missionUndoPlan(mission);
    if (!plan.ok) throw new Error(plan.fail.message);
    const numbers = plan.value.remaining.map(({ tool, args }) => `${tool} ${args?.n}`);
    expect(numbers.indexOf("put 4")).toBeLessThan(numbers.indexOf("put 1"));
  });
});
