import { type AgentInput, stepOf } from "../../../src/core/agent/run/run";
import { failed, ok } from "../../../src/core/base/failure";
import type { JsonObject } from "../../../src/core/base/json";
import type { ToolSpec } from "../../../src/core/calls/tool";
import type { EffectEntry } from "../../../src/core/effects/entry";
import { RunLedger } from "../../../src/core/effects/run-ledger";
import { undoPlan } from "../../../src/core/effects/undo/undo-plan";
import { scriptedModel } from "../../../src/models/scripted";
import { EffectGuards } from "../../../src/simulate/effect-guards";
import { MemoryHost, type MemoryLookup, type ScriptedDecision } from "../../../src/simulate/memory-host";
import { agentOf, fenced } from "../agent/run/mission";

/** Missions of one namespace, and a service that does what it is told: it would pay twice. */
class Namespace {
  readonly done: { mission: string; key: string; args: JsonObject }[] = [];
  /** How the next calls end. */
  ends: ("fails" | "lost" | "too_large")[] = [];
  readonly guards = new EffectGuards();

  async mission(id: string, says: string[], given: Given = {}) {
    const scope = `agent/${id}`;
    const { spec = {}, decisions = [], lookup, payer = [], ...input } = given;
    const tool: ToolSpec = { name: "pay", effect: "write", identity_scope: "namespace", ...spec };
    const host = new MemoryHost({
      model: scriptedModel({ payer: payer.map(said), default: says.map(said) }, "the test"),
      tools: new Map([
        [
          "pay",
          async (args, { key }) => {
            // Time for another mission to ask.
            await new Promise((resolve) => setImmediate(resolve));
            const end = this.ends.shift();
            if (end === "fails") return failed("tool_error", "the service said no");
            if (end === "too_large") return failed("tool_error", "too large", { code: "payload_too_large" });
            this.done.push({ mission: id, key, args });
            if (end === "lost") return failed("tool_error", "the answer was lost", { code: "unknown_outcome" });
            return ok({ tx: this.done.length });
          },
        ],
      ]),
      lookups: new Map(lookup ? [["pay", lookup]] : []),
      decisions,
      scope,
      guards: this.guards,
    });
    const below = agentOf({ name: "payer", signature: "() -> :any", max_turns: 3, tools: [tool] });
    const run = host.open({
      agent: agentOf({ max_turns: 8, tools: [tool, { name: "payer", description: "pays", agent: below }] }),
      context: {},
      journal: {},
      model: "scripted",
      ...input,
    });
    const step = await stepOf(run);
    const heard = host.sent.map(({ messages }) => messages.at(-1)?.content ?? "");
    return { step, heard, reviews: host.reviews, effects: run.ledger?.entries() as EffectEntry[], run };
  }
}

const said = (program: string) => ({ content: fenced(program) });

interface Given extends Partial<Omit<AgentInput, "agent">> {
  /** What the agent below the mission says. */
  payer?: string[];
  spec?: Partial<ToolSpec>;
  decisions?: ScriptedDecision[];
  lookup?: MemoryLookup;
}

const FAILS = "(/ 1 nil)";
const PAID = "(tool/pay {:n 1})";
const RETURNS = `(return ${PAID})`;
const WIRE = { effect: "irreversible" } as const;

