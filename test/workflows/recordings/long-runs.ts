import { randomUUID } from "node:crypto";
import type { AgentHandle } from "../../../src/client/handles";
import type { Review } from "../../../src/core/review/review";
import { defineTool } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced } from "../../support/rig";
import { until } from "../../support/until";

/** The order that a review asks about: reviews that open at once have no order. */
const orderOf = (review: Review): number => Number(/"order_id":(\d+)/.exec(JSON.stringify(review))?.[1]);

/** Runs of agents that go on in another run: on a server that wants a new one every 40 events. */

const charge = defineTool({
  name: "charge_card",
  signature: "(order_id :int) -> :string",
  run: ({ order_id }) => `tx_${order_id}`,
});
const pay = defineTool({
  name: "pay",
  signature: "(order_id :int) -> :string",
  approval: true,
  run: ({ order_id }) => `paid ${order_id}`,
});
const wire = defineTool({
  name: "wire",
  signature: "(order_id :int) -> :string",
  effect: "irreversible",
  run: ({ order_id }) => `wired ${order_id}`,
});
const turn = (n: number) =>
  fenced(
    `(do (task "charge_${n}" (tool/charge_card {:order_id ${n}})) (step-done "s${n}" "held ${n}") (println ${n}))`,
  );
const turns = (count: number) => Array.from({ length: count }, (_, i) => turn(i + 1));
const WAIT = fenced("(return {:status :waiting})");
const started = (client: Parameters<Recording["run"]>[0]["client"], raw: object, more: object = {}) =>
  client.startAgent({
    id: randomUUID(),
    agent: agent({ system_prompt: "Go.", tools: [charge.spec], max_turns: 12, turn_budget: 100, ...raw }),
    model: "scripted",
    ...more,
  });

/** Signals that decide nothing. */
const flood = async (run: AgentHandle, count: number) => {
  for (let sent = 0; sent < count; sent++) await run.workflow.signal("recordDecision", { id: "", by: "" });
};

