import { NavigatorClient } from "../../src/client/client";
import { atOnce } from "../../src/client/tasks/concurrency";
import { ATTRIBUTE } from "../../src/core/base/search-attributes";
import type { Setting } from "../setting";
import { untilParked } from "../until-parked";
import { agentOf, check, progress, tell } from "./facts";

/** Missions of each tenth that are woken at the end: most are in no memory any more. */
const WOKEN_OF_A_TENTH = 3;
/** By so much a worker may grow after the first fifth, however many missions park. */
const MAX_GROWTH = 1.25;

/**
 * Very many missions that wait for a person, all on one worker that keeps at most `cached` of them in memory. They are started
 * in waves, and a wave begins when the one before is parked.
 */
export async function manyParked(setting: Setting, count: number, cached: number): Promise<void> {
  const queue = setting.queue("parked");
  const worker = await setting.worker("navigator", queue, { cached });
  const client = new NavigatorClient(setting.client, queue);
  const agent = agentOf("flooded", { tools: [] });
  const prefix = `parked-${Date.now()}`;
  const start = (i: number) => client.startAgent({ id: `${prefix}-${i}`, agent, model: "scripted" });
  const waiting = async () => {
    const query = `TaskQueue = "${queue}" AND ${ATTRIBUTE.status} = "WAITING"`;
    return (await client.temporal.workflow.count(query)).count;
  };
  const memory: number[] = [];
  const started = Date.now();
  for (let tenth = 0; tenth < 10; tenth++) {
    const ids = numbers(Math.floor((count * tenth) / 10), Math.floor((count * (tenth + 1)) / 10));
    for (let at = 0; at < ids.length; at += WAVE) {
      const wave = ids.slice(at, at + WAVE);
      await atOnce(wave, start);
      // To count them all would cost the server more the more there are.
      await atOnce(wave, (i) => untilParked(client.agent(`${prefix}-${i}`).workflow));
    }
    while ((await waiting()) <= (ids.at(-1) ?? -1)) await pause();
    memory.push(await worker.memory());
    progress(`${(ids.at(-1) ?? -1) + 1} parked, ${mib(memory.at(-1) as number)} MiB, ${seconds(started)} s`);
  }
  const parkedFor = seconds(started);
  const some = Array.from({ length: 10 * WOKEN_OF_A_TENTH }, (_, i) =>
    Math.floor((i * (count - 1)) / (10 * WOKEN_OF_A_TENTH - 1)),
  );
  const woken: number[] = [];
  for (const i of new Set(some)) {
    const run = client.agent(`${prefix}-${i}`);
    const before = performance.now();
    await run.recordDecision({ id: "ok", value: "yes", by: "anna" });
    check((await run.result()).return === "yes", `mission ${i} takes its decision`);
    woken.push(performance.now() - before);
  }
  await worker.stop();
  const [early, late] = [memory[1] as number, memory.at(-1) as number];
  tell("missions that wait for a person, on one worker", {
    missions: count,
    "kept in memory": cached,
    "seconds until all were parked": parkedFor,
    "MiB of the worker, after each tenth": memory.map(mib).join(", "),
    "missions woken at the end": woken.length,
    "ms from the decision to the end, longest": Math.max(...woken).toFixed(0),
  });
  check(
    late <= early * MAX_GROWTH,
    `the worker does not grow: ${mib(early)} MiB after a fifth, ${mib(late)} at the end`,
  );
}

/** Started before all of them must be parked. */
const WAVE = 500;

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const seconds = (since: number) => ((Date.now() - since) / 1_000).toFixed(0);
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
