import type { WorkflowHandle } from "@temporalio/client";
import { median } from "../measure";
import { parked } from "../missions";
import { byHandStart, navigatorStart, type Start } from "../run-mission";
import { untilParked } from "../until-parked";
import type { SideName } from "../worker-process";
import type { Comparison, Context } from "./context";
import { BY_HAND } from "./pair";

const mission = parked();
/** Parked before the first weighing, so that what a worker loads once is not counted. */
const WARM_UP = 100;
/** Started at a time: enough to keep both processes busy, too few to time out. */
const AT_ONCE = 20;

export const memory: Comparison = {
  name: "memory",
  about: "worker memory of a mission that waits for a person",
  slow: true,
  missions: [mission],
  async run(context) {
    const count = context.quick ? 100 : 1000;
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 1; round <= (context.quick ? 1 : 2); round++) {
      context.progress(`  ${count} parked missions on each side, round ${round} ...`);
      ours.push(await weigh(context, "navigator", count));
      theirs.push(await weigh(context, "by-hand", count));
    }
    const what = `worker memory a parked mission (${count})`;
    return [{ what, unit: "KiB", ours: median(ours), theirs: median(theirs), against: BY_HAND, aim: { times: 0.5 } }];
  },
};

/** KiB by which a worker process grows for each of `count` missions that are parked in it. */
async function weigh({ setting }: Context, side: SideName, count: number): Promise<number> {
  const queue = setting.queue(`memory-${side}`);
  const worker = await setting.worker(side, queue, { cached: count + WARM_UP + 10 });
  const start: Start =
    side === "navigator"
      ? navigatorStart(setting.client, queue)
      : byHandStart(setting.client, queue, { workflow: "handWrittenParked" });
  const handles: WorkflowHandle[] = [];
  const parkMore = async (many: number) => {
    for (let done = 0; done < many; done += AT_ONCE) {
      const some = await Promise.all(Array.from({ length: Math.min(AT_ONCE, many - done) }, () => start(mission)));
      handles.push(...some);
      await Promise.all(some.map((handle) => untilParked(handle)));
    }
  };
  await parkMore(WARM_UP);
  const before = await worker.memory();
  await parkMore(count);
  const after = await worker.memory();
  await worker.kill();
  for (let done = 0; done < handles.length; done += 50)
    await Promise.all(handles.slice(done, done + 50).map((handle) => handle.terminate()));
  return (after - before) / count / 1024;
}
