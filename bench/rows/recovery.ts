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
  /** On Navigator's side: the worker keeps its calls on disk, as that of the command line does. */
  keeps?: boolean;
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
    ...(await recoveryRows(context, write, { what: "killed in an activity", aim_s: 1.2 })),
    ...(await recoveryRows(context, read, { what: "killed in a local activity", aim_s: 2 })),
  ],
};

async function recoveryRows(
  context: Context,
  mission: BenchMission,
  { what, aim_s }: { what: string; aim_s: number },
): Promise<Row[]> {
  const local = mission === read;
  const ours: Recovery[] = [];
  const tuned: Recovery[] = [];
  for (let round = 1; round <= (context.quick ? 1 : 5); round++) {
    context.progress(`  ${what}, round ${round} ...`);
    ours.push(await recover(context, { side: "navigator", tuned: true, mission, local }));
    tuned.push(await recover(context, { side: "by-hand", tuned: true, mission, local }));
  }
  const seconds = (runs: Recovery[], part: Part) => median(runs.map(part)) / 1000;
  const row = (theirs: Recovery[], against: string, part: Part = whole, mine = ours): Row => ({
    what,
    unit: "s",
    ours: seconds(mine, part),
    theirs: seconds(theirs, part),
    against,
  });
  const rows = [
    { ...row(tuned, "by hand, tuned"), aim: { at_most: aim_s } },
    { ...row(tuned, "by hand, tuned", ({ start }) => start), what: "  of it: the process starts", aim: { times: 1 } },
    { ...row(tuned, "by hand, tuned", ({ ms, start }) => ms - start), what: "  of it: from then on" },
  ];
  if (context.quick) return rows;
  context.progress(`  ${what}, default settings (up to a minute) ...`);
  const plain = await recover(context, { side: "by-hand", tuned: false, mission, local });
  const forgetful = await recover(context, { side: "navigator", tuned: true, keeps: false, mission, local });
  return [
    ...rows,
    row([plain], "by hand, defaults"),
    { ...row(tuned, "by hand, tuned", whole, [forgetful]), what: "  without a folder for calls" },
  ];
}

type Part = (run: Recovery) => number;
const whole: Part = ({ ms }) => ms;

async function recover({ setting }: Context, victim: Victim): Promise<Recovery> {
  const { side, tuned, mission, local, keeps = true } = victim;
  const queue = setting.queue(`recovery-${side}`);
  const dying = await setting.worker(side, queue, { tuned, keeps, hold: true });
  const inTool = dying.next("in_tool");
  const start: Start =
    side === "navigator" ? navigatorStart(setting.client, queue) : byHandStart(setting.client, queue, { tuned, local });
  const handle = await start(mission);
  await inTool;
  await dying.kill();
  const before = performance.now();
  const replacement = await setting.worker(side, queue, { tuned, keeps });
  const ready = performance.now();
  await handle.result();
  const end = performance.now();
  await replacement.stop();
  return { ms: end - before, start: ready - before };
}
