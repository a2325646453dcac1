import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { WorkflowHandle } from "@temporalio/client";
import { NativeConnection, Runtime } from "@temporalio/worker";
import { listMissions, type MissionListOptions } from "../../src/client/missions";
import { formatWord, presentFormat } from "../../src/core/base/run-format";
import { createModels } from "../../src/models";
import { createWorker } from "../../src/worker/create-worker";
import { reportOtherVersions } from "../../src/worker/other-versions";
import * as workflows from "../../src/workflows";
import { agentRunInput } from "../../src/workflows/start/agent-input";
import { startOfAgent } from "../../src/workflows/start/work-start";
import { openPlace } from "../support/cli";
import { testAddress } from "../support/environment";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { until } from "../support/until";

/** Runs that another version of Navigator started: with a format, or with flags, that the worker at hand does not know. */
let rig: Rig;
const script = [fenced("(return (get data/journal_note 0 42))")];

beforeAll(async () => {
  rig = await openRig({ script });
});
afterAll(() => rig.stop());

/** Starts a run as a client of another version does. */
async function startWith(conventions: { format: number; flags?: string[] }): Promise<WorkflowHandle> {
  const { client, taskQueue } = rig;
  const input = { ...agentRunInput({ agent: agent({ max_turns: 2 }), model: "scripted" }), ...conventions };
  const { workflowId, args, typedSearchAttributes } = startOfAgent(randomUUID(), null, input);
  return client.temporal.workflow.start("agentRun", { workflowId, args, typedSearchAttributes, taskQueue });
}

const attemptOf = async (run: WorkflowHandle) => (await run.describe()).raw.pendingWorkflowTask?.attempt ?? 0;
const eventTypes = async (run: WorkflowHandle) =>
  ((await run.fetchHistory()).events ?? []).map(({ workflowTaskFailedEventAttributes: failed, eventType }) =>
    failed ? `failed: ${failed.failure?.message}` : eventType,
  );
const missionsOf = (options: MissionListOptions) => listMissions(rig.client, options);
/** Lists follow a start after a moment. */
const listed = (run: WorkflowHandle) =>
  until(
    async () => (await missionsOf({ size: 200 })).missions.find((one) => one.workflow_id === run.workflowId),
    "the run is listed",
  );

test.each([
  { conventions: { format: 2 }, unknown: "run format 2" },
  { conventions: { format: 1, flags: ["of-tomorrow"] }, unknown: "the flag of-tomorrow" },
])("a worker gives a run with $unknown back, and lists say what it waits for", async ({ conventions, unknown }) => {
  const run = await startWith(conventions);
  await until(async () => (await attemptOf(run)) >= 2, "the worker has given it back");
  expect(await listed(run)).toMatchObject({ state: "blocked", waits_for: `blocked: a worker that knows ${unknown}` });
  expect(await rig.client.blocked(run.workflowId)).toEqual([
    expect.objectContaining({ kind: "version", name: unknown, workflow_id: run.workflowId }),
  ]);
  const { missions } = await missionsOf({ state: "blocked", size: 200 });
  expect(missions.map(({ workflow_id }) => workflow_id)).toContain(run.workflowId);
  const running = await missionsOf({ state: "running", size: 200 });
  expect(running.missions.map(({ workflow_id }) => workflow_id)).not.toContain(run.workflowId);
  // Of all attempts the history has the first alone, with the reason, and no command of this worker.
  const told = (await eventTypes(run)).filter((event) => typeof event === "string");
  expect(told).toEqual([`failed: This run has ${unknown}, which this worker does not know.`]);
  await run.terminate();
});

/** The workflow types, and an id of the form that each has. */
const KINDS: { [type: string]: string } = {
  agentRun: "agent/",
  navigatorTask: "task/",
  planRun: "plan/",
  undoRun: "undo/agent/",
  scheduledAgent: "schedule/",
  effectGuard: "effect/",
  taskTree: "",
  workflowDefinition: "definition/",
};

test("a worker gives a run of a later format back, whatever its workflow type", async () => {
  expect(Object.keys(KINDS).sort()).toEqual(Object.keys(workflows).sort());
  const { client, taskQueue } = rig;
  const runs = await Promise.all(
    Object.entries(KINDS).map(([type, prefix]) =>
      client.temporal.workflow.start(type, {
        workflowId: `${prefix}${randomUUID()}`,
        args: [{ format: 2, of_tomorrow: true }],
        taskQueue,
      }),
    ),
  );
  const ends = await Promise.all(
    runs.map((run) =>
      until(async () => {
        const { status, raw } = await run.describe();
        return status.name !== "RUNNING" || (raw.pendingWorkflowTask?.attempt ?? 0) >= 2 ? status.name : undefined;
      }, "a worker has looked at it"),
    ),
  );
  expect(ends).toEqual(runs.map(() => "RUNNING"));
  await Promise.all(runs.map((run) => run.terminate()));
});

