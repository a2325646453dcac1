import { randomUUID } from "node:crypto";
import { NavigatorClient } from "../../src/client/client";
import { TaskService } from "../../src/client/tasks/task-service";
import { type McpSide, overHttp, overStdio } from "../mcp-side";
import { median, takeTurns } from "../measure";
import type { Row } from "../report";
import { type Comparison, type Context, TASKS_QUEUE } from "./context";

const GRAPH = {
  nodes: {
    start: { type: "start" },
    one: { type: "task", name: "One" },
    two: { type: "task", name: "Two" },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "one" },
    { from: "one", to: "two", on: "passed" },
    { from: "two", to: "one", on: "passed" },
    { from: "two", to: "done", on: "failed" },
  ],
};
/** Moves of one task: about what a real one takes. */
const MOVES = 20;
const AGAINST = "a bare update";

/** Advances one task some times, one after the other; gives the ms of each. */
type TimedMoves = () => Promise<number[]>;

/** One move of a task, asked for over MCP, beside an update of a workflow that does nothing else. */
export const advance: Comparison = {
  name: "advance",
  about: "advance_task over MCP (HTTP, stdio) and without it, beside a bare Temporal update",
  missions: [],
  async run(context) {
    const { setting, quick } = context;
    const [queue, bareQueue] = [TASKS_QUEUE, setting.queue("bare")];
    const workers = await Promise.all([setting.worker("navigator", queue), setting.worker("by-hand", bareQueue)]);
    const taskService = new TaskService(new NavigatorClient(setting.client, queue));
    await taskService.loadWorkflow("advanced", GRAPH);
    const [http, stdio] = await Promise.all([overHttp(setting, queue), overStdio(setting, queue)]);
    try {
      const samples = await takeTurns(quick ? 5 : 25, {
        http: overMcp(http, taskService),
        stdio: overMcp(stdio, taskService),
        taskService: withoutMcp(taskService),
        bare: bareUpdates(context, bareQueue),
      });
      const middle = (side: keyof typeof samples) => median(samples[side].flat());
      const row = (what: string, ours: number): Row => ({
        ...{ what, unit: "ms", ours, theirs: middle("bare"), against: AGAINST },
      });
      return [
        { ...row("advance_task, MCP over HTTP", middle("http")), aim: { times: 1.3 } },
        { ...row("advance_task, MCP over stdio", middle("stdio")), aim: { times: 1.15 } },
        row("  without MCP", middle("taskService")),
      ];
    } finally {
      await Promise.all([http.close(), stdio.close()]);
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  },
};

const overMcp =
  (side: McpSide, taskService: TaskService): TimedMoves =>
  async () => {
    const taskId = await newTask(taskService);
    const times = await timed(() => side.call("advance_task", { taskId, result: "passed" }));
    await side.call("confirm_sync_for_task", { taskId });
    return times;
  };

const withoutMcp =
  (taskService: TaskService): TimedMoves =>
  async () => {
    const taskId = await newTask(taskService);
    const times = await timed(() => taskService.advance(taskId, { result: "passed" }));
    await taskService.confirmSyncsOfTask(taskId);
    return times;
  };

const bareUpdates =
  ({ setting }: Context, taskQueue: string): TimedMoves =>
  async () => {
    const workflowId = `by-hand/${randomUUID()}`;
    const handle = await setting.client.workflow.start("handWrittenTask", { workflowId, taskQueue });
    await handle.executeUpdate("move", { args: ["passed"] });
    return timed(() => handle.executeUpdate("move", { args: ["passed"] }));
  };

/** One that has begun: its first workflow task is no part of a move. */
async function newTask(taskService: TaskService): Promise<string> {
  const id = `advanced-${randomUUID().slice(0, 8)}`;
  await taskService.loadTasks([{ id, issueId: id, workflowType: "advanced" }], "merge");
  await taskService.advance(id, {});
  return id;
}

async function timed(move: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let moves = 0; moves < MOVES; moves++) {
    const before = performance.now();
    await move();
    times.push(performance.now() - before);
  }
  return times;
}
