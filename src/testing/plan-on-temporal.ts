import { randomUUID } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { NavigatorClient } from "../client/client";
import { waitForStep } from "../client/handles";
import { type PlanHandle, type PlanRunResult, PlanStarter, type ShownEvent } from "../client/plan-client";
import type { Step } from "../core/agent/result/step";
import { ok, type Result, receivedFailure } from "../core/base/failure";
import { type PlanRunPlace, planRunPlace, planRunWorkflowId, planTaskRunId, planWorkflowId } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import type { PlanEvent } from "../core/plan/run/events";
import type { Model } from "../models/model";
import { delay } from "../node/delay";
import { keepingChunks } from "../simulate/chunk-recorder";
import type { SentCall } from "../simulate/memory-host";
import { NobodyDecides } from "../simulate/memory-plan-host";
import { PlanScript } from "../simulate/plan-script";
import { type PlanScenario, type PlanSimulation, planAnswer } from "../simulate/simulate-plan";
import { type TemporalPlace, TemporalStage } from "./on-temporal";
import { type Scene, stubbed } from "./scene";

/** The same as `simulatePlan`, on a Temporal server with a separate worker: both must answer the same. */
export async function simulatePlanOnTemporal(
  scenario: PlanScenario,
  place: TemporalPlace,
): Promise<Result<PlanSimulation>> {
  const stage = await TemporalStage.open(place);
  try {
    return await runPlanOn(stage, scenario);
  } finally {
    await stage.close();
  }
}

/** One plan on a stage that serves any number of runs. */
export async function runPlanOn(
  stage: TemporalStage,
  scenario: PlanScenario,
  id: string = randomUUID(),
): Promise<Result<PlanSimulation>> {
  const scene = sceneOfPlan(scenario);
  return stage.during(scene, id, async (client) => {
    const { plan, executor, options } = scenario;
    const input = { plan, mission: options.mission ?? "", executor: executor || plan === null, options };
    const run = await new PlanStarter(client).begin(id, input);
    const result = await played(run, scenario);
    if (!result.ok) return result;
    const { events } = await run.events();
    return ok(planAnswer(result.value, await withSteps(client, id, events), scene.runs()));
  });
}

/** Gives the decisions of people while the plan runs. */
async function played(run: PlanHandle, scenario: PlanScenario): Promise<Result<PlanRunResult>> {
  const deciders = decideAsAsked(run, scenario.decisions as Decisions);
  try {
    return ok(await Promise.race([run.result(), deciders.stuck]));
  } catch (error) {
    await run.cancel().catch(() => {});
    if (error instanceof NavigatorError)
      return { ok: false, fail: receivedFailure(error.code, error.message, error.details) };
    throw error;
  } finally {
    await deciders.stop();
  }
}

type Decisions = { [task_id: string]: { choice: string; by: string }[] };

/** For each task its own list, one decision each time that people are asked. */
function decideAsAsked(run: PlanHandle, decisions: Decisions): { stop(): Promise<void>; stuck: Promise<never> } {
  const asked = new Set<string>();
  const counts = new Map<string, number>();
  let stopped = false;
  const decideOpen = async () => {
    const reviews = await run.reviews().catch(() => []);
    for (const { id, data, status } of reviews) {
      if (stopped || status !== "open" || asked.has(id)) continue;
      asked.add(id);
      const about = String(data.task_id);
      const count = counts.get(about) ?? 0;
      counts.set(about, count + 1);
      const decision = decisions[about]?.[count];
      if (decision === undefined) throw new NobodyDecides(about);
      await run.decide({ ...decision, review: id });
    }
  };
  // Without decisions there is no hurry: it polls slowly, to notice a review that waits in vain.
  const every_ms = Object.keys(decisions).length > 0 ? 20 : 250;
  const stuck = new Promise<never>((_, reject) => {
    const look = () => {
      if (stopped) return;
      looking = decideOpen()
        .then(() => void setTimeout(look, every_ms))
        .catch(reject);
    };
    setTimeout(look, every_ms);
  });
  stuck.catch(() => {});
  let looking: Promise<void> = Promise.resolve();
  return {
    stuck,
    stop: () => {
      stopped = true;
      return looking;
    },
  };
}

/** The events as in the core: a workflow keeps no Steps, so they are taken from the runs. */
function withSteps(
  { temporal }: NavigatorClient,
  id: string,
  shownEvents: readonly ShownEvent[],
): Promise<PlanEvent[]> {
  const attempts = new Map<string, number>();
  return Promise.all(
    shownEvents.map(async ({ number: _, ...event }): Promise<PlanEvent> => {
      if (event.type === "task_started") attempts.set(event.task_id, event.attempt);
      if (event.type !== "task_step") return event;
      const { ok: _ok, fail: _fail, ...rest } = event;
      const run = planTaskRunId(event.place.execution, event.task_id, attempts.get(event.task_id) ?? 1);
      return { ...rest, step: await resultOf(temporal, planRunWorkflowId(planWorkflowId(id), run)) };
    }),
  );
}

const resultOf = (temporal: Client, workflowId: string): Promise<Step> =>
  waitForStep(temporal.workflow.getHandle(workflowId));

/** The world of a plan: one script for all of its runs. */
interface PlanScene extends Scene {
  /** The requests that the models of each run received. */
  runs(): { run: { id: string }; sent: SentCall[] }[];
}

function sceneOfPlan(scenario: PlanScenario): PlanScene {
  const script = new PlanScript(scenario.model);
  const runs = new Map<string, { below: string[]; sent: SentCall[] }>();
  const sent: SentCall[] = [];

  const note = ({ run, below }: PlanRunPlace, call: Omit<SentCall, "run">): void => {
    const known = runs.get(run) ?? { below: [], sent: [] };
    runs.set(run, known);
    if (below !== "" && !known.below.includes(below)) known.below.push(below);
    // 0 is the run's own agent, also when it never asks a model itself.
    const noted = { ...call, messages: [...call.messages], run: below === "" ? 0 : known.below.indexOf(below) + 1 };
    known.sent.push(noted);
    sent.push(noted);
  };
  const complete: Model["complete"] extends (...asked: infer Asked) => infer Answer
    ? (workflowId: string, ...asked: Asked) => Answer
    : never = (workflowId, call, options) => {
    const place = planRunPlace(workflowId);
    if ((call.attempt ?? 1) === 1) note(place, call);
    const { run, below, task_id } = place;
    const asking = { run: `${run}${below}`, task_id, agent: below === "" ? call.agent : NOT_THE_ROOT };
    return script.modelFor(asking, delay).complete(call, options);
  };
  return {
    ...stubbed(scenario.tools),
    // No agent of a plan has a listener.
    ...keepingChunks({}),
    complete,
    prices: scenario.prices as Scene["prices"],
    sent,
    runs: () => [...runs].map(([id, { sent }]) => ({ run: { id }, sent })),
  };
}

/** No agent is called so. */
const NOT_THE_ROOT = "";
