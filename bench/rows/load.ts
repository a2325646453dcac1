import { randomUUID } from "node:crypto";
import { NavigatorClient } from "../../src/client/client";
import { atOnce } from "../../src/queue/concurrency";
import { TaskService } from "../../src/queue/task-service";
import { median, takeTurns } from "../measure";
import { type Comparison, TASKS_QUEUE } from "./context";

const GRAPH = {
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done" },
  ],
};
/** At least 90 % of what the other side starts in the same time. */
const AIM = { times: 1 / 0.9 };

/** ms a task until all are started, and until the last one has answered a message. */
interface Load {
  started: number;
  served: number;
}

/** A list of tasks that is loaded, beside as many plain starts of a workflow that does nothing yet. */
export const load: Comparison = {
  name: "load",
  about: "a list of tasks that is loaded, beside plain starts of workflows",
  missions: [],
  async run({ setting, quick }) {
    const count = quick ? 100 : 500;
    const [queue, bareQueue] = [TASKS_QUEUE, setting.queue("bare")];
    const workers = await Promise.all([setting.worker("navigator", queue), setting.worker("by-hand", bareQueue)]);
    const client = new NavigatorClient(setting.client, queue);
    const taskService = new TaskService(client);
    await taskService.loadWorkflow("loaded", GRAPH);
    const loaded: string[] = [];
    try {
      const samples = await takeTurns(quick ? 2 : 3, {
        ours: async () => {
          const ids = Array.from({ length: count }, () => `loaded-${randomUUID()}`);
          loaded.push(...ids);
          const tasks = ids.map((id) => ({ id, issueId: id, workflowType: "loaded" }));
          return timed(
            count,
            () => taskService.loadTasks(tasks, "merge"),
            () => taskService.advance(ids.at(-1) as string, {}),
          );
        },
        theirs: async () => {
          const ids = Array.from({ length: count }, () => `by-hand/${randomUUID()}`);
          const start = (workflowId: string) =>
            setting.client.workflow.start("handWrittenTask", { workflowId, taskQueue: bareQueue });
          const last = setting.client.workflow.getHandle(ids.at(-1) as string);
          const sample = await timed(
            count,
            () => atOnce(ids, start),
            () => last.executeUpdate("move", { args: ["passed"] }),
          );
          await atOnce(ids, (id) => setting.client.workflow.getHandle(id).terminate());
          return sample;
        },
      });
      const row = (what: string, key: keyof Load) => ({
        ...{ what, unit: "ms" as const, against: "plain starts, 32 at once" },
        ours: median(samples.ours.map((sample) => sample[key])),
        theirs: median(samples.theirs.map((sample) => sample[key])),
      });
      return [
        { ...row(`${count} tasks loaded: each`, "started"), aim: AIM },
        row("  each, until the last one answers", "served"),
      ];
    } finally {
      // The queue of the rows that follow has none of these.
      await atOnce(loaded, (id) => client.task(id).workflow.terminate());
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  },
};

async function timed(count: number, start: () => Promise<unknown>, answer: () => Promise<unknown>): Promise<Load> {
  const before = performance.now();
  await start();
  const started = (performance.now() - before) / count;
  await answer();
  return { started, served: (performance.now() - before) / count };
}
