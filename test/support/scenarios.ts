import { randomUUID } from "node:crypto";
import type { StartAgent } from "../../src/client/client";
import type { Script } from "../../src/models";
import { defineTool } from "../../src/tools";
import { agentRunInput } from "../../src/workflows/start/agent-input";
import { gate } from "./gate";
import { agent, fenced, type Rig } from "./rig";
import { until } from "./until";

/** Missions whose histories are looked at: each shows something that writes history in its own way. */
export interface Scenario {
  name: string;
  script: Script;
  /** Runs it to its end; answers the ids of the workflows to look at. */
  run(rig: Rig): Promise<string[]>;
}

let slow = gate();
export const scenarioTools = [
  defineTool({ name: "charge_card", signature: "(order_id :int) -> :string", run: () => "tx_abc" }),
  defineTool({ name: "ship_item", signature: "(tx_id :string) -> :string", run: () => "parcel_1" }),
  defineTool({ name: "look", signature: "(id :int) -> {stock :int}", effect: "read", run: () => ({ stock: 3 }) }),
  defineTool({ name: "slow", run: () => slow.opened.then(() => "late") }),
  defineTool({
    name: "broken",
    run: () => {
      throw new Error("out of paper");
    },
  }),
];
const specs = scenarioTools.map((tool) => tool.spec);

const HELPER = { name: "helper", prompt: "Help.", max_turns: 2, tools: specs };

const order = (more: Record<string, unknown> = {}) => agent({ name: "order", tools: specs, ...more });
const start = (rig: Rig, more: Partial<StartAgent> = {}) =>
  rig.client.startAgent({ id: randomUUID(), agent: order(), context: { order_id: 42 }, model: "scripted", ...more });

const CHARGE = '(task "charge_42" (tool/charge_card {:order_id 42}))';
const WAIT = "(return {:status :waiting})";

/** One run that needs nobody, and how it ends: with a return, or the reason of its fail. */
function alone(name: string, script: string[], more: Partial<StartAgent> = {}, ends: string | null = null): Scenario {
  return {
    name,
    script: script.map(fenced),
    run: async (rig) => {
      const run = await start(rig, more);
      expect((await run.result()).fail?.reason ?? null).toBe(ends);
      return [run.workflow.workflowId];
    },
  };
}

type Parked = Awaited<ReturnType<typeof start>>;

