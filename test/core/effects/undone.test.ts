import { stepOf } from "../../../src/core/agent/run/run";
import { ok } from "../../../src/core/base/failure";
import type { JsonObject } from "../../../src/core/base/json";
import type { EffectSpec } from "../../../src/core/effects/effect-id";
import { MissionLedger } from "../../../src/core/effects/mission-ledger";
import { RunLedger } from "../../../src/core/effects/run-ledger";
import { scriptedModel } from "../../../src/models/scripted";
import { MemoryHost } from "../../../src/simulate/memory-host";
import { agentOf, fenced } from "../agent/run/mission";

const write: EffectSpec = { name: "book", version: "1", effect: "write" };
const irreversible: EffectSpec = { name: "pay", version: "1", effect: "irreversible" };

const runLedger = () => new RunLedger({ mission: "agent/x", lane: "" });

/** Makes a call in a program of its own that succeeds or fails. */
function make(ledger: RunLedger, spec: EffectSpec, args: JsonObject, succeeds = true) {
  ledger.beginProgram(5);
  const meant = { call: 1, turn: 1, args };
  const claim = ledger.claim(spec, meant, 5);
  ledger.intend(claim.entry, meant, { kind: "write", at: 5, call: 1, undo: true });
  ledger.done(claim.entry, "ok");
  ledger.endProgram(succeeds);
  return claim;
}

test("an answer that a person wants to use again is not given, when the effect was taken back meanwhile", async () => {
  const pay = { name: "pay", effect: "irreversible" as const };
  let calls = 0;
  const host = new MemoryHost({
    model: scriptedModel(
      [{ content: fenced("(do (tool/pay {:n 1}) (/ 1 nil))") }, { content: fenced("(return (tool/pay {:n 1}))") }],
      "the test",
    ),
    tools: new Map([["pay", () => ok({ tx: ++calls })]]),
    decide: () => {
      run.ledger?.markUndone(run.ledger.entries().map(({ key }) => key));
      return { choice: "use_earlier", by: "anna" };
    },
  });
  const run = host.open({
    agent: agentOf({ max_turns: 2, tools: [pay] }),
    context: {},
    journal: {},
    model: "scripted",
  });
  const step = await stepOf(run);
  expect(calls).toBe(1);
  expect(step.fail).not.toBeNull();
  expect(step.warnings.map(({ message }) => message).join()).toContain("taken back during that time");
});

describe("an effect that was undone", () => {
  test.each([
    { it: "after work that succeeded", succeeds: true },
    { it: "after work that failed", succeeds: false },
  ])("is not done: the same call is a new effect with a key of its own, $it", ({ succeeds }) => {
    const ledger = runLedger();
    const { entry } = make(ledger, write, { room: 1 }, succeeds);
    ledger.markUndone([entry.key]);
    const again = make(ledger, write, { room: 1 });
    expect(again).toMatchObject({ kind: "new", entry: { n: 2, state: "done" } });
    expect(again.equal).toBeUndefined();
    expect(ledger.entries().map(({ state }) => state)).toEqual(["undone", "done"]);
  });

  test("is passed over: an equal one that still stands is what a new call resembles", () => {
    const ledger = runLedger();
    const first = make(ledger, irreversible, { to: "ann" });
    const second = make(ledger, irreversible, { to: "ann" });
    ledger.markUndone([second.entry.key]);
    expect(make(ledger, irreversible, { to: "ann" }).equal?.key).toBe(first.entry.key);
  });

  test("stays undone when the mission begins again, and through continue-as-new", () => {
    const ledger = runLedger();
    const { entry } = make(ledger, write, { room: 1 });
    ledger.markUndone([entry.key, "agent/x~elsewhere~1"]);
    ledger.reopen(() => false);
    const state = ledger.state();
    const next = new RunLedger({ mission: "agent/x", lane: "" }, JSON.parse(JSON.stringify(state)));
    expect(next.state()).toEqual(state);
    expect(next.entries()).toMatchObject([{ key: entry.key, state: "undone" }]);
    expect(make(next, write, { room: 1 })).toMatchObject({ kind: "new", entry: { n: 2 } });
  });

  test("stays undone when its answer comes later", () => {
    const ledger = runLedger();
    const meant = { call: 1, turn: 1, args: {} };
    const { entry } = ledger.claim(write, meant, 5);
    ledger.intend(entry, meant, { kind: "write", at: 5, call: 1 });
    ledger.markUndone([entry.key]);
    ledger.done(entry, "ok");
    expect(ledger.entries()).toMatchObject([{ state: "undone", answer: "ok" }]);
  });

  test("stays undone when an agent hands it back that did not hear of it", () => {
    const ledger = runLedger();
    const agent = new RunLedger(ledger.delegate("helper", 1, {}));
    const { entry } = make(agent, write, { room: 1 });
    ledger.markUndone([entry.key]);
    ledger.agentEnded(1, agent.handedBack());
    expect(ledger.entries()).toMatchObject([{ key: entry.key, state: "undone" }]);
    expect(make(ledger, write, { room: 1 })).toMatchObject({ kind: "new" });
  });

  test("is of the task around the agent's call, also through continue-as-new, until the call is made elsewhere", () => {
    const ledger = runLedger();
    const agent = new RunLedger(ledger.delegate("helper", 1, {}, "a"));
    const below = new RunLedger(agent.delegate("inner", 1, {}, "b"));
    const { entry } = make(below, write, { room: 1 });
    agent.agentEnded(1, below.handedBack());
    ledger.agentEnded(1, agent.handedBack());
    expect([ledger.ofTask("a"), ledger.ofTask("b")]).toMatchObject([[{ key: entry.key }], []]);
    const state = ledger.state();
    const next = new RunLedger({ mission: "agent/x", lane: "" }, JSON.parse(JSON.stringify(state)));
    expect(next.state()).toEqual(state);
    expect(next.ofTask("a")).toMatchObject([{ key: entry.key }]);
    next.endProgram(false);
    next.beginProgram(2);
    next.delegate("helper", 1, {});
    expect(next.ofTask("a")).toEqual([]);
  });

  test("is no open effect of a place that is sent back", () => {
    const plan = new MissionLedger({ mission: "plan/x", lane: "" });
    const agent = new RunLedger(plan.delegate("work"));
    const { entry } = make(agent, write, { room: 1 });
    plan.ended("work", agent.handedBack());
    plan.succeeded("work");
    plan.markUndone([entry.key]);
    plan.sentBack("work");
    expect(plan.entries()).toMatchObject([{ key: entry.key, state: "undone" }]);
    expect(make(new RunLedger(plan.delegate("work")), write, { room: 1 })).toMatchObject({ kind: "new" });
  });

  test("keeps its key to itself: work that begins again in the same lane gets another one", () => {
    const plan = new MissionLedger({ mission: "plan/x", lane: "" });
    const agent = new RunLedger(plan.delegate("work"));
    const { entry } = make(agent, write, { room: 1 }, false);
    plan.ended("work", agent.handedBack());
    plan.markUndone([entry.key]);
    const again = make(new RunLedger(plan.delegate("work")), write, { room: 1 });
    expect(again).toMatchObject({ kind: "new", entry: { n: 2, lane: entry.lane } });
  });
});
