import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import { openOwnServer } from "../../prove/rig/own-server";
import { NavigatorClient } from "../../src/client/client";
import { TaskService } from "../../src/client/tasks/task-service";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { temporaryFolder } from "../support/environment";
import { until } from "../support/until";

/**
 * A tree of tasks is worked off while its worker and its server are killed in turn, without a word: no task, no record and
 * no definition is lost, and no move happens twice. Calls are sent again with the step they are meant for.
 */
const GRAPH = {
  nodes: {
    start: { type: "start" },
    design: { type: "task", name: "Design" },
    split: { type: "fork", join: "merge" },
    left: { type: "task", name: "Left" },
    right: { type: "task", name: "Right" },
    merge: { type: "join", fork: "split" },
    review: { type: "gate", name: "Review", maxRetries: 2 },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "design" },
    { from: "design", to: "split" },
    { from: "split", to: "left" },
    { from: "split", to: "right" },
    { from: "left", to: "merge" },
    { from: "right", to: "merge" },
    { from: "merge", to: "review" },
    { from: "review", to: "done", on: "passed" },
    { from: "review", to: "design", on: "failed" },
    { from: "review", to: "stuck", on: "failed" },
  ],
};
const TASKS = 4;
/** Of one task: fails its review once, so it goes round twice. Branches: the name of the parent's round is in their id. */
const WAY = ["start", "design", "split", "review", "design", "split", "review"];
/** Calls after which something is killed. */
const KILLS: { [call: number]: "worker" | "server" } = {
  5: "worker",
  13: "server",
  22: "worker",
  30: "server",
  35: "worker",
};

test("worker and server are killed in turn: nothing is lost, nothing moves twice", async () => {
  const home = temporaryFolder("tasks-killed");
  const server = await openOwnServer(home.path);
  const project = path.join(__dirname, "..", "..", "examples", "order");
  const launch = () =>
    startWorkerProcess({ config: project, taskQueue: "tasks-killed", env: { TEMPORAL_ADDRESS: server.address } });
  let worker = await launch();
  const connection = await Connection.connect({ address: server.address });
  // Another task service for each call, so that none can use what it remembers.
  const taskService = () => new TaskService(new NavigatorClient(new Client({ connection }), "tasks-killed"));

  const kill = async (what: "worker" | "server") => {
    if (what === "worker") {
      process.kill(worker.pid, "SIGKILL");
      worker = await launch();
    } else await server.kill();
  };
  try {
    await taskService().loadWorkflow("killed", GRAPH);
    const tasks = Array.from({ length: TASKS }, (_, i) => ({ id: `k${i}`, issueId: `K-${i}`, workflowType: "killed" }));
    await taskService().loadTasks(tasks, "replace");

    let calls = 0;
    const killing: Promise<void>[] = [];
    const failures = new Set<string>();
    const step = async (id: string, expectedStep: string, result?: string) => {
      calls += 1;
      const what = KILLS[calls];
      // While the call is under way.
      if (what) killing.push(kill(what));
      for (const until = Date.now() + 240_000; ; ) {
        try {
          return await taskService().advance(id, { expectedStep, ...(result === undefined ? {} : { result }) });
        } catch (error) {
          // It was done, though nobody could say so.
          if (error instanceof NavigatorError && ["step_changed", "task_closed"].includes(error.code)) return;
          if (Date.now() > until) throw error;
          failures.add(error instanceof NavigatorError ? error.code : String(error));
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }
    };
    const at = (id: string, where: string) =>
      until(async () => (await taskService().task(id)).currentStep === where, `${id} is at ${where}`);

    for (const { id } of tasks) {
      await step(id, "start");
      for (const [round, result] of [
        ["", "failed"],
        ["~2", "passed"],
      ] as const) {
        await step(id, "design");
        await step(`${id}/left${round}`, "left");
        await step(`${id}/right${round}`, "right");
        await at(id, "review");
        await step(id, "review", result);
      }
    }
    await Promise.all(killing);
    expect(killing).toHaveLength(Object.keys(KILLS).length);
    // What a caller hears meanwhile is one of these, never a success that was none.
    for (const code of failures) expect(["server_error", "no_worker", "task_not_found"]).toContain(code);

    for (const { id } of tasks) {
      const task = await taskService().task(id);
      expect({ id, status: task.status, way: task.history.map((entry) => entry.step) }).toEqual({
        id,
        status: "COMPLETED",
        way: WAY,
      });
      expect(task.retryCount).toBe(1);
    }
    const { pending } = await taskService().pendingSyncs();
    const of = (id: string) => pending.filter(({ taskId }) => taskId === id).map(({ previousStep }) => previousStep);
    for (const { id } of tasks) {
      expect(of(id)).toEqual(WAY);
      for (const branch of ["left", "right", "left~2", "right~2"]) expect(of(`${id}/${branch}`)).toHaveLength(1);
    }
    expect((await taskService().workflow("killed")).version).toBe(1);
  } finally {
    await connection.close();
    await worker.stop();
    await server.stop();
    home.remove();
  }
});
