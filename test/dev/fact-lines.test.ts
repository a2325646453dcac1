import { FactLines } from "../../src/cli/dev/fact-lines";
import { createColors } from "../../src/cli/terminal/render";
import { readHistory } from "../../src/core/history/read/history";
import { type MissionFact, missionFacts } from "../../src/core/history/stream/mission-facts";
import { ownName } from "../../src/node/shell-word";
import { readRecorded } from "../support/recorded";

const review = {
  ...{ id: "p:agent/m/pay/1", kind: "approval", title: "Call pay?", body: "", data: { args: { cents: 5 } } },
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
  // Also where the shell has no USER.
  expect(ownName()).toMatch(/^[\w.@-]+$/);
  expect(facts.flatMap((fact) => lines.of("agent/m", fact)).map(({ text }) => text)).toEqual([
    "turn 1: (tool/pay {:cents 5})",
    `waits for a person: Call pay? {"cents":5}  http://127.0.0.1:7400/inbox/p%3Aagent%2Fm%2Fpay%2F1  or: npx navigator review decide p:agent/m/pay/1 approve --by ${ownName()}`,
    'calls pay {"cents":5}',
    "pay failed: no money",
    'waits for a decision in its journal: {"status":"waiting"}',
    "turn 2: the model did not answer (navigator log agent/m)",
    "failed: max_turns_exceeded: No turn is left.",
  ]);
});

test("a call that no worker can make is told once, until it goes on, and so is an answer that only calls tools", () => {
  const missing = { kind: "tool", name: "pay", text: "tool pay is on no worker", help: "Start one." };
  const calls = (id: string) => ({ type: "tool", id, name: "pay", args: { cents: 5 } });
  const lacks = (id: string) => ({ type: "tool_result", id, answer: { ok: false, message: "tool pay ..." }, missing });
  const answered = (id: string) => ({ type: "tool_result", id, answer: { ok: true, value: 1 } });
  const blocked = { type: "blocked", missing };
  const told = [
    { type: "reply", call: 1, content: "", calls: ["pay"] },
    ...[calls("1"), lacks("1"), calls("2"), lacks("2"), blocked, calls("3")],
    ...[{ type: "blocked", missing: null }, answered("3")],
    ...[calls("4"), lacks("4")],
  ] as unknown as MissionFact[];
  const lines = new FactLines(createColors(false, {}), null);
  expect(told.flatMap((fact) => lines.of("agent/m", fact)).map(({ event, text }) => [event, text])).toEqual([
    ["model_answered", "turn 1: asks for pay"],
    ["tool_called", 'calls pay {"cents":5}'],
    [
      "blocked",
      "blocked: tool pay is on no worker; the mission continues when a worker can make this call (navigator log agent/m)",
    ],
    ["unblocked", "no longer blocked"],
    ["tool_answered", "pay answered 1"],
    ["tool_called", 'calls pay {"cents":5}'],
    [
      "blocked",
      "blocked: tool pay is on no worker; the mission continues when a worker can make this call (navigator log agent/m)",
    ],
  ]);
});

test("what a recorded mission of a blocked call tells", () => {
  const events = readHistory(readRecorded("agent-blocked-tool.json"));
  const lines = new FactLines(createColors(false, {}), null);
  const told = missionFacts("agent/m", "r", events).flatMap((fact) => lines.of("agent/m", fact));
  expect(told.map(({ event }) => event)).toEqual([
    ...["model_asked", "model_answered", "tool_called", "blocked", "tool_answered", "unblocked", "completed"],
  ]);
  expect(told[3]).toMatchObject({ kind: "tool", name: "refund", missing: "tool refund is on no worker" });
});