describe("the effect is done in another mission", () => {
  test("its answer is given, with its key, and the model and the readers of the Step are told", async () => {
    const all = new Namespace();
    const a = await all.mission("a", [RETURNS]);
    const b = await all.mission("b", [PAID, "(return 1)"]);
    expect(all.done).toHaveLength(1);
    expect(all.done[0]?.key).toMatch(/^effect~[\w-]{43}~1$/);
    expect(a.effects).toMatchObject([{ key: all.done[0]?.key, state: "done", lane: "", n: 1 }]);
    expect(a.effects[0]?.held_by).toBeUndefined();
    expect(b.effects).toMatchObject([{ key: all.done[0]?.key, state: "done", answer: { tx: 1 }, reused: 1 }]);
    expect(b.effects[0]?.held_by).toBe(a.effects[0]?.deed);
    expect(b.heard[1]).toContain("tool/pay was not called: it is done");
    expect(b.heard[1]).toContain("of the mission agent/a");
    expect(b.step.warnings).toContainEqual(expect.objectContaining({ code: "same_effect" }));
  });

  test("two missions ask at the same time: one waits, and is given the answer", async () => {
    const all = new Namespace();
    const both = await Promise.all([all.mission("a", [RETURNS]), all.mission("b", [RETURNS])]);
    expect(all.done).toHaveLength(1);
    expect(both.map(({ step }) => step.return)).toEqual([{ tx: 1 }, { tx: 1 }]);
  });

  test("as many are done as the mission that means most of them means", async () => {
    const all = new Namespace();
    await all.mission("a", [`(return [${PAID} ${PAID}])`]);
    await all.mission("b", [`(return [${PAID} ${PAID} ${PAID}])`]);
    expect(all.done.map(({ mission }) => mission)).toEqual(["a", "a", "b"]);
    expect(new Set(all.done.map(({ key }) => key)).size).toBe(3);
  });

  test("after a turn that failed it is the same effect, and after one that succeeded a new one", async () => {
    const all = new Namespace();
    await all.mission("a", [RETURNS]);
    const b = await all.mission("b", [`(do ${PAID} ${FAILS})`, PAID, RETURNS]);
    expect(all.done.map(({ mission }) => mission)).toEqual(["a", "b"]);
    expect(b.step.return).toEqual({ tx: 2 });
    expect(b.effects).toMatchObject([
      { held_by: expect.stringContaining("agent/a"), reused: 2 },
      { resembles: all.done[0]?.key, state: "done" },
    ]);
  });

  test("the mission that did not make it does not take it back", async () => {
    const all = new Namespace();
    const spec = { undo: true } as const;
    const a = await all.mission("a", [RETURNS], { spec });
    const b = await all.mission("b", [RETURNS], { spec });
    const planOf = (effects: EffectEntry[]) => undoPlan("x", effects);
    expect(planOf(a.effects)).toMatchObject({ value: { steps: [{ key: all.done[0]?.key }] } });
    expect(planOf(b.effects)).toMatchObject({ value: { steps: [], needless: [{ obstacle: "not_done" }] } });
  });

  test("what was taken back is done again by another mission, with another key", async () => {
    const all = new Namespace();
    await all.mission("a", [RETURNS]);
    all.guards.undone(all.done[0]?.key as string);
    await all.mission("b", [RETURNS]);
    expect(all.done.map(({ key }) => key.slice(-2))).toEqual(["~1", "~2"]);
  });

  test("other arguments, and a tool that only its mission knows, are not asked about", async () => {
    const all = new Namespace();
    const spec = { identity_scope: "mission" } as const;
    await all.mission("a", [RETURNS]);
    await all.mission("b", ["(return (tool/pay {:n 2}))"]);
    await all.mission("c", [RETURNS], { spec });
    await all.mission("d", [RETURNS], { spec });
    expect(all.done).toHaveLength(4);
  });
});