test("a worker of the version that started it ends it, with the messages that came before", async () => {
  const run = await startWith({ format: 2 });
  await run.signal("recordDecision", { id: "noted", value: 7, by: "anna" });
  await until(async () => (await attemptOf(run)) >= 2, "the older worker has given it back");
  await rig.stopWorker();
  const connection = await NativeConnection.connect({ address: testAddress() });
  const bundle = readFileSync(process.env.NAVIGATOR_TEST_BUNDLE as string, "utf8");
  const [before, after, ...more] = bundle.split("RUN_FORMAT=1;");
  expect(more).toEqual([]);
  const newer = await createWorker({
    connection,
    namespace: "default",
    taskQueue: rig.taskQueue,
    models: createModels({ env: {}, script }),
    overrides: { workflowsPath: undefined, workflowBundle: { code: `${before}RUN_FORMAT=2;${after}` } },
  });
  const step = (await newer.runUntil(run.result())) as { fail: unknown; journal: unknown };
  await connection.close();
  expect(step).toMatchObject({ fail: null, journal: { noted: 7 } });
  await rig.startWorker();
});

test("a run below another one has its conventions", async () => {
  const child = agent({ name: "helper", description: "Helps.", prompt: "Help.", max_turns: 1 });
  const parent = agent({ name: "parent", max_turns: 1, tools: [{ name: "helper", agent: child }] });
  const below = await openRig({
    script: { parent: [fenced("(return (tool/helper {}))")], helper: [fenced("(return 3)")] },
  });
  const run = await below.client.startAgent({ agent: parent, model: "scripted" });
  expect((await run.result()).return).toBe(3);
  const { temporal } = below.client;
  const formats: string[] = [];
  for await (const { workflowId, searchAttributes } of temporal.workflow.list({
    query: `TaskQueue = "${below.taskQueue}"`,
  }))
    formats.push(`${workflowId === run.workflow.workflowId ? "parent" : "child"}: ${searchAttributes.NavigatorFormat}`);
  const word = formatWord(presentFormat());
  expect(formats.sort()).toEqual([`child: ${word}`, `parent: ${word}`]);
  await below.stop();
});

test("a worker names such runs in one line of its log as it starts", async () => {
  const run = await startWith({ format: 2 });
  await until(
    async () => (await missionsOf({ state: "blocked" })).missions.some((one) => one.workflow_id === run.workflowId),
    "the run is listed",
  );
  const warned = jest.spyOn(Runtime.instance().logger, "warn");
  const connection = await NativeConnection.connect({ address: testAddress() });
  await reportOtherVersions({ connection, options: { namespace: "default", taskQueue: rig.taskQueue } } as never);
  await connection.close();
  // A worker of the rig may try the run again at this moment, and logs that, too.
  expect(warned.mock.calls.filter(([line]) => line === "unknown_run_format")).toEqual([
    ["unknown_run_format", expect.objectContaining({ runs: [run.workflowId], more: false })],
  ]);
  warned.mockRestore();
  await run.terminate();
});

test("doctor names them, and what helps", async () => {
  const place = await openPlace("other-versions", { TEMPORAL_NAMESPACE: "default" });
  const run = await startWith({ format: 2 });
  const check = await until(async () => {
    const { checks } = await place.here().json(["doctor"]);
    return checks.find(
      ({ name, found }: { name: string; found: string }) => name === "Open runs" && found.includes(run.workflowId),
    );
  }, "doctor sees the run");
  expect(check).toMatchObject({
    state: "note",
    hint: expect.stringContaining("a worker of the version that started it"),
  });
  await run.terminate();
  await place.close();
});

test("pause and cancel name what no worker knows, and not a worker that is missing", async () => {
  const place = await openPlace("other-versions", { TEMPORAL_NAMESPACE: "default" });
  const here = place.here();
  const run = await startWith({ format: 2 });
  expect(await here.refused(["pause", run.workflowId, "--by", "anna"], { code: 3 })).toMatchObject({
    code: "no_worker",
    message: expect.stringContaining("The run has run format 2"),
    hint: expect.stringContaining("a worker of the version that started the run"),
  });
  const cancelled = await here.run(["cancel", run.workflowId, "--wait", "1s", "--by", "anna"]);
  expect(cancelled.stdout).toContain("It has run format 2: this acts when a worker that knows it serves task queue");
  expect(cancelled.code).toBe(0);
  await run.terminate();
  place.close();
});
