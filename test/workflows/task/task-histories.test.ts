import { TestWorkflowEnvironment } from "@temporalio/testing";
import { TaskService } from "../../../src/client/tasks/task-service";
import { newTask } from "../../../src/core/graph/task/task";
import { testCli } from "../../support/environment";
import { newNamespace } from "../../support/namespace";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { openRig, quietRuntime, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf } from "./order-graph";
import { loadGraphs, REVIEWED, TASK_SCENARIOS, taskAgents, taskScript, taskTools } from "./task-scenarios";

/** Every kind of history that tasks of the tree write is replayed, and kept where that is asked for (see record.ts). */
let rig: Rig;
let desk: TaskService;

async function open(options: Parameters<typeof openRig>[0] = {}): Promise<void> {
  rig = await openRig({ tools: taskTools, script: taskScript, escalations: { alert: "page" }, ...options });
  desk = new TaskService(rig.client, { agents: taskAgents, model: "scripted" });
  await loadGraphs(desk);
}

async function replayRuns(name: string, ids: readonly string[]): Promise<ExportedHistory[]> {
  const runs = (await Promise.all(ids.map((id) => rig.client.runs(id)))).flat() as unknown as ExportedHistory[];
  await replayAndKeep(name, runs);
  return runs;
}

describe("on a usual server", () => {
  beforeAll(async () => open({ namespace: await newNamespace() }));
  afterAll(() => rig.stop());

  test.each(TASK_SCENARIOS)("$name replays", async ({ name, run }) => {
    await replayRuns(name, await run(desk, rig));
  });

  // A worker that has not seen the task gets its start and the update at once: the handler runs before the run begins.
  test("an advance that meets a task whose worker was lost after its first workflow task is the same on replay", async () => {
    await desk.loadTasks([{ id: "left-alone", issueId: "I-1", workflowType: "reviewed" }], "merge");
    const workflow = rig.client.task("left-alone").workflow;
    await until(
      async () => ((await workflow.fetchHistory()).events ?? []).length >= 4,
      "its first workflow task is over",
    );
    await rig.stopWorker();
    const advanced = desk.advance("left-alone", {});
    await rig.startWorker();
    expect(await advanced).toMatchObject({ previousStep: "start", nextStep: "build" });
    await rig.stopWorker();
    await rig.startWorker();
    expect(await desk.advance("left-alone", {})).toMatchObject({ previousStep: "build", nextStep: "check" });
    await replayRuns("task-worker-lost", ["task/left-alone"]);
  });

  test("an advance that arrives before any worker is the same on replay, too", async () => {
    await rig.stopWorker();
    const task = newTask({ id: "unborn", issueId: "I-1", workflowType: "unborn", currentStep: "build" }, undefined, 0);
    await rig.client.startTask({ task, definition: definitionOf({ id: "unborn", ...REVIEWED }), model: "scripted" });
    const advanced = rig.client.task("unborn").advance({ result: "passed" });
    await rig.startWorker();
    expect(await advanced).toMatchObject({ previousStep: "build", nextStep: "check" });
    await replayRuns("task-advanced-before-its-first-task", ["task/unborn"]);
  });
});

describe("on a server that wants a new run every 40 events", () => {
  let server: TestWorkflowEnvironment;
  beforeAll(async () => {
    quietRuntime();
    const extraArgs = ["--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=40"];
    const executable = { type: "existing-path" as const, path: await testCli() };
    server = await TestWorkflowEnvironment.createLocal({ server: { executable, extraArgs } });
    await open({ address: server.address });
  });
  afterAll(async () => {
    await rig.stop();
    await server.teardown();
  });

  test("a task continues in another run with its records, its claim and its retries", async () => {
    await desk.loadTasks([{ id: "long", issueId: "I-1", workflowType: "reviewed" }], "merge");
    const moves = [
      {},
      {},
      { result: "failed" },
      {},
      { result: "failed" },
      { result: "passed" },
      {},
      { result: "failed" },
    ];
    for (const move of moves) await desk.advance("long", move);
    const { token } = await desk.claim("long", { owner: "one", leaseMs: 60_000 });
    await desk.advance("long", { claim: token });
    await desk.advance("long", { result: "passed" });
    expect((await desk.pendingSyncs()).total).toBe(moves.length + 2);
    expect(await desk.task("long")).toMatchObject({ status: "COMPLETED", retryCount: 2 });
    await desk.confirmSyncsOfTask("long");
    // Its last run may not have begun yet, and what has not begun cannot be replayed.
    await rig.client.task("long").result();
    expect((await replayRuns("task-continued", ["task/long"])).length).toBeGreaterThan(1);
  });
});
