import { randomUUID } from "node:crypto";
import type { ReviewedHandle } from "../../../src/client/handles";
import { projectEffects } from "../../../src/core/history/read/project-effects";
import type { Tool } from "../../../src/tools";
import { CountingService, SERVICE_TOOLS } from "../../support/effect-faults/counting-service";
import { EFFECT_FAULTS, type FaultyMission } from "../../support/effect-faults/effect-faults";
import { expectFault } from "../../support/effect-faults/fault-outcome";
import { agentInput, listeningModel, planInput, taskInput } from "../../support/effect-faults/mission-inputs";
import { childrenOf, runsOf, treeOf } from "../../support/record";
import { expectProjectionsToEqual, replay } from "../../support/replay/replay";
import { type Rig, sharedRigs } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { until } from "../../support/until";

const openRig = sharedRigs();

/** Each fault of the table on a server. Every history replays, and alone says what its workflow said, at every event. */
let rig: Rig;
afterEach(() => rig.stop());

/** All of them run in memory: core/effects/faults. */
const HERE = isDeep ? EFFECT_FAULTS : EFFECT_FAULTS.filter((_, i) => i % 3 === 0);

test.each(HERE)("$title", async (fault) => {
  const { mission, decisions = [] } = fault;
  const service = new CountingService();
  const { model, heard, logs } = listeningModel(mission);
  rig = await openRig({ tools: toolsOf(service), models: { resolve: () => model } });
  const { temporal } = rig.client;

  const { run, ended } = await start(mission);
  for (const choice of decisions) await decideNext(run, choice);
  const outcome = { service, heard, logs, ended: await ended(), effects: await run.effects() };
  const { workflowId } = run.workflow;
  const agents = mission.kind === "agent" ? [workflowId] : await childrenOf(temporal, workflowId);
  const steps = await Promise.all(agents.map((id) => rig.client.agent(id).step()));
  expectFault(fault, { ...outcome, steps, asked: await askedBy(run) });

  const histories = await runsOf(temporal, await treeOf(temporal, workflowId));
  expect(projectEffects(histories[0])).toEqual(outcome.effects);
  for (const history of histories) {
    expect(await expectProjectionsToEqual(history)).toBeGreaterThan(0);
    await replay(history);
  }
});

const toolsOf = (service: CountingService): Tool[] =>
  SERVICE_TOOLS.map((spec) => ({
    spec,
    run: async (args, { idempotencyKey }) => service.act(spec.name, args, idempotencyKey),
  }));

/** What was started, and how it ends: `ok`, or what went wrong. */
async function start(mission: FaultyMission): Promise<{ run: ReviewedHandle; ended: () => Promise<string> }> {
  const id = randomUUID();
  switch (mission.kind) {
    case "agent": {
      const run = await rig.client.startAgent({ id, ...agentInput(mission) });
      return { run, ended: async () => (await run.result()).fail?.message ?? "ok" };
    }
    case "plan": {
      const run = await rig.client.startPlan({ id, ...planInput(mission), executor: true });
      return { run, ended: async () => (await run.result()).status };
    }
    case "task": {
      const run = await rig.client.startTask(taskInput(mission, id));
      return { run, ended: async () => ((await run.result()).status === "COMPLETED" ? "ok" : "failed") };
    }
  }
}

async function decideNext(run: ReviewedHandle, choice: string): Promise<void> {
  const opened = async () => (await run.reviews()).find(({ status }) => status === "open");
  const { id: review } = await until(opened, "somebody is asked");
  await run.decide({ review, choice, by: "anna" });
}

/** The codes of the reviews about effects: a gate's review has none. */
const askedBy = async (run: ReviewedHandle): Promise<string[]> =>
  (await run.reviews()).flatMap(({ data }) => (data.code === undefined ? [] : [String(data.code)]));