describe("what the tool says about its effects", () => {
  async function second(spec: Partial<ToolSpec>, decisions: ScriptedDecision[] = [], says = [RETURNS, "(return 0)"]) {
    const all = new Namespace();
    await all.mission("a", [RETURNS], { spec });
    const b = await all.mission("b", says, { spec, decisions });
    return { all, b };
  }

  test("irreversible: a person sees both calls and the other mission", async () => {
    const { all, b } = await second(WIRE, [{ choice: "use_earlier", by: "anna" }]);
    expect(all.done).toHaveLength(1);
    expect(b.step.return).toEqual({ tx: 1 });
    expect(b.reviews[0]?.body).toContain("of the mission agent/a");
    expect(b.reviews[0]?.data).toMatchObject({ code: "same_effect", earlier: { mission: "agent/a", args: { n: 1 } } });
    expect(b.effects).toMatchObject([{ by: "anna", held_by: expect.any(String) }]);
  });

  test("a person says to do it again: it is another effect", async () => {
    const { all, b } = await second(WIRE, [{ choice: "do_again", by: "anna" }]);
    expect(all.done.map(({ mission }) => mission)).toEqual(["a", "b"]);
    expect(b.effects).toMatchObject([{ by: "anna", resembles: all.done[0]?.key, key: all.done[1]?.key }]);
    expect(b.effects[0]?.held_by).toBeUndefined();
  });

  test("a person rejects it", async () => {
    const { all, b } = await second(WIRE, [{ choice: "reject", by: "anna" }]);
    expect(all.done).toHaveLength(1);
    expect(b.effects).toMatchObject([{ state: "refused", by: "anna" }]);
  });

  test("run, fail and repeatable", async () => {
    expect((await second({ on_same_effect: "run" })).all.done).toHaveLength(2);
    const fails = await second({ on_same_effect: "fail" });
    expect(fails.all.done).toHaveLength(1);
    expect(fails.b.heard[1]).toContain("it is done already");
    expect(fails.b.effects).toMatchObject([{ state: "refused", held_by: expect.stringContaining("agent/a") }]);
    expect((await second({ repeatable: true })).all.done).toHaveLength(2);
  });

  test("a call that was refused for it is refused again, in the next turn, too", async () => {
    const all = new Namespace();
    const spec = { on_same_effect: "fail" } as const;
    await all.mission("a", [RETURNS]);
    const b = await all.mission("b", [PAID, PAID, `(do (tool-try ${PAID}) ${FAILS})`, "(return 1)"], { spec });
    expect(all.done.map(({ mission }) => mission)).toEqual(["a"]);
    expect(b.heard.slice(1, 3).join()).toMatch(/it is done already.*it is done already/s);
  });

  test("agents beside each other are refused what their caller was refused", async () => {
    const all = new Namespace();
    const spec = { on_same_effect: "fail" } as const;
    await all.mission("a", [RETURNS]);
    const refused = `(return (do (tool-try ${PAID}) 0))`;
    const both = "(return (vec (pcalls (fn [] (tool/payer {})) (fn [] (tool/payer {})))))";
    await all.mission("b", [PAID, both], { spec, payer: [refused, refused] });
    expect(all.done.map(({ mission }) => mission)).toEqual(["a"]);
  });

  test("an approval is asked for besides", async () => {
    const all = new Namespace();
    const spec = { ...WIRE, approval: true } as const;
    await all.mission("a", [RETURNS], { spec, decisions: [{ choice: "approve", by: "anna" }] });
    const b = await all.mission("b", [RETURNS], {
      spec,
      decisions: [
        { choice: "approve", by: "ben" },
        { choice: "use_earlier", by: "cy" },
      ],
    });
    expect(all.done).toHaveLength(1);
    expect(b.step.return).toEqual({ tx: 1 });
  });
});

