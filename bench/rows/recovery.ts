import { median } from "../measure";
import { type BenchMission, held } from "../missions";
import type { Row } from "../report";
import { byHandStart, navigatorStart, type Start } from "../run-mission";
import type { SideName } from "../worker-process";
import type { Comparison, Context } from "./context";

const write = held("hold");
const read = held("hold_read");

interface Victim {
  side: SideName;
  tuned: boolean;
  mission: BenchMission;
  /** On the hand-written side: the tool as a local activity. */
  local: boolean;
}

interface Recovery {
  /** The replacement's start to the mission's end. */
  ms: number;
  /** The part of it until the replacement said that it is ready. */
  start: number;
}

/** A worker is killed (SIGKILL) in the middle of a tool call, another is started at once. */
export const recovery: Comparison = {
  name: "recovery",
  about: "time from a killed worker's replacement to the mission's end",
  missions: [write, read],
  run: async (context) => [
    ...(await recoveryRows(context, write, "killed in an activity")),
    ...(await recoveryRows(context, read, "killed in a local activity")),
  ],
};

async function recoveryRows(context: Context, mission: BenchMission, what: string): Promise<Row[]> {
  const local = mission === read;
  const ours: Recovery[] = [];
  const tuned: Recovery[] = [];
  for (let round = 1; round <= (context.quick ? 1 : 5); round++) {
    context.progress(`  ${what}, round ${round} ...`);
    ours.push(await recover(context, { side: "navigator", tuned: true, mission, local }));
    tuned.push(await recover(context, { side: "by-hand", tuned: true, mission, local }));
  }
  context.progress(`  ${what}, default settings (up to a minute) ...`);
  const plain = await recover(context, { side: "by-hand", tuned: false, mission, local });
  const seconds = (runs: Recovery[], part: keyof Recovery) => median(runs.map((run) => run[part])) / 1000;
  const row = (theirs: Recovery[], against: string, part: keyof Recovery = "ms"): Row => ({
    what,
    unit: "s",
    ours: seconds(ours, part),
    theirs: seconds(theirs, part),
    against,
  });
  return [
    { ...row(tuned, "by hand, tuned"), aim: { at_most: 4 } },
    row([plain], "by hand, defaults"),
    { ...row(tuned, "by hand, tuned", "start"), what: "  of it: the process starts" },
  ];
}

async function recover({ setting }: Context, victim: Victim): Promise<Recovery> {
  const { side, tuned, mission, local } = victim;
  const queue = setting.queue(`recovery-${side}`);
  const dying = await setting.worker(side, queue, { tuned, hold: true });
  const inTool = dying.next("in_tool");
  const start: Start =
    side === "navigator" ? navigatorStart(setting.client, queue) : byHandStart(setting.client, queue, { tuned, local });
  const handle = await start(mission);
  await inTool;
  await dying.kill();
  const before = performance.now();
  const replacement = await setting.worker(side, queue, { tuned });
  const ready = performance.now();
  await handle.result();
  const end = performance.now();
  await replacement.stop();
  return { ms: end - before, start: ready - before };
}
