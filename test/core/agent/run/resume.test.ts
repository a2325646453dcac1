import fc from "fast-check";
import { applyDelta, conversationDelta } from "../../../../src/core/agent/run/conversation";
import { type AgentInput, type AgentState, openRun } from "../../../../src/core/agent/run/run";
import type { Message } from "../../../../src/core/calls/host";
import type { Conversation } from "../../../../src/core/calls/model-call";
import { assertProperty } from "../../../support/run/property";
import { agentOf, hostOf } from "./mission";

/** Between two turns a run is plain JSON: whoever has it goes on as if nothing had been in between. */
const PROGRAMS = [
  "(def a (or a 1))",
  "(defn f [x] (+ x (or a 0)))",
  '(task "t" (tool/add {:n 1}))',
  '(do (task-reset "t") (task "u" {:k :v, :f 2.0}))',
  '(step-done "1" (str "seen " (or a 0)))',
  "(do (println *1 *2 *3 data/fail) {:a #{1 :b} :d 1.0})",
  "(tool/rate {:of 1})",
  "(+ 1 nil)",
  "(tool/broken)",
  "no code at all",
  '(return "no number")',
  "(do (println (budget/remaining)) 1)",
  '(return {:n (count (str (task "t" 7)))})',
  '(fail {:reason :tired :message "enough"})',
];

const AGENT = agentOf({
  prompt: "Count {{from}}",
  signature: "(from :int) -> {n :int}",
  tools: ["add", { name: "rate", cache: true }, "broken"],
  plan: ["Look"],
  max_turns: 4,
  retry_turns: 2,
});
const INPUT: AgentInput = {
  agent: AGENT,
  context: { from: 1 },
  journal: { old: 1 },
  model: "scripted",
  collect_messages: true,
};

async function runWith(says: string[], passOn: (state: AgentState) => AgentState | null) {
  let calls = 0;
  const count = () => ({ ok: true as const, value: ++calls });
  const broken = () => ({ ok: false as const, fail: { reason: "tool_error" as const, message: "out of paper" } });
  const host = hostOf(says, { add: count, rate: count, broken });
  let run = openRun(host, INPUT);
  for (;;) {
    const step = await run.turn();
    if (step !== null) return { step, sent: host.sent, calls: host.toolCalls };
    const state = passOn(run.state);
    if (state !== null) run = openRun(host, INPUT, state);
  }
}

const scripts = fc.array(fc.constantFrom(...PROGRAMS), { minLength: 8, maxLength: 8 });

test("a run that is cut at every turn gives the same Step and the same calls", () =>
  assertProperty(
    fc.asyncProperty(scripts, async (says) => {
      const whole = await runWith(says, () => null);
      const cut = await runWith(says, (state) => JSON.parse(JSON.stringify(state)) as AgentState);
      expect(cut).toEqual(whole);
    }),
    { numRuns: 60 },
  ));

test("the invariants of a Step hold, whatever the model answers", () =>
  assertProperty(
    fc.asyncProperty(scripts, async (says) => {
      const { step, sent } = await runWith(says, () => null);
      expect(step.return === null || step.fail === null).toBe(true);
      expect(step.turns).toHaveLength(step.usage?.turns ?? -1);
      expect(step.turns?.length).toBeLessThanOrEqual(6);
      expect(step.journal).toMatchObject({ old: 1 });
      const ticked = step.turns?.some(({ success, program }) => success && program?.includes("step-done"));
      expect("1" in step.summaries).toBe(ticked);
      expect(sent.map(({ turn }) => turn)).toEqual(sent.map((_, i) => i + 1));
      // The part before the Mission Log is what providers cache.
      expect(new Set(sent.map(({ system }) => system.split("## Mission Log")[0])).size).toBe(1);
    }),
    { numRuns: 60 },
  ));

const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  content: fc.string({ unit: "binary", maxLength: 12 }),
});
const conversation: fc.Arbitrary<Conversation> = fc.record({
  system: fc.string({ unit: "binary", maxLength: 30 }),
  messages: fc.array(message, { maxLength: 5 }),
});

test("a conversation difference, sent as JSON, restores the later conversation", () =>
  assertProperty(
    fc.property(conversation, conversation, fc.nat(20), (before, other, shared) => {
      const after = {
        system: before.system.slice(0, shared) + other.system,
        messages: [...before.messages.slice(0, shared), ...other.messages],
      };
      const delta = JSON.parse(JSON.stringify(conversationDelta("key", 3, before, after)));
      expect(applyDelta(before, delta)).toEqual(after);
      expect(delta).toMatchObject({ key: "key", base: 3, version: 4 });
    }),
  ));

test("a conversation that only grew sends only the new messages", () => {
  const first: Message = { role: "user", content: "a" };
  const second: Message = { role: "assistant", content: "b" };
  const before = { system: "S", messages: [first] };
  const delta = conversationDelta("key", 0, before, { system: "S\n\nlog", messages: [first, second] });
  expect(delta).toMatchObject({ system: { keep: 1, add: "\n\nlog" }, messages: { keep: 1, add: [second] } });
});