/** A run that parks, and what is done to it while it does. */
function parked(name: string, script: string[], meanwhile: (run: Parked) => Promise<void>): Scenario {
  return {
    name,
    script: script.map(fenced),
    run: async (rig) => {
      const run = await start(rig);
      await until(async () => (await run.status()).state === "waiting", "the mission parks");
      await meanwhile(run);
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  };
}

export const SCENARIOS: Scenario[] = [
  alone("one-turn", [`(do ${CHARGE} (task "ship_42" (tool/ship_item {:tx_id "tx_abc"})) (return {:status :shipped}))`]),
  alone("given-journal", [`(do ${CHARGE} (return (task "new" {:n 1})))`], {
    journal: { charge_42: "tx_old", noted: [1, { a: null }] },
  }),
  alone("journal-in-context", [`(return ${CHARGE})`], { context: { journal: { charge_42: "tx_old" } }, journal: null }),
  alone("no-journal", [`(return ${CHARGE})`], { journal: null }),
  alone("reset", [`${CHARGE}\n(task-reset "charge_42")\n(return ${CHARGE})`]),
  alone("pmap", ['(return (pmap #(task (str "charge_" %) (tool/charge_card {:order_id %})) (range 12)))']),
  alone("reads", ['(return (map #(task (str "look_" %) (tool/look {:id %})) (range 4)))']),
  alone("large-value", ['(return (count (task "text" (apply str (map (fn [_] "x") (range 5000))))))']),
  alone(
    "failed-turns",
    [
      `(do ${CHARGE} (step-done "charge" "held") (tool/broken {}))`,
      "(no-such-function)",
      `(do ${CHARGE} (step-done "charge" "held") (println "once more"))`,
      "(return 1)",
    ],
    { agent: order({ plan: [["charge", "Charge card"]], max_turns: 5 }) },
  ),
  alone("given-up", [`(do ${CHARGE} (fail {:reason :out_of_stock :message "nothing left"}))`], {}, "out_of_stock"),
  parked("decided", [`(do ${CHARGE} ${WAIT})`, `(do ${CHARGE} (return (task "confirmed" nil)))`], (run) =>
    run.recordDecision({ id: "confirmed", value: { ok: true }, by: "anna", note: "by phone" }).then(() => {}),
  ),
  parked("signals", [`(do ${CHARGE} ${WAIT})`, '(return (task "confirmed" nil))'], async (run) => {
    await run.signalDecision({ id: "charge_42", value: "tx_other", by: "eve" });
    await run.signalDecision({ id: "confirmed", value: true, by: "webhook" });
  }),
  parked(
    "looked-too-early",
    [`(do (task "confirmed" nil) ${CHARGE} ${WAIT})`, '(return (task "confirmed" nil))'],
    async (run) => {
      await run.signalDecision({ id: "charge_42", value: null, by: "eve" });
      await run.signalDecision({ id: "confirmed", value: true, by: "webhook" });
      expect((await run.result()).return).toBe(true);
    },
  ),
  parked("overwritten", [`(do ${CHARGE} ${WAIT})`, `(return ${CHARGE})`], (run) =>
    run.recordDecision({ id: "charge_42", value: "tx_fixed", by: "anna", overwrite: true }).then(() => {}),
  ),
  {
    name: "wait-ran-out",
    script: [fenced(`(do ${CHARGE} ${WAIT})`), fenced('(return (task "wait_timeout_1" nil))')],
    run: async (rig) => {
      const run = await start(rig, { agent: order({ wait_timeout_ms: 200 }) });
      expect((await run.result()).return).toBe(true);
      return [run.workflow.workflowId];
    },
  },
  // How a change gets into the history where no activity follows that it could ride on.
  parked(
    "reads-then-parked",
    [
      `(do ${CHARGE} (task "look_1" (tool/look {:id 1})) (task "look_2" (tool/look {:id 2})) ${WAIT})`,
      '(do (task "noted" 1) (return (task "confirmed" nil)))',
    ],
    (run) => run.recordDecision({ id: "confirmed", value: true, by: "anna" }).then(() => {}),
  ),
  alone(
    "record-before-children",
    [
      '(do (task "noted" 1) (task "first" (tool/helper {})) (task-reset "noted") (task "second" (tool/helper {})) (return 1))',
      '(return (task "inside" (tool/look {:id 1})))',
      '(return (task "inside" 2))',
    ],
    { agent: order({ tools: [...specs, { name: "helper", description: "Helps", agent: HELPER }] }) },
  ),
  {
    name: "record-before-a-review",
    script: [
      fenced(`(do ${CHARGE} (task "noted" 1) (return (task "asked" (tool/ask-person {:question "Ship it?"}))))`),
    ],
    run: async (rig) => {
      const run = await start(rig, { agent: order({ builtin_tools: ["ask"] }) });
      const opened = async () => (await run.reviews()).find(({ status }) => status === "open");
      const { id } = await until(opened, "a question is open");
      await run.decide({ review: id, choice: "yes", by: "anna" });
      expect((await run.result()).fail).toBeNull();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "decided-while-it-works",
    script: [fenced(`(do ${CHARGE} (tool/slow {}) (return (task "confirmed" nil)))`)],
    // A person decides while a call runs. In a sequence the record of the charge would come only with the answer of the other call.
    run: async (rig) => {
      slow = gate();
      const run = await start(rig, { agent: order({ sequences: false }) });
      await until(async () => (await run.journal()).length === 1, "the first record");
      await run.recordDecision({ id: "confirmed", value: true, by: "anna" });
      await run.signalDecision({ id: "noted", value: 1, by: "ben" });
      slow.open();
      expect((await run.result()).return).toBe(true);
      return [run.workflow.workflowId];
    },
  },
  {
    // A plain Temporal client sends no format: a marker says which one the run has.
    name: "plain-start",
    script: [fenced(`(do ${CHARGE} (return (task "noted" 1)))`)],
    run: async ({ client, taskQueue }) => {
      const workflowId = `agent/${randomUUID()}`;
      const input = { agent: order(), context: {}, journal: {}, model: "scripted" };
      await client.temporal.workflow.execute("agentRun", { workflowId, taskQueue, args: [input] });
      return [workflowId];
    },
  },
  {
    name: "record-of-a-cancelled-run",
    script: [fenced(`(do ${CHARGE} (task "noted" 1) ${WAIT})`)],
    run: async (rig) => {
      const run = await start(rig);
      await until(async () => (await run.status()).state === "waiting", "the mission parks");
      await run.workflow.cancel();
      await expect(run.workflow.result()).rejects.toThrow();
      return [run.workflow.workflowId];
    },
  },
  {
    name: "scheduled",
    script: [fenced(`(return ${CHARGE})`)],
    // As a schedule starts it; the second one of the day finds the first one's run.
    run: async ({ client, taskQueue }) => {
      const id = randomUUID();
      const run = agentRunInput({ agent: order(), context: { order_id: 42 }, model: "scripted" });
      const ids = [`schedule/${id}-1`, `schedule/${id}-2`];
      for (const workflowId of ids)
        await client.temporal.workflow.execute("scheduledAgent", {
          workflowId,
          taskQueue,
          args: [{ id, once_per: "day", run }],
        });
      return ids;
    },
  },
];
