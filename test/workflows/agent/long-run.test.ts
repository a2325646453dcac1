import { TestWorkflowEnvironment } from "@temporalio/testing";
import { parseAgent } from "../../../src/core/agent/definition/parse-agent";
import { type Step, withTrace } from "../../../src/core/agent/result/step";
import { runAgent } from "../../../src/core/agent/run/run";
import { ok } from "../../../src/core/base/failure";
import { scriptedModel } from "../../../src/models/scripted";
import { MemoryHost } from "../../../src/simulate/memory-host";
import { defineTool } from "../../../src/tools";
import { testCli } from "../../support/environment";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { fenced, openRig, quietRuntime } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { stepEssence } from "../../support/step-essence";

/**
 * Many turns with agents inside, on a server that wants a new run after some hundred events: the same Step as in memory,
 * where nothing continues as new, and no more history for a late turn than for an early one.
 */
const TURNS = isDeep ? 200 : 40;

let server: TestWorkflowEnvironment;
beforeAll(async () => {
  quietRuntime();
  server = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: await testCli() },
      extraArgs: ["--dynamic-config-value", `limit.historyCount.suggestContinueAsNew=${isDeep ? 520 : 100}`],
    },
  });
});
afterAll(() => server.teardown());

const hold = defineTool({ name: "hold", signature: "(n :int) -> :int", run: ({ n }) => Number(n) });

const parsed = parseAgent({
  name: "lead",
  prompt: "Count.",
  max_turns: TURNS + 1,
  turn_budget: 1_000,
  tools: [
    hold.spec,
    {
      description: "Doubles a number",
      agent: {
        name: "doubler",
        prompt: "Double {{n}}.",
        signature: "(n :int) -> :int",
        max_turns: 2,
        tools: [hold.spec],
      },
    },
  ],
});

const turn = (n: number) =>
  n % 10 === 0
    ? `(def total (+ (or total 0) (tool/doubler {:n ${n}})))\n(step-done "s${n}" "doubled")`
    : `(def total (+ (or total 0) (task "hold_${n}" (tool/hold {:n ${n}}))))\n(defn last-of [x] (+ x ${n}))\n(println "total" total)`;

const SCRIPT = {
  lead: [
    ...Array.from({ length: TURNS }, (_, i) => ({ content: fenced(turn(i + 1)), tokens: { input: 100, output: 5 } })),
    fenced("(return [total (last-of 1)])"),
  ],
  doubler: [fenced('(def twice (* 2 (tool/hold {:n data/n})))\n(println "twice" twice)'), fenced("(return twice)")],
};

async function inMemory(): Promise<Step> {
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const host = new MemoryHost({
    model: scriptedModel(SCRIPT, "the test"),
    tools: new Map([["hold", (args) => ok(args.n as number)]]),
    agent: "lead",
  });
  return withTrace(await runAgent(host, { agent: parsed.value, context: {}, journal: {}, model: "scripted" }));
}

test(`${TURNS} turns with nested agents continue as new, and give the same result`, async () => {
  if (!parsed.ok) throw new Error(parsed.fail.message);
  const rig = await openRig({ address: server.address, tools: [hold], script: SCRIPT });
  try {
    const run = await rig.client.startAgent({ agent: parsed.value, model: "scripted" });
    const step = await run.result();
    expect(step.fail).toBeNull();
    expect(step.child_steps).toHaveLength(TURNS / 10);
    expect(stepEssence(step)).toEqual(stepEssence(await inMemory()));

    const runs = (await rig.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
    expect(runs.length).toBeGreaterThan(2);
    const perTurn = runs.map(bytesPerTurn);
    expect(Math.max(...perTurn) / Math.min(...perTurn)).toBeLessThan(1.1);
    await replay(runs[1] as ExportedHistory);
  } finally {
    await rig.stop();
  }
});

/** What a usual turn adds to the history of its run: the median of the stretches from one model call to the next. */
function bytesPerTurn({ events }: ExportedHistory): number {
  const turns = events.reduce<number[]>((sizes, event) => {
    const scheduled = event.activityTaskScheduledEventAttributes as { activityType?: { name?: string } } | undefined;
    if (scheduled?.activityType?.name === "runCalls") sizes.push(0);
    const last = sizes.length - 1;
    if (last >= 0) sizes[last] = (sizes[last] as number) + JSON.stringify(event).length;
    return sizes;
  }, []);
  return turns.sort((a, b) => a - b)[turns.length >> 1] as number;
}
