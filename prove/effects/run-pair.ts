import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { defined } from "../../src/core/base/defined";
import { workflowIdFor } from "../../src/core/base/ids";
import { EffectGuards } from "../../src/simulate/effect-guards";
import type { EffectService } from "./effect-service";
import { type EffectFault, Judgement, judge } from "./judge";
import { type EffectMission, effectName, type WantedEffect } from "./missions/mission";
import { type EffectRun, runMissionInMemory } from "./run-in-memory";

/** Two missions that run in parallel and share their effects. */
export type Pair = EffectMission & { partner: EffectMission };

const IDS = [workflowIdFor("agent", "proof"), workflowIdFor("agent", "partner")] as const;

/** What a pair came to: each of its missions, and the effects that both mean. */
export interface PairEnd {
  runs: EffectRun[];
  /** Each without the effects that both mean. */
  judged: Judgement[];
  shared: Judgement;
}

/** Runs a pair in memory. What both mean is done as often as in the mission that means it more often. */
export async function runPairInMemory(pair: Pair, service: EffectService, agent?: AgentDefinition): Promise<PairEnd> {
  const missions = [pair, pair.partner] as const;
  const options = { ...defined({ agent }), guards: new EffectGuards(), others: IDS };
  const runs = await Promise.all(
    missions.map((mission, at) => runMissionInMemory(mission, IDS[at] as string, service, options)),
  );
  const times = missions.map(timesByEffect);
  const both = [...(times[0] as Map<string, number>).keys()].filter((effect) => times[1]?.has(effect));
  const judged = missions.map((mission, at) => {
    const { end } = runs[at] as EffectRun;
    return judge(mission, IDS[at] as string, { service, end }, new Set(both));
  });
  const ended = runs.every(({ end }) => end.failed === null);
  return { runs, judged, shared: judgeShared(both, times, service, ended) };
}

function judgeShared(
  effects: readonly string[],
  times: readonly Map<string, number>[],
  service: EffectService,
  ended: boolean,
): Judgement {
  const all = new Judgement();
  for (const effect of effects) {
    const each = times.map((one) => one.get(effect) ?? 0);
    const wanted = Math.max(...each);
    const acts = IDS.flatMap((id) => service.actsOf(id, effect));
    all.count(effect, "intended", wanted);
    all.count(effect, "done", acts.length);
    const note = (kind: EffectFault["kind"]) =>
      all.faults.push({
        kind,
        text: `"${effect}" was wanted ${each.join(" and ")} times by two missions and done ${acts.length} times: ${acts.map(({ mission, key }) => `${key} by ${mission}`).join("; ")}.`,
      });
    if (acts.length > wanted) note("repeat");
    if (ended && acts.length < wanted) note("loss");
    all.count(effect, "repeats", Math.max(0, acts.length - wanted));
    if (ended) all.count(effect, "losses", Math.max(0, wanted - acts.length));
  }
  return all;
}

/** How often a mission means each of its effects. */
function timesByEffect({ stages }: EffectMission): Map<string, number> {
  const times = new Map<string, number>();
  const effects = stages.flatMap((stage): WantedEffect[] => stage.effects);
  for (const effect of effects) times.set(effectName(effect), (times.get(effectName(effect)) ?? 0) + effect.times);
  return times;
}
