import { TaskService } from "../../../src/client/tasks/task-service";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** The task service: definitions, the task tree, claims and syncs on a real server, in a namespace of its own. */
let rig: Rig;
let taskService: TaskService;
let namespace: string;
beforeAll(async () => {
  namespace = await newNamespace();
  rig = await openRig({ namespace });
  taskService = new TaskService(rig.client);
});
afterAll(() => rig.stop());

const BUG = {
  name: "Bug",
  nodes: {
    start: { type: "start" },
    analyze: { type: "task", name: "Analyze" },
    review: { type: "gate", name: "Review", maxRetries: 3 },
    end: { type: "end", result: "success" },
    hitl: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "analyze" },
    { from: "analyze", to: "review" },
    { from: "review", to: "end", on: "passed" },
    { from: "review", to: "analyze", on: "failed" },
    { from: "review", to: "hitl", on: "max_retries_exceeded" },
  ],
};

test("load, next, advance, retry, sync, confirm", async () => {
  const loaded = await taskService.loadWorkflow("bug", BUG);
  expect(loaded).toEqual({
    id: "bug",
    name: "Bug",
    version: 1,
    stepCount: 5,
    edgeCount: 5,
    replaced: false,
    warnings: [],
  });
  expect(await taskService.listWorkflows()).toEqual([
    { id: "bug", name: "Bug", description: "", stepCount: 5, source: "external", version: 1 },
  ]);
  const answer = await taskService.loadTasks(
    [
      { id: "t1", issueId: "I-1", workflowType: "bug", priority: 5 },
      { id: "t2", issueId: "I-2", workflowType: "bug", priority: 9, currentStep: "review" },
      { id: "t3", issueId: "I-3", workflowType: "research" },
    ],
    "replace",
  );
  expect(answer).toMatchObject({ loaded: 3, replaced: 0, total: 3, byStatus: { PENDING: 3 } });
  expect(answer.warnings).toMatchObject([{ code: "workflow_not_loaded", taskId: "t3" }]);
  expect((await taskService.nextTasks(10)).map(({ id }) => id)).toEqual(["t2", "t1", "t3"]);
  const retried = await taskService.advance("t2", { result: "failed", output: "no" });
  expect(retried).toMatchObject({
    success: true,
    nextStep: "analyze",
    action: "retry",
    retriesUsed: 1,
    retriesRemaining: 2,
  });
  const { total, pending } = await taskService.syncReminder(50);
  expect(total).toBe(1);
  expect(await taskService.pendingSyncs()).toMatchObject({
    pending: [{ kind: "retry", previousStep: "review", output: "no" }],
  });
  expect(await taskService.confirmSyncs([pending[0]?.id as string, "nope"])).toEqual({
    confirmed: [pending[0]?.id],
    notFound: ["nope"],
    remaining: 0,
  });
  expect((await taskService.syncReminder(50)).total).toBe(0);
  await taskService.advance("t2", {});
  expect(await taskService.advance("t2", { result: "passed" })).toMatchObject({ terminal: "success" });
  expect((await taskService.syncReminder(50)).total).toBe(2);
  expect(await taskService.confirmSyncsOfTask("t2")).toMatchObject({ taskId: "t2", remaining: 0 });
  await expect(taskService.advance("t2", { result: "passed" })).rejects.toMatchObject({ code: "task_closed" });
  expect((await taskService.tasksByStatus()).counts).toMatchObject({ PENDING: 2, COMPLETED: 1 });
  await expect(taskService.advance("t3", {})).rejects.toMatchObject({ code: "workflow_not_found" });
  await expect(taskService.task("t9")).rejects.toMatchObject({ code: "task_not_found" });
  expect(await taskService.loadTasks([{ id: "t4", issueId: "I", workflowType: "bug" }], "replace")).toMatchObject({
    loaded: 1,
    replaced: 3,
    total: 1,
  });
  await expect(taskService.task("t1")).rejects.toMatchObject({ code: "task_not_found" });
  expect((await taskService.nextTasks(10)).map(({ id }) => id)).toEqual(["t4"]);
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test("claims: one holder, a lease, and a random token that replaces older ones", async () => {
  await taskService.loadWorkflow("bug", BUG);
  await taskService.loadTasks([{ id: "c1", issueId: "I-1", workflowType: "bug" }], "replace");
  const one = await taskService.claim("c1", { owner: "one", leaseMs: 600_000 });
  expect(one.token).toMatch(UUID);
  const shown = await taskService.task("c1");
  expect(shown).toMatchObject({ claim: { owner: "one" } });
  // Whoever can read the task cannot act in its holder's name.
  expect(JSON.stringify(shown)).not.toContain(one.token);
  await expect(taskService.advance("c1", { claim: "another" })).rejects.toMatchObject({ code: "claim_lost" });
  await expect(taskService.claim("c1", { owner: "two", leaseMs: 1_000 })).rejects.toMatchObject({
    code: "task_claimed",
  });
  await expect(taskService.advance("c1", {})).rejects.toMatchObject({ code: "task_claimed" });
  expect(await taskService.nextTasks(5)).toEqual([]);
  // The holder shortens its own lease.
  expect(await taskService.claim("c1", { owner: "one", leaseMs: 1_000, token: one.token })).toMatchObject({
    token: one.token,
  });
  const [two] = await until(async () => {
    const claimed = await taskService.claimNext(3, { owner: "two", leaseMs: 60_000 });
    return claimed.length > 0 && claimed;
  }, "the lease of the first has run out");
  expect(two).toMatchObject({ token: expect.stringMatching(UUID), task: { id: "c1" } });
  const { token } = two as { token: string };
  expect(token).not.toBe(one.token);
  await expect(taskService.advance("c1", { claim: one.token })).rejects.toMatchObject({ code: "claim_lost" });
  expect(await taskService.advance("c1", { claim: token })).toMatchObject({ nextStep: "analyze" });
  await expect(taskService.advance("c1", { claim: token })).rejects.toMatchObject({ code: "claim_lost" });
});

test("a task's priority is also Temporal's, its issue the key of fairness", async () => {
  await taskService.loadWorkflow("bug", BUG);
  await taskService.loadTasks(
    [
      { id: "f1", issueId: "Ü".repeat(60), workflowType: "bug", priority: 500 },
      { id: "f2", issueId: "I-2", workflowType: "bug" },
      { id: "f3", issueId: "I-3", workflowType: "bug", priority: -0.5 },
    ],
    "replace",
  );
  const priorities = await Promise.all(
    ["f1", "f2", "f3"].map(
      async (id) => (await rig.client.task(id).workflow.describe()).raw.workflowExecutionInfo?.priority,
    ),
  );
  // The server takes keys of 64 bytes.
  expect(priorities).toMatchObject([
    { priorityKey: 1, fairnessKey: "Ü".repeat(32) },
    { fairnessKey: "I-2" },
    { priorityKey: 4, fairnessKey: "I-3" },
  ]);
});
