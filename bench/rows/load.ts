import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { NavigatorClient } from "../../src/client/client";
import { atOnce } from "../../src/client/tasks/concurrency";
import { TaskService } from "../../src/client/tasks/task-service";
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
  /** ms until a task answers that somebody else starts meanwhile. */
  others: number;
}

/** Time between the tasks that somebody else starts. */
const OTHERS_EVERY_MS = 200;

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
          return timed(count, {
            start: () => taskService.loadTasks(tasks, "merge"),
            answer: () => taskService.advance(ids.at(-1) as string, {}),
            other: async () => {
              const id = `other-${randomUUID()}`;
              loaded.push(id);
              await taskService.loadTasks([{ id, issueId: id, workflowType: "loaded" }], "merge");
              await taskService.advance(id, {});
            },
          });
        },
        theirs: async () => {
          const ids = Array.from({ length: count }, () => `by-hand/${randomUUID()}`);
          const others: string[] = [];
          const start = (workflowId: string) =>
            setting.client.workflow.start("handWrittenTask", { workflowId, taskQueue: bareQueue });
          const last = setting.client.workflow.getHandle(ids.at(-1) as string);
          const sample = await timed(count, {
            start: () => atOnce(ids, start),
            answer: () => last.executeUpdate("move", { args: ["passed"] }),
            other: async () => {
              const id = `by-hand/${randomUUID()}`;
              others.push(id);
              await (await start(id)).executeUpdate("move", { args: ["passed"] });
            },
          });
          await atOnce([...ids, ...others], (id) => setting.client.workflow.getHandle(id).terminate());
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
        row("  a task of somebody else meanwhile", "others"),
      ];
    } finally {
      // The queue of the rows that follow has none of these.
      await atOnce(loaded, (id) => client.task(id).workflow.terminate());
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  },
};

interface Work {
  start(): Promise<unknown>;
  answer(): Promise<unknown>;
  other(): Promise<void>;
}

async function timed(count: number, { start, answer, other }: Work): Promise<Load> {
  const before = performance.now();
  let isStarted = false;
  const waits: number[] = [];
  const others = async () => {
    while (!isStarted) {
      const begun = performance.now();
      await other();
      waits.push(performance.now() - begun);
      await sleep(OTHERS_EVERY_MS);
    }
  };
  const each = () => (performance.now() - before) / count;
  const list = async () => {
    await start().finally(() => {
      isStarted = true;
    });
    const started = each();
    await answer();
    return { started, served: each() };
  };
  const [listed] = await Promise.all([list(), others()]);
  return { ...listed, others: median(waits) };
}
