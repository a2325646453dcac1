import { Worker } from "@temporalio/worker";
import { exportRuns } from "../../src/client/history";
import { quietRuntime } from "../../src/testing/quiet";
import { workflowCode } from "../../src/worker/create-worker";
import { type BenchMission, records as recordsMission } from "../missions";
import type { Row } from "../report";
import { navigatorStart } from "../run-mission";
import type { Comparison, Context } from "./context";

const COUNTS = [2_500, 5_000, 10_000];
const missions = COUNTS.map(recordsMission);

interface Replayed {
  /** CPU of the replay of each run, ms. */
  runs: number[];
  events: number;
  bytes: number;
}

/** Whether a record costs more the more there are, and whether a worker that takes over a run can replay it in time. */
export const records: Comparison = {
  name: "records",
  about: `missions of ${COUNTS.join(", ")} journal records, replayed from their histories`,
  missions,
  async run(context) {
    const replayed: Replayed[] = [];
    for (const mission of missions) replayed.push(await replay(context, mission));
    const [few, , many] = replayed as [Replayed, Replayed, Replayed];
    const longest = Math.max(...many.runs);
    return [
      ...perRecord("ms", replayed, ({ runs }) => runs.reduce((sum, ms) => sum + ms, 0), 1.5),
      ...perRecord("bytes", replayed, ({ bytes }) => bytes, 1.2),
      ...perRecord("events", replayed, ({ events }) => events, 1.1),
      {
        what: `longest replay of ${many.runs.length} runs`,
        unit: "ms",
        ours: longest,
        theirs: Math.max(...few.runs),
        against: `${COUNTS[0]} records`,
        aim: { at_most: 2_000 },
      },
    ];
  },
};

/** A thousand records of the larger missions beside a thousand of the smallest. */
function perRecord(unit: Row["unit"], all: Replayed[], of: (one: Replayed) => number, times: number): Row[] {
  const thousand = all.map((one, i) => (of(one) / (COUNTS[i] as number)) * 1_000);
  return thousand.slice(1).map((ours, i) => ({
    what: `${unit === "ms" ? "replay of " : ""}1,000 of ${COUNTS[i + 1]} records`,
    unit,
    ours,
    theirs: thousand[0] as number,
    against: `of ${COUNTS[0]}`,
    aim: { times },
  }));
}

async function replay({ setting, progress }: Context, mission: BenchMission): Promise<Replayed> {
  progress(`  ${mission.name} ...`);
  const queue = setting.queue("records");
  const worker = await setting.worker("navigator", queue);
  const handle = await navigatorStart(setting.client, queue)(mission);
  await handle.result();
  await worker.stop();
  const histories = (await exportRuns(setting.client, handle.workflowId)) as { events: unknown[] }[];
  return {
    runs: await cpuOf(histories),
    events: histories.reduce((sum, { events }) => sum + events.length, 0),
    bytes: histories.reduce((sum, history) => sum + JSON.stringify(history).length, 0),
  };
}

/** CPU of this process for the replay of each history, ms. The first one is replayed twice: code gets warm. */
async function cpuOf(histories: { events: unknown[] }[]): Promise<number[]> {
  quietRuntime();
  const jobs = [histories[0], ...histories].map((history, i) => ({ workflowId: `replay-${i}`, history }));
  const used: number[] = [];
  let before = process.cpuUsage();
  for await (const { error } of Worker.runReplayHistories(workflowCode(), jobs)) {
    if (error) throw error;
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    used.push((user + system) / 1_000);
  }
  return used.slice(1);
}
