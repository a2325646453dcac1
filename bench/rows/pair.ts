import { alternate, type Sample } from "../measure";
import type { BenchMission } from "../missions";
import { processCpu } from "../process-cpu";
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
    const server = context.setting.serverPid;
    const round = async ({ start, worker }: typeof ours): Promise<Sample> => {
      const before = { worker: processCpu(worker.pid), server: processCpu(server) };
      const sample = await timed(start, mission);
      return {
        ...sample,
        worker_cpu: processCpu(worker.pid) - before.worker,
        server_cpu: processCpu(server) - before.server,
      };
    };
    return await alternate(options.rounds, { ours: () => round(ours), theirs: () => round(theirs) });
  } finally {
    await Promise.all([ours.worker.stop(), theirs.worker.stop()]);
  }
}

export const BY_HAND = "by hand";

/** The lines that every pair gives: time, events, bytes, and the CPU of worker and server. */
export function pairRows(
  what: string,
  { ours, theirs }: { ours: Sample; theirs: Sample },
  aims: { ms?: Row["aim"]; events?: Row["aim"] } = {},
  against = BY_HAND,
): Row[] {
  const row = (key: keyof Sample, line: string, unit: Row["unit"], aim?: Row["aim"]): Row => ({
    what: line,
    unit,
    ours: ours[key] ?? null,
    theirs: theirs[key] ?? null,
    against,
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row("ms", what, "ms", aims.ms),
    row("events", "  history events", "events", aims.events),
    row("bytes", "  history bytes", "bytes"),
    row("worker_cpu", "  CPU of the worker", "ms"),
    row("server_cpu", "  CPU of the server", "ms"),
  ];
}
