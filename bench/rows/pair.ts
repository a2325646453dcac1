import { alternate, type Sample } from "../measure";
import type { BenchMission } from "../missions";
import type { Row } from "../report";
import { type ByHandOptions, byHandStart, navigatorStart, type Start, timed } from "../run-mission";
import type { SideName } from "../worker-process";
import type { Context } from "./context";

/** A running worker of one side, and the way to start missions on it. */
export async function side({ setting }: Context, name: SideName, byHand: ByHandOptions = {}) {
  const queue = setting.queue(name);
  const worker = await setting.worker(name, queue);
  const start: Start =
    name === "navigator" ? navigatorStart(setting.client, queue) : byHandStart(setting.client, queue, byHand);
  return { worker, start };
}

/** The same mission on both sides, in turn, each with a worker process of its own. */
export async function pair(
  context: Context,
  mission: BenchMission,
  options: { rounds: number; byHand?: ByHandOptions },
): Promise<{ ours: Sample; theirs: Sample }> {
  const [ours, theirs] = await Promise.all([side(context, "navigator"), side(context, "by-hand", options.byHand)]);
  try {
    return await alternate(options.rounds, {
      ours: () => timed(ours.start, mission),
      theirs: () => timed(theirs.start, mission),
    });
  } finally {
    await Promise.all([ours.worker.stop(), theirs.worker.stop()]);
  }
}

export const BY_HAND = "by hand";

/** The three lines that every pair gives. */
export function pairRows(
  what: string,
  { ours, theirs }: { ours: Sample; theirs: Sample },
  aims: { ms?: Row["aim"]; events?: Row["aim"] } = {},
  against = BY_HAND,
): Row[] {
  const row = (key: keyof Sample, unit: Row["unit"], aim?: Row["aim"]): Row => ({
    what: unit === "ms" ? what : `  ${unit === "events" ? "history events" : "history bytes"}`,
    unit,
    ours: ours[key],
    theirs: theirs[key],
    against,
    ...(aim === undefined ? {} : { aim }),
  });
  return [row("ms", "ms", aims.ms), row("events", "events", aims.events), row("bytes", "bytes")];
}
