import { randomUUID } from "node:crypto";
import { NavigatorClient } from "../../src/client/client";
import type { AgentTool } from "../../src/core/agent/definition/definition";
import { alternate, type Sample } from "../measure";
import { turns } from "../missions";
import type { Row } from "../report";
import type { HandWrittenPlan } from "../workflows/hand-written";
import type { Comparison, Context } from "./context";

const INDEPENDENT = 50;
const CHAIN = 20;
/** What each task does: one model call, one tool call. */
const task = turns(1);

/** Plans beside a parent workflow written by hand, whose children do the same work. */
export const plan: Comparison = {
  name: "plan",
  about: `a plan of ${INDEPENDENT} independent tasks, and a chain of ${CHAIN}`,
  missions: [task],
  run: async (context) => [...(await rowsOf(context, INDEPENDENT, false)), ...(await rowsOf(context, CHAIN, true))],
};

async function rowsOf(context: Context, count: number, chain: boolean): Promise<Row[]> {
  const { setting, quick } = context;
  const [ours, theirs] = [setting.queue("plan"), setting.queue("plan-by-hand")];
  const workers = await Promise.all([setting.worker("navigator", ours), setting.worker("by-hand", theirs)]);
  const navigator = new NavigatorClient(setting.client, ours);
  const tasks = Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    agent: task.name,
    input: `Do ${i}`,
    ...(chain && i > 0 ? { depends_on: [`t${i - 1}`] } : {}),
  }));
  const agents = { [task.name]: { prompt: "Do the benchmark's work.", tools: ["touch"] } };
  const options = { llm: "scripted", base_tools: task.agent.tools as AgentTool[], max_concurrency: 10 };
  const byHand: HandWrittenPlan = { tasks: count, chain, at_once: 10, task: task.byHand };
  try {
    const { ours: a, theirs: b } = await alternate(quick ? 2 : 7, {
      ours: () =>
        timed(async () => {
          const result = await (await navigator.startPlan({ plan: { agents, tasks }, options })).result();
          if (result.status !== "ok") throw new Error(`The plan ended with ${result.status}.`);
        }),
      theirs: () =>
        timed(async () => {
          await setting.client.workflow.execute("handWrittenPlan", {
            workflowId: `plan-by-hand/${randomUUID()}`,
            taskQueue: theirs,
            args: [byHand],
          });
        }),
    });
    const what = chain ? `plan: a chain of ${count} tasks` : `plan: ${count} independent tasks`;
    return [
      {
        what,
        unit: "ms",
        ours: a.ms,
        theirs: b.ms,
        against: "by hand, child workflows",
        aim: { times: chain ? 1.25 : 1 },
      },
    ];
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function timed(work: () => Promise<void>): Promise<Sample> {
  const before = performance.now();
  await work();
  return { ms: performance.now() - before, events: 0, bytes: 0 };
}
