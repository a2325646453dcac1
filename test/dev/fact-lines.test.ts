import { FactLines } from "../../src/cli/dev/fact-lines";
import { createColors } from "../../src/cli/terminal/render";
import type { MissionFact } from "../../src/core/stream/mission-facts";

const review = {
  ...{ id: "p:agent/m/pay/1", source: "tool", title: "Call pay?", body: "", data: { args: { cents: 5 } } },
  ...{ choices: ["approve", "reject"], createdAt: 0, kind: "approval" },
};
const facts = [
  { type: "reply", call: 1, content: "I pay.\n```clojure\n(tool/pay\n  {:cents 5})\n```" },
  { type: "waits", reviews: [review] },
  // Published again, because something else began to wait.
  { type: "waits", reviews: [review] },
  { type: "tool", id: "t1", name: "pay", args: { cents: 5 } },
  { type: "tool_result", id: "t1", answer: { ok: false, message: "no\nmoney" } },
  { type: "parked", parked: { waiting: { status: "waiting" }, since: 0, until: null } },
  { type: "no_reply", call: 2 },
  { type: "over", end: { state: "failed", fail: { reason: "max_turns_exceeded", message: "No turn is left." } } },
] as unknown as MissionFact[];

test("each fact is one line, and a review is told once, with its link and its command", () => {
  const lines = new FactLines(createColors(false, {}), "http://127.0.0.1:7400");
  expect(facts.flatMap((fact) => lines.of("agent/m", fact)).map(({ text }) => text)).toEqual([
    "turn 1: (tool/pay {:cents 5})",
    'waits for a person: Call pay? {"cents":5}  http://127.0.0.1:7400/inbox/p%3Aagent%2Fm%2Fpay%2F1  or: npx navigator review decide p:agent/m/pay/1 approve --by "$USER"',
    'calls pay {"cents":5}',
    "pay failed: no money",
    'waits for a decision in its journal: {"status":"waiting"}',
    "turn 2: the model did not answer (navigator why agent/m)",
    "failed: max_turns_exceeded: No turn is left.",
  ]);
});
