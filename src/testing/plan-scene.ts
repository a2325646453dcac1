import { type PlanRunPlace, planRunPlace } from "../core/base/ids";
import type { Model } from "../models/model";
import { delay } from "../node/delay";
import { keepingChunks } from "../simulate/chunk-recorder";
import type { SentCall } from "../simulate/memory-host";
import { PlanScript } from "../simulate/plan-script";
import type { PlanScenario } from "../simulate/simulate-plan";
import { type Scene, stubbed } from "./scene";

/** The world of a plan: one script for all of its runs. */
export interface PlanScene extends Scene {
  /** What the models of each run were sent. */
  runs(): { run: { id: string }; sent: SentCall[] }[];
}

export function sceneOfPlan(scenario: PlanScenario): PlanScene {
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