describe("the effect was not done, or nobody knows", () => {
  test("what failed is made by the next mission, with the same key", async () => {
    const all = new Namespace();
    all.ends = ["fails"];
    await all.mission("a", [PAID, "(return 0)"]);
    const b = await all.mission("b", [RETURNS]);
    expect(b.step.return).toEqual({ tx: 1 });
    expect(all.done[0]?.key).toMatch(/~1$/);
  });

  test("what was never sent holds nobody up", async () => {
    const all = new Namespace();
    all.ends = ["too_large"];
    await all.mission("a", [PAID, "(return 0)"]);
    await all.mission("b", [RETURNS]);
    expect(all.done).toMatchObject([{ mission: "b" }]);
  });

  test("a mission that failed, and asks again after another one has done it, is given that answer", async () => {
    const all = new Namespace();
    all.ends = ["fails"];
    const both = await Promise.all([all.mission("a", [PAID, RETURNS]), all.mission("b", [RETURNS])]);
    expect(both.map(({ step }) => step.return)).toEqual([{ tx: 1 }, { tx: 1 }]);
    expect(all.done).toMatchObject([{ mission: "b" }]);
  });

  test.each([
    ["found: it is done", { state: "found", value: { tx: 99 } } as const, { tx: 99 }, 1],
    ["absent: it is made with the same key", { state: "absent" } as const, { tx: 2 }, 2],
  ])("the tool is asked first: %s", async (_, found, value, times) => {
    const all = new Namespace();
    all.ends = ["lost"];
    const spec = { ...WIRE, lookup: true } as const;
    await all.mission("a", [PAID, "(return 0)"], { spec });
    const b = await all.mission("b", [RETURNS], { spec, lookup: () => found });
    expect(b.step.return).toEqual(value);
    expect(all.done).toHaveLength(times);
    expect(new Set(all.done.map(({ key }) => key)).size).toBe(1);
    const c = await all.mission("c", [RETURNS], { spec, decisions: [{ choice: "use_earlier", by: "anna" }] });
    expect(c.step.return).toEqual(value);
  });

  test.each([
    ["it_happened", { value: { tx: 5 } }, { tx: 5 }, 1],
    ["try_again", {}, { tx: 2 }, 2],
  ])("a person says %s, and the missions after it know", async (choice, more, value, times) => {
    const all = new Namespace();
    all.ends = ["lost"];
    await all.mission("a", [PAID, "(return 0)"], { spec: WIRE });
    const b = await all.mission("b", [RETURNS], { spec: WIRE, decisions: [{ choice, by: "anna", ...more }] });
    expect(b.step.return).toEqual(value);
    expect(b.reviews[0]?.body).toContain("agent/a");
    expect(all.done).toHaveLength(times);
    expect(new Set(all.done.map(({ key }) => key)).size).toBe(1);
    const c = await all.mission("c", [RETURNS], { spec: WIRE, decisions: [{ choice: "use_earlier", by: "ben" }] });
    expect(c.step.return).toEqual(value);
  });

  test("both ask a person at the same time, and both are told to try: one of them does", async () => {
    const all = new Namespace();
    all.ends = ["lost"];
    const given = () => ({
      spec: WIRE,
      decisions: ["try_again", "use_earlier"].map((choice) => ({ choice, by: "anna" })),
    });
    const both = await Promise.all([all.mission("a", [RETURNS], given()), all.mission("b", [RETURNS], given())]);
    expect(all.done).toHaveLength(2);
    expect(new Set(all.done.map(({ key }) => key)).size).toBe(1);
    for (const { step } of both) expect(step.return).toEqual({ tx: 2 });
  });

  test("a person says that it did not happen: the next mission makes it, with the same key", async () => {
    const all = new Namespace();
    all.ends = ["lost"];
    await all.mission("a", [PAID, "(return 0)"], {
      spec: WIRE,
      decisions: [{ choice: "did_not_happen", by: "anna" }],
    });
    const b = await all.mission("b", [RETURNS], { spec: WIRE });
    expect(b.step.return).toEqual({ tx: 2 });
    expect(new Set(all.done.map(({ key }) => key)).size).toBe(1);
  });

  test("nobody can say: it is not made", async () => {
    const all = new Namespace();
    all.ends = ["lost"];
    await all.mission("a", [PAID, "(return 0)"], { spec: WIRE });
    const b = await all.mission("b", [PAID, RETURNS, "(return 0)"], { spec: WIRE });
    expect(all.done).toHaveLength(1);
    expect(b.effects).toMatchObject([{ state: "unknown", held_by: expect.stringContaining("agent/a") }]);
  });
});

test("the ledger keeps the key and the deed through its packed form", async () => {
  const all = new Namespace();
  await all.mission("a", [RETURNS]);
  const { run, effects } = await all.mission("b", [RETURNS]);
  const ledger = run.ledger as RunLedger;
  const state = JSON.parse(JSON.stringify(ledger.state()));
  const again = new RunLedger({ mission: ledger.mission, lane: "" }, state);
  expect(again.entries()).toEqual(effects);
  expect(effects[0]?.key).not.toBe(effects[0]?.deed);
});