export const LONG_AGENT_RECORDINGS: Recording[] = [
  {
    // With records, resets, functions of earlier turns; parked and woken in a later run.
    name: "agent-continued",
    rig: {
      tools: [charge],
      script: [
        ...turns(4),
        fenced(
          '(do (defn twice [x] (* 2 x)) (task-reset "charge_1") (task "charge_1" (tool/charge_card {:order_id 9})))',
        ),
        WAIT,
        ...turns(3),
        fenced('(return [(task "confirmed" nil) (task "charge_1" nil)])'),
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, {});
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      await run.signalDecision({ id: "", value: 1, by: "x" });
      await run.recordDecision({ id: "confirmed", value: true, by: "anna", note: "by phone" });
      expect(await run.result()).toMatchObject({ return: [true, "tx_9"] });
      return [run.workflow.workflowId];
    },
  },
  {
    // With a budget that was topped up, and questions that were answered.
    name: "agent-continued-with-budget",
    rig: {
      script: [
        ...[1, 2, 3, 4, 5].map((n) => ({
          content: fenced(`(def a${n} (:choice (tool/ask-person {:question "Go on with ${n}?"})))`),
          tokens: { input: 300, output: 50 },
        })),
        { content: fenced("(return [a1 a5])"), tokens: { input: 320, output: 40 } },
      ],
    },
    run: async ({ client }) => {
      const raw = { tools: [], builtin_tools: ["ask"], max_output_tokens: 100, max_turns: 8 };
      const run = await started(client, raw, { budget: { tokens: 900 } });
      let over = false;
      const result = run.result().finally(() => {
        over = true;
      });
      while (!over) {
        const review = (await run.reviews().catch(() => [])).find(({ status }) => status === "open");
        if (review)
          await run.decide(
            review.choices.includes("top_up")
              ? { review: review.id, choice: "top_up", by: "anna", value: { tokens: 700 } }
              : { review: review.id, choice: "yes", by: "ben" },
          );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(await result).toMatchObject({ return: ["yes", "yes"] });
      return [run.workflow.workflowId];
    },
  },
  {
    // It parks again and again, and goes on in another run as it is woken.
    name: "agent-continued-as-it-is-woken",
    rig: { script: [WAIT, WAIT, WAIT, WAIT, WAIT, fenced("(return 1)")] },
    run: async ({ client }) => {
      const run = await started(client, { tools: [] });
      for (let invocation = 1; invocation <= 5; invocation++) {
        await until(async () => {
          const status = await run.status();
          return status.state === "waiting" && status.invocation === invocation;
        }, `it parks, time ${invocation}`);
        await run.recordDecision({ id: `d${invocation}`, value: invocation, by: "anna" });
      }
      await run.result();
      return [run.workflow.workflowId];
    },
  },
  {
    // Text mode: the calls that a model asked for, and their answers, go along.
    name: "agent-continued-text",
    rig: {
      tools: [charge],
      script: [
        ...[1, 2, 3, 4, 5].map((n) => ({
          content: "",
          tool_calls: [{ id: `c${n}`, name: "charge_card", args: { order_id: n } }],
        })),
        "All charged.",
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, { output: "text", system_prompt: undefined });
      expect(await run.result()).toMatchObject({ return: "All charged." });
      return [run.workflow.workflowId];
    },
  },
  {
    // In the middle of a program: calls one after another, in branches, inside tasks, and in a reduce.
    name: "agent-continued-in-program",
    rig: {
      tools: [charge],
      script: [
        fenced(`(def alone (task "alone" (count (map (fn [n] (tool/charge_card {:order_id n})) (range 12)))))
                (def together (pmap (fn [n] (task (str "t" n) (str (tool/charge_card {:order_id n}) (tool/charge_card {:order_id (inc n)}))))
                                    (range 100 104)))
                (println (count together))
                (return {:alone alone :last (last together)
                         :sum (reduce (fn [sum n] (+ sum (count (tool/charge_card {:order_id n})))) 0 (range 10 16))})`),
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, { loop_limit: 100 });
      expect(await run.result()).toMatchObject({ return: { alone: 12, last: "tx_103tx_104", sum: 30 }, prints: ["4"] });
      return [run.workflow.workflowId];
    },
  },
  {
    // A program waits for approvals, alone and inside a task, while signals that are refused fill its history.
    name: "agent-continued-with-approvals",
    rig: {
      tools: [pay],
      script: [
        fenced(
          `(return (pmap (fn [n] (if (= n 1) (tool/pay {:order_id n}) (task "second" (tool/pay {:order_id n})))) [1 2]))`,
        ),
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, { tools: [pay.spec] });
      await until(async () => (await run.reviews()).length === 2, "both payments wait for approval");
      const [first, second] = await run.reviews();
      await flood(run, 60);
      await run.decide({ review: first?.id as string, choice: "approve", by: "anna" });
      await flood(run, 60);
      await run.decide({ review: second?.id as string, choice: "approve", by: "ben" });
      expect(await run.result()).toMatchObject({ return: ["paid 1", "paid 2"] });
      return [run.workflow.workflowId];
    },
  },
  {
    // The same for the calls of one reply in text mode; a third call is done meanwhile.
    name: "agent-continued-with-native-approvals",
    rig: {
      tools: [pay, charge],
      script: [
        {
          tool_calls: [
            { id: "a", name: "pay", args: { order_id: 1 } },
            { id: "b", name: "charge_card", args: { order_id: 2 } },
            { id: "c", name: "pay", args: { order_id: 3 } },
          ],
        },
        "All paid.",
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, { output: "text", system_prompt: undefined, tools: [pay.spec, charge.spec] });
      await until(async () => (await run.reviews()).length === 2, "both payments wait for approval");
      const [first, second] = (await run.reviews()).sort((a, b) => orderOf(a) - orderOf(b));
      await flood(run, 60);
      await run.decide({ review: first?.id as string, choice: "approve", by: "anna", value: { order_id: 7 } });
      await flood(run, 60);
      await run.decide({ review: second?.id as string, choice: "approve", by: "ben" });
      const step = await run.result();
      expect(step.return).toBe("All paid.");
      expect(step.tool_calls.map(({ result }) => result)).toEqual(["paid 7", "tx_2", "paid 3"]);
      expect(step.journal).toEqual({
        'charge_card {"order_id":2}': "tx_2",
        'pay {"order_id":1}': "paid 7",
        'pay {"order_id":3}': "paid 3",
      });
      return [run.workflow.workflowId];
    },
  },
  {
    // Two equal calls in one reply: a person is asked about the second, in a later run than the one that made the first.
    name: "agent-continued-with-equal-native-calls",
    rig: {
      tools: [wire],
      script: [
        {
          tool_calls: [
            { id: "a", name: "wire", args: { order_id: 1 } },
            { id: "b", name: "wire", args: { order_id: 1 } },
          ],
        },
        "Wired once.",
      ],
    },
    run: async ({ client }) => {
      const run = await started(client, { output: "text", system_prompt: undefined, tools: [wire.spec] });
      await until(async () => (await run.reviews()).length === 1, "somebody is asked about the second");
      await flood(run, 60);
      const [review] = await run.reviews();
      await run.decide({ review: review?.id as string, choice: "use_earlier", by: "anna" });
      const step = await run.result();
      expect(step.tool_calls.map(({ result }) => result)).toEqual(["wired 1", "wired 1"]);
      expect((await run.effects()).map(({ state, reused }) => [state, reused])).toEqual([["done", 1]]);
      return [run.workflow.workflowId];
    },
  },
  {
    // It is parked with a time limit, and signals that are refused fill its history.
    name: "agent-continued-while-parked",
    rig: { tools: [charge], script: [turn(1), WAIT, fenced('(return [(task "charge_1" nil) (task "ok" nil)])')] },
    run: async ({ client }) => {
      const run = await started(client, { wait_timeout_ms: 600_000 });
      await until(async () => (await run.status()).state === "waiting", "the run parks");
      await flood(run, 60);
      await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
      expect(await run.result()).toMatchObject({ return: ["tx_1", "yes"] });
      return [run.workflow.workflowId];
    },
  },
];
