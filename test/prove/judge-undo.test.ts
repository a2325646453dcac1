import { EffectService } from "../../prove/effects/effect-service";
import { judgeUndo } from "../../prove/effects/judge-undo";
import { PAYMENTS } from "../../prove/effects/payment-tools";

/** The judge of `navigator prove effects --undo`. */

const MISSION = "agent/m";
const args = (to: string) => ({ to, cents: 500, memo: "#0.0.0.0.1. " });

/** A service that did a credit and a payment. */
function twoActs(): EffectService {
  const service = new EffectService(PAYMENTS);
  service.call({ mission: MISSION, tool: "credit", args: args("ada"), key: "k1" });
  service.call({ mission: MISSION, tool: "pay", args: args("ben"), key: "k2" });
  return service;
}
const place = { lane: "", turn: 1, at: 0 };
const step = (key: string) => ({ ...place, key, tool: "credit", effect: "write" as const, args: {}, result: null });
const rest = (key: string) => ({
  ...place,
  key,
  tool: "pay",
  effect: "irreversible" as const,
  state: "done" as const,
  obstacle: "no_undo" as const,
  why: "",
});
const faultsOf = (service: EffectService, steps: string[], remaining: string[], failed: string | null = null) =>
  judgeUndo(MISSION, service, { announced: { steps: steps.map(step), remaining: remaining.map(rest) }, failed }).map(
    ({ text }) => text,
  );

test("what was announced is undone, and what was announced remains", () => {
  const service = twoActs();
  service.undo("k1", "k1~undo");
  service.undo("k1", "k1~undo");
  expect(faultsOf(service, ["k1"], ["k2"])).toEqual([]);
});

test.each([
  {
    fault: "is not undone",
    undone: [],
    steps: ["k1"],
    remaining: ["k2"],
    says: "announced to be undone, and remains: k1",
  },
  {
    fault: "is undone without a word",
    undone: ["k1", "k2"],
    steps: ["k1"],
    remaining: ["k2"],
    says: "not announced: k2",
  },
  { fault: "remains without a word", undone: ["k1"], steps: ["k1"], remaining: [], says: "nobody announced: k2" },
  { fault: "never was", undone: ["k1"], steps: ["k1"], remaining: ["k2", "k3"], says: "was never done: k3" },
])("an effect that $fault is found", ({ undone, steps, remaining, says }) => {
  const service = twoActs();
  for (const key of undone) service.undo(key, `${key}~undo`);
  expect(faultsOf(service, steps, remaining)).toEqual([expect.stringContaining(says)]);
});

test("a second undo under another key, and an undo that fails, are found", () => {
  const service = twoActs();
  service.undo("k1", "k1~undo");
  service.undo("k1", "k1~another");
  expect(faultsOf(service, ["k1"], ["k2"], "it hung")).toEqual([
    "The undo did not end well: it hung",
    expect.stringContaining("not there any more: k1"),
  ]);
});
