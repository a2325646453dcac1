import { median, takeTurns } from "../measure";
import { type BenchMission, toolChain, turns } from "../missions";
import type { Row } from "../report";
import { refuseFailure, type Start } from "../run-mission";
import type { Comparison, Context } from "./context";
import { BY_HAND, side } from "./pair";

const AGENTS = 100;
const CALLS = 5;
const chain = toolChain(CALLS, "touch");
const single = turns(1);

/** How many agents a worker carries through when they all come at once. */
export const agents: Comparison = {
  name: "agents",
  about: `${AGENTS} agents at once, each with ${CALLS} effects in one program, or with one`,
  slow: true,
  missions: [chain, single],
  run: async (context) => [
    ...(await rowsOf(context, chain, `${AGENTS} agents at once, ${CALLS} effects each`)),
    ...(await rowsOf(context, single, `${AGENTS} agents at once, one call each`)),
  ],
};

async function rowsOf(context: Context, mission: BenchMission, what: string): Promise<Row[]> {
  const [ours, theirs] = await Promise.all([side(context, "navigator"), side(context, "by-hand")]);
  try {
    const rates = await takeTurns(context.quick ? 1 : 5, {
      ours: () => perSecond(ours.start, mission),
      theirs: () => perSecond(theirs.start, mission),
    });
    const [a, b] = [median(rates.ours), median(rates.theirs)];
    return [{ what, unit: "per s", ours: a, theirs: b, against: BY_HAND, aim: { at_least_times: 1 } }];
  } finally {
    await Promise.all([ours.worker.stop(), theirs.worker.stop()]);
  }
}

/** Agents per second, from the first start to the last result. */
async function perSecond(start: Start, mission: BenchMission): Promise<number> {
  const before = performance.now();
  const results = await Promise.all(Array.from({ length: AGENTS }, async () => (await start(mission)).result()));
  const seconds = (performance.now() - before) / 1_000;
  for (const result of results) refuseFailure(mission, result);
  return AGENTS / seconds;
}
