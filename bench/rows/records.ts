import { Worker } from "@temporalio/worker";
import { NavigatorClient } from "../../src/client/client";
import { exportRuns } from "../../src/client/history";
import { quietRuntime } from "../../src/testing/quiet";
import { workflowCode } from "../../src/worker/worker-parts";
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
  slow: true,
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
      await killed(context, missions.at(-1) as BenchMission),
    ];
  },
};

/** The same mission with its worker killed (SIGKILL) in the middle: it must end with every record, and call each tool once. */
async function killed({ setting, progress }: Context, mission: BenchMission): Promise<Row> {
  progress(`  ${mission.name}, killed in the middle ...`);
  const queue = setting.queue("records");
  const dying = await setting.worker("navigator", queue);
  const handle = await navigatorStart(setting.client, queue)(mission);
  const run = new NavigatorClient(setting.client, queue).agent(handle.workflowId);
  const middle = mission.script.length / 2;
  while ((await run.status()).turn < middle) await new Promise((resolve) => setTimeout(resolve, 20));
  await dying.kill();
  const before = performance.now();
  const replacement = await setting.worker("navigator", queue);
  const ready = performance.now();
  while ((await run.status()).turn <= middle) await new Promise((resolve) => setTimeout(resolve, 20));
  const back = performance.now();
  const step = await run.result();
  await replacement.stop();
  const records = Object.keys(step.journal ?? {}).length;
  if (step.fail !== null || records !== mission.commits)
    throw new Error(`${mission.name}: ${records} records, failure ${JSON.stringify(step.fail)}.`);
  const histories = (await exportRuns(setting.client, handle.workflowId)) as unknown as { events: HistoryEvent[] }[];
  const events = histories.flatMap((history) => history.events);
  const calls = events.filter(({ activityTaskScheduledEventAttributes: a }) => a?.activityType.name === "callTool");
  if (calls.length !== mission.commits / 5)
    throw new Error(`${mission.name}: ${calls.length} tool calls were scheduled.`);
  const lost = events.filter(({ eventType }) => eventType.endsWith("WORKFLOW_TASK_TIMED_OUT")).length;
  return {
    what: "killed in the middle, until its next turn",
    unit: "ms",
    ours: back - before,
    theirs: ready - before,
    against: `until the new worker is ready; ${lost} timeouts`,
  };
}

interface HistoryEvent {
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
}

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
    runs: await cpuOf(handle.workflowId, histories),
    events: histories.reduce((sum, { events }) => sum + events.length, 0),
    bytes: histories.reduce((sum, history) => sum + JSON.stringify(history).length, 0),
  };
}

/** CPU of this process for the replay of each history, ms. The first one is replayed twice: code gets warm. */
async function cpuOf(workflowId: string, histories: { events: unknown[] }[]): Promise<number[]> {
  quietRuntime();
  const jobs = [histories[0], ...histories].map((history) => ({ workflowId, history }));
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
