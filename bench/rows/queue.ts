import { NavigatorClient } from "../../src/client/client";
import { TaskService } from "../../src/client/tasks/task-service";
import { median } from "../measure";
import type { Row } from "../report";
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
const LIMIT = 5;
/** Many of each priority, as in a real backlog. */
const PRIORITIES = 20;

/** What a question for the next tasks costs as the queue grows: time, and calls to Visibility. */
export const queue: Comparison = {
  name: "queue",
  about: "the next 5 tasks of a queue of 100, 1,000 and 10,000 pending ones",
  slow: true,
  missions: [],
  async run({ setting, quick, progress }) {
    const taskQueue = TASKS_QUEUE;
    const worker = await setting.worker("navigator", taskQueue);
    const taskService = new TaskService(new NavigatorClient(setting.client, taskQueue));
    await taskService.loadWorkflow("queued", GRAPH);
    const rows: Row[] = [];
    let loaded = 0;
    for (const size of quick ? [100, 500, 2_000] : [100, 1_000, 10_000]) {
      progress(`  ${size} pending ...`);
      const tasks = Array.from({ length: size - loaded }, (_, i) => task(loaded + i));
      for (let at = 0; at < tasks.length; at += 1_000)
        await taskService.loadTasks(tasks.slice(at, at + 1_000), "merge");
      loaded = size;
      // Another task service: this one would add its own writes of a moment ago to the list.
      const asking = new TaskService(new NavigatorClient(setting.client, taskQueue));
      await asking.nextTasks(LIMIT);
      const { calls } = asking.visibility;
      const times: number[] = [];
      for (let round = 0; round < 20; round++) {
        const before = performance.now();
        await asking.nextTasks(LIMIT);
        times.push(performance.now() - before);
      }
      const again = (asking.visibility.calls - calls) / times.length;
      rows.push({
        what: `next ${LIMIT} of ${size} pending`,
        unit: "ms",
        ours: median(times),
        theirs: rows[0]?.ours ?? null,
        against: "",
        note: `${rows.length === 0 ? "" : "the smallest queue; "}${calls} Visibility calls the first time, then ${again.toFixed(0)}`,
      });
    }
    await worker.stop();
    return rows;
  },
};

const task = (i: number) => ({
  id: `queued-${i}`,
  issueId: `Q-${i}`,
  workflowType: "queued",
  currentStep: "work",
  priority: (i * 7919) % PRIORITIES,
});
