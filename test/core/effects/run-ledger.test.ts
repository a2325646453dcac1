import fc from "fast-check";
import { jsonBytes } from "../../../src/core/base/bytes";
import type { Json } from "../../../src/core/base/json";
import { effectKey, readEffectKey, scopePart } from "../../../src/core/effects/effect-key";
import { RunLedger } from "../../../src/core/effects/run-ledger";
import { assertProperty } from "../../support/run/property";

const PAY = { name: "pay", effect: "write" as const };
const AT = Date.UTC(2030, 0, 1);

/** A mission of so many effects, of which one half is equal to another. */
function filled(count: number): RunLedger {
  const ledger = new RunLedger({ mission: "agent/a-mission-of-ten-thousand", lane: "" });
  for (let turn = 1; turn <= count / 100; turn++) {
    ledger.beginProgram(AT + turn * 60_000);
    for (let call = 1; call <= 100; call++) {
      const n = (turn - 1) * 100 + call;
      const meant = { call, turn, task: `pay_${n}`, args: { invoice: `R-${n % (count / 2)}`, cents: n } };
      const { entry } = ledger.claim({ ...PAY, identity: ["invoice"] }, meant, ledger.program.at);
      ledger.intend(entry, meant, { kind: "write", at: ledger.program.at, call });
      ledger.done(entry, { tx: `tx_${n}` });
    }
    ledger.endProgram(true);
  }
  return ledger;
}

test("ten thousand effects take less than 1 MB in the state that a run carries", () => {
  const ledger = filled(10_000);
  expect(ledger.entries()).toHaveLength(10_000);
  const state = ledger.state();
  expect(jsonBytes(state as unknown as Json)).toBeLessThan(1_000_000);
  const given = { mission: ledger.mission, lane: "" };
  const restored = new RunLedger(given, JSON.parse(JSON.stringify(state)));
  const essence = (one: RunLedger) => one.entries().map(({ args: _, answer: __, ...entry }) => entry);
  expect(essence(restored)).toEqual(essence(ledger));
});

test("the state of a ledger is the same after it was written and read", () => {
  const state = filled(200).state();
  const read = new RunLedger(
    { mission: "agent/a-mission-of-ten-thousand", lane: "" },
    JSON.parse(JSON.stringify(state)),
  );
  expect(read.state()).toEqual(state);
});

test("in the middle of a program that resets tasks and calls agents, the state is the same after it was read", () => {
  const ledger = new RunLedger({ mission: "agent/a", lane: "" });
  const pays = (call: number, task: string) => {
    const meant = { call, turn: 1, args: { invoice: "R-1" }, task };
    const { entry, equal } = ledger.claim(PAY, meant, AT);
    ledger.intend(entry, meant, { kind: "write", at: AT, call });
    ledger.done(entry, { tx: call });
    return equal;
  };
  ledger.beginProgram(AT);
  pays(1, "p");
  ledger.noteReset("p", true);
  pays(2, "p");
  const agent = new RunLedger(ledger.delegate("helper", 3, {}, "k"));
  agent.beginProgram(AT);
  const meant = { call: 1, turn: 1, args: { invoice: "R-2" } };
  const { entry } = agent.claim(PAY, meant, AT);
  agent.intend(entry, meant, { kind: "write", at: AT, call: 1 });
  agent.done(entry, { tx: 3 });
  ledger.agentEnded(3, agent.handedBack());
  ledger.delegate("helper", 4, { other: true }, "j");
  ledger.agentEnded(4, undefined);

  const state = JSON.parse(JSON.stringify(ledger.state()));
  const read = new RunLedger({ mission: "agent/a", lane: "" }, state);
  expect(read.state()).toEqual(state);
  for (const one of [ledger, read]) {
    one.endProgram(false);
    one.beginProgram(AT + 1);
    const next = [1, 2].map((call) => one.claim(PAY, { call, turn: 2, args: { invoice: "R-1" }, task: "q" }, AT + 1));
    expect(next.map(({ kind, entry }) => [kind, entry.n])).toEqual([
      ["same", 1],
      ["same", 2],
    ]);
  }
});

test("an effect that an agent met and handed back keeps its place among its equals", () => {
  const ledger = new RunLedger({ mission: "agent/a", lane: "" });
  const args = { invoice: "R-1" };
  ledger.beginProgram(AT);
  for (const call of [1, 2]) {
    const meant = { call, turn: 1, args };
    const { entry } = ledger.claim(PAY, meant, AT);
    ledger.intend(entry, meant, { kind: "write", at: AT, call });
    ledger.done(entry, { tx: call });
  }
  ledger.endProgram(false);

  ledger.beginProgram(AT + 1);
  const agent = new RunLedger(ledger.delegate("helper", 1, {}));
  agent.beginProgram(AT + 1);
  const { entry } = agent.claim(PAY, { call: 1, turn: 1, args }, AT + 1);
  agent.report(entry, { reused: 1 });
  agent.endProgram(true);
  ledger.agentEnded(1, agent.handedBack());
  ledger.endProgram(false);

  ledger.beginProgram(AT + 2);
  const met = [1, 2].map((call) => ledger.claim(PAY, { call, turn: 3, args }, AT + 2).entry);
  expect(met.map(({ n, reused }) => [n, reused])).toEqual([
    [1, 1],
    [2, undefined],
  ]);
});

describe("keys", () => {
  const id = fc.string({ minLength: 43, maxLength: 43, unit: fc.constantFrom(..."AZaz09_-") });
  const name = fc.oneof(fc.string(), fc.constantFrom("a~b", "a/b", "pay/2", "x@2", "~", "%007e"));
  const place = fc.record({
    mission: fc.oneof(name, fc.constantFrom("agent/x", "task/x/y~2", "shop:agent/x")),
    id,
    lane: fc.array(name, { maxLength: 3 }).map((parts) =>
      parts
        .map(scopePart)
        .filter((part) => part !== "")
        .join("/"),
    ),
    n: fc.integer({ min: 1, max: 100_000 }),
  });

  test("say which effect they are of", () =>
    assertProperty(fc.property(place, (one) => expect(readEffectKey(effectKey(one))).toEqual(one))));

  test("differ for different effects", () =>
    assertProperty(
      fc.property(place, place, (a, b) => {
        expect(effectKey(a) === effectKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    ));
});
