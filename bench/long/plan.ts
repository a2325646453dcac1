import { NavigatorClient } from "../../src/client/client";
import type { Setting } from "../setting";
import { check, progress, runsOf, tell } from "./facts";

/** Tasks of one phase. */
const WIDTH = 100;

/** A plan of very many tasks, in phases of 100, each after the whole phase before it. */
export async function manyTasks(setting: Setting, count: number): Promise<void> {
  const queue = setting.queue("plan");
  const worker = await setting.worker("navigator", queue);
  const client = new NavigatorClient(setting.client, queue);
  const tasks = Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    agent: "direct",
    input: `(+ ${i} 1)`,
    ...(i < WIDTH ? {} : { depends_on: [`t${i - WIDTH}`] }),
  }));
  const started = Date.now();
  const plan = await client.startPlan({ plan: { tasks }, options: { max_concurrency: 20 } });
  const end = await plan.result();
  const seconds = (Date.now() - started) / 1_000;
  progress(`${count} tasks in ${seconds.toFixed(0)} s`);
  await worker.stop();
  const results = "results" in end ? Object.values(end.results) : [];
  tell("a plan of many tasks", {
    tasks: count,
    results: results.length,
    "ms a task": ((seconds * 1_000) / count).toFixed(1),
    ...(await runsOf(client, plan.workflow.workflowId)),
  });
  check(results.every((value, i) => value === i + 1) && results.length === count, "each task has given its result");
}
