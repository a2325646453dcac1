import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { defined } from "../../src/core/base/defined";
import { workflowIdFor } from "../../src/core/base/ids";
import { EffectGuards } from "../../src/simulate/effect-guards";
import type { DeedService } from "./deed-service";
import { type EffectFault, Judgement, judge } from "./judge";
import { deedName, type EffectMission, type MeantDeed } from "./missions/mission";
import { type EffectRun, runMissionInMemory } from "./run-in-memory";

/** Two missions that run beside each other and share their effects. */
export type Pair = EffectMission & { partner: EffectMission };

const IDS = [workflowIdFor("agent", "proof"), workflowIdFor("agent", "partner")] as const;

/** What a pair came to: each of its missions, and the deeds that both mean. */
export interface PairEnd {
  runs: EffectRun[];
  /** Each without the deeds that both mean. */
  judged: Judgement[];
  shared: Judgement;
}

/** Runs a pair in memory. What both mean is done as often as the one says that means it more often. */
export async function runPairInMemory(pair: Pair, service: DeedService, agent?: AgentDefinition): Promise<PairEnd> {
  const missions = [pair, pair.partner] as const;
  const options = { ...defined({ agent }), guards: new EffectGuards(), others: IDS };
  const runs = await Promise.all(
    missions.map((mission, at) => runMissionInMemory(mission, IDS[at] as string, service, options)),
  );
  const times = missions.map(timesByDeed);
  const both = [...(times[0] as Map<string, number>).keys()].filter((deed) => times[1]?.has(deed));
  const judged = missions.map((mission, at) => {
    const { end } = runs[at] as EffectRun;
    return judge(mission, IDS[at] as string, { service, end }, new Set(both));
  });
  const ended = runs.every(({ end }) => end.failed === null);
  return { runs, judged, shared: judgeShared(both, times, service, ended) };
}

function judgeShared(
  deeds: readonly string[],
  times: readonly Map<string, number>[],
  service: DeedService,
  ended: boolean,
): Judgement {
  const all = new Judgement();
  for (const deed of deeds) {
    const each = times.map((one) => one.get(deed) ?? 0);
    const meant = Math.max(...each);
    const acts = IDS.flatMap((id) => service.actsOf(id, deed));
    all.count(deed, "intended", meant);
    all.count(deed, "done", acts.length);
    const note = (kind: EffectFault["kind"]) =>
      all.faults.push({
        kind,
        text: `"${deed}" was meant ${each.join(" and ")} times by two missions and done ${acts.length} times: ${acts.map(({ mission, key }) => `${key} by ${mission}`).join("; ")}.`,
      });
    if (acts.length > meant) note("repeat");
    if (ended && acts.length < meant) note("loss");
    all.count(deed, "repeats", Math.max(0, acts.length - meant));
    if (ended) all.count(deed, "losses", Math.max(0, meant - acts.length));
  }
  return all;
}

/** How often a mission means each of its deeds. */
function timesByDeed({ stages }: EffectMission): Map<string, number> {
  const times = new Map<string, number>();
  const deeds = stages.flatMap((stage): MeantDeed[] => stage.deeds);
  for (const deed of deeds) times.set(deedName(deed), (times.get(deedName(deed)) ?? 0) + deed.times);
  return times;
}
