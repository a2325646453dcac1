import { randomUUID } from "node:crypto";
import type { TaskHandle } from "../../../src/client";
import { TaskService } from "../../../src/client/tasks/task-service";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** What lists hear of a task that is moved faster than once a second (docs/decisions/0055). */
const LOOP = {
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

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({});
  await new TaskService(rig.client).loadWorkflow("loop", LOOP);
});
afterAll(() => rig.stop());

/** A task at its step "one", of which lists know. */
async function begun(): Promise<TaskHandle> {
  const id = randomUUID();
  await new TaskService(rig.client).loadTasks([{ id, issueId: id, workflowType: "loop" }], "merge");
  const task = rig.client.task(id);
  await move(task, {}, 0);
  return task;
}

/** @param sentAt ms by the clock of the sender; undefined: it does not say */
const move = (task: TaskHandle, step: object, sentAt?: number) =>
  task.workflow.executeUpdate("advance", { args: sentAt === undefined ? [step] : [step, { sent_at: sentAt }] });
const PASSED = { result: "passed" };

/** What happened to a task, in order: where lists heard that it is, its moves, and its timers. */
async function happened(task: TaskHandle): Promise<string[]> {
  const events = (await task.workflow.fetchHistory()).events ?? [];
  return events.flatMap((event) => {
    if (event.timerStartedEventAttributes) return ["timer"];
    if (event.timerFiredEventAttributes) return ["fired"];
    if (event.workflowExecutionUpdateAcceptedEventAttributes) return ["message"];
    const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
    const text = (name: string) => JSON.parse(Buffer.from(fields?.[name]?.data ?? []).toString()) as string;
    return fields?.NavigatorStep ? [`${text("NavigatorStatus")} at ${text("NavigatorStep")}`] : [];
  });
}

/** What lists heard last. A timer with nothing to tell may fire behind it. */
const lastTold = async (task: TaskHandle) => (await happened(task)).filter((one) => one.includes(" at ")).at(-1);

test("moves within a second are told together", async () => {
  const task = await begun();
  // The timer is a real one, and a machine may be so busy that it fires between two moves. Then there are more of them.
  for (let second = 1_000; ; second += 10_000) {
    const before = (await happened(task)).length;
    await move(task, PASSED, second);
    await move(task, PASSED, second + 1 / 3);
    await move(task, PASSED, second + 500);
    await move(task, PASSED, second + 999);
    await until(async () => (await happened(task)).at(-1)?.startsWith("PENDING"), "lists have heard");
    const what = (await happened(task)).slice(before);
    if (what.indexOf("fired") < what.lastIndexOf("message")) continue;
    expect(what).toEqual([
      ...["message", "PENDING at two", "message", "timer", "message", "message"],
      ...["fired", "PENDING at one"],
    ]);
    return;
  }
});

test.each([
  ["a second later", 1_000],
  ["by a clock that is behind", -1],
  ["by a sender that does not say when", undefined],
])("a move is told at once: %s", async (_when, sentAt) => {
  const task = await begun();
  await move(task, PASSED, sentAt);
  expect(await happened(task)).toEqual(["message", "PENDING at one", "message", "PENDING at two"]);
});

test("a pause, what goes on after it and the end are told at once, with what was owed", async () => {
  const task = await begun();
  await move(task, PASSED, 1);
  await task.pause();
  expect(await lastTold(task)).toBe("PAUSED at two");
  await task.resume();
  expect(await lastTold(task)).toBe("PENDING at two");
  await move(task, PASSED, 5_000);
  await move(task, PASSED, 5_001);
  await move(task, { result: "failed" }, 5_002);
  expect(await lastTold(task)).toBe("COMPLETED at done");
});

test("a task that Temporal cancels tells what it owes", async () => {
  const task = await begun();
  await move(task, PASSED, 1);
  await task.workflow.cancel();
  await expect(task.workflow.result()).rejects.toThrow();
  expect(await lastTold(task)).toBe("PENDING at two");
});

test("clients say when they sent a move, unless lists shall hear of it at once", async () => {
  const task = await begun();
  const sender = (lists: "at_once" | "soon") => new TaskService(rig.client, { lists });
  await sender("at_once").advance(task.id, PASSED);
  expect((await happened(task)).slice(-2)).toEqual(["message", "PENDING at two"]);
  await sender("soon").advance(task.id, PASSED);
  const [accepted] = ((await task.workflow.fetchHistory()).events ?? [])
    .map(({ workflowExecutionUpdateAcceptedEventAttributes: update }) => update?.acceptedRequest?.input?.args?.payloads)
    .filter((payloads) => payloads !== undefined)
    .slice(-1);
  const sent = JSON.parse(Buffer.from(accepted?.[1]?.data ?? []).toString()) as { sent_at: number };
  expect(Math.abs(Date.now() - sent.sent_at)).toBeLessThan(600_000);
});
