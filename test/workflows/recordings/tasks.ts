import { randomUUID } from "node:crypto";
import type { TaskHandle } from "../../../src/client";
import { TaskService } from "../../../src/client/tasks/task-service";
import { newTask } from "../../../src/core/graph/task/task";
import { defineTool } from "../../../src/tools";
import { flood } from "../../support/flood";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";
import { definitionOf, reviewAt } from "../task/order-graph";

/** Tasks, and what people, agents, orchestrators and operators do to them meanwhile. Each id is used once in a namespace. */

const idOf = (task: TaskHandle) => task.workflow.workflowId;
const DAY = 86_400_000;

const edges = (...rows: [from: string, to: string, on?: string][]) =>
  rows.map(([from, to, on]) => ({ from, to, ...(on === undefined ? {} : { on }) }));

/** A gate that is a person's, with these ways out besides `passed`. */
const asking = (review: object, ...more: [from: string, to: string, on?: string][]) => ({
  nodes: {
    start: { type: "start" },
    approval: { type: "gate", name: "Release?", review },
    done: { type: "end", result: "success" },
    ...(more.length === 0 ? {} : { again: { type: "task", name: "Again" } }),
  },
  edges: edges(["start", "approval"], ["approval", "done", "passed"], ...more),
});
const AGAIN: [string, string, string?][] = [
  ["approval", "again", "failed"],
  ["again", "approval"],
];

/** A step of an agent, and one of nobody's. */
const WORKED = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build", agent: "builder" },
    look: { type: "task", name: "Look", agent: "nobody" },
    done: { type: "end", result: "success" },
    lost: { type: "end", result: "failure", escalation: "alert" },
    odd: { type: "end", result: "blocked", escalation: "ticket" },
  },
  edges: edges(
    ["start", "build"],
    ["build", "look", "passed"],
    ["build", "lost", "failed"],
    ["look", "done", "passed"],
    ["look", "odd", "failed"],
  ),
};

const FORKED = (strategy: string) => ({
  nodes: {
    start: { type: "start" },
    split: { type: "fork", join: "merge", maxConcurrency: 2 },
    api: { type: "task", name: "API" },
    web: { type: "task", name: "Web" },
    docs: { type: "task", name: "Docs" },
    merge: { type: "join", fork: "split", strategy },
    ship: { type: "task", name: "Ship" },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "blocked", escalation: "hitl" },
    missing: { type: "end", result: "blocked" },
  },
  edges: edges(
    ["start", "split"],
    ["split", "api"],
    ["split", "web"],
    ["split", "docs"],
    ["api", "merge", "passed"],
    ["api", "stuck", "failed"],
    ["stuck", "api", "passed"],
    ["web", "merge"],
    ["docs", "merge"],
    ["merge", "ship", "passed"],
    ["merge", "missing", "failed"],
    ["ship", "done"],
  ),
});

const OUTER = (workflow: string) => ({
  nodes: {
    start: { type: "start" },
    check: { type: "subflow", workflow },
    done: { type: "end", result: "success" },
    refused: { type: "end", result: "failure" },
  },
  edges: edges(["start", "check"], ["check", "done", "passed"], ["check", "refused", "failed"]),
});
const INNER = {
  nodes: {
    start: { type: "start" },
    look: { type: "task", name: "Look" },
    ok: { type: "end", result: "success" },
    no: { type: "end", result: "blocked" },
  },
  edges: edges(["start", "look"], ["look", "ok", "passed"], ["look", "no", "failed"]),
};

const builder = agent({ name: "builder", max_turns: 2 });
const passed = fenced('(do (task "built" 1) (return {:outcome "passed"}))');
const slowly = (delay_ms: number) => ({ script: { builder: [{ content: passed, delay_ms }] } });
const THIRTY_SECONDS = slowly(30_000);

/** A task of its own, not in the tree. */
async function begin({ client }: Rig, raw: object, agents = {}): Promise<TaskHandle> {
  const definition = definitionOf({ id: "recorded", ...raw });
  const task = newTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
  return client.startTask({ task, definition, agents, model: "scripted" });
}

/** A task service, with the workflow `recorded` loaded. */
async function service({ client }: Rig, raw: object): Promise<TaskService> {
  const taskService = new TaskService(client, { agents: { builder }, model: "scripted" });
  await taskService.loadWorkflow("recorded", raw);
  return taskService;
}

const load = (taskService: TaskService, id: string, more: object = {}) =>
  taskService.loadTasks([{ id, issueId: "I-1", workflowType: "recorded", ...more }], "merge");
const working = ({ client }: Rig, id: string) => until(() => client.has(`${id}/build/1`), "the agent works");
const isAt = (taskService: TaskService, id: string, step: string) =>
  until(async () => (await taskService.task(id)).currentStep === step, `${id} is at ${step}`);
const isThere = (taskService: TaskService, id: string) => until(() => taskService.task(id), `${id} is there`);

const PEOPLE: Recording[] = [
  {
    // An agent that drives the task: it loads it again, and moves it past a gate that names nobody.
    name: "task-moved-by-agent",
    run: async (rig) => {
      const by = { id: "agent:test", kind: "agent", via: "mcp" } as const;
      const taskService = await service(rig, asking({}, ...AGAIN));
      const id = randomUUID();
      const at = { id, issueId: "I-1", workflowType: "recorded", currentStep: "approval" };
      await taskService.loadTasks([at], "merge", { by });
      await reviewAt(rig.client.task(id), "approval");
      await taskService.loadTasks([at], "merge", { by });
      await taskService.advance(id, { result: "failed", by });
      await taskService.advance(id, { result: "passed", by });
      const { task } = await taskService.advance(id, { result: "passed", by });
      expect(task.history.map((move) => move.by)).toEqual([by, undefined, by]);
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    name: "task-gate-quorum",
    run: async (rig) => {
      const task = await begin(rig, asking({ assignees: ["anna", "ben", "cleo"], quorum: 2 }, ...AGAIN));
      const { id: review } = await reviewAt(task, "approval");
      await task.decide({ review, choice: "failed", by: "anna" });
      await task.signalDecision({ review, choice: "failed", by: "anna" });
      await task.signalDecision({ review, choice: "passed", by: "ben" });
      await task.decide({ review, choice: "passed", by: "cleo" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-gate-timeout",
    run: async (rig) => {
      const task = await begin(rig, asking({ timeout_ms: 1_200, on_timeout: "failed", remind_ms: 400 }, ...AGAIN));
      await until(async () => (await task.show()).currentStep === "again", "the default is taken");
      await task.workflow.executeUpdate("cancelTask", { args: [{}] });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // The default has no edge, so people are waited for after all.
    name: "task-gate-default-leads-nowhere",
    run: async (rig) => {
      const task = await begin(rig, asking({ timeout_ms: 300, on_timeout: "failed" }));
      await until(
        async () => (await task.reviews()).some(({ expiresAt }) => expiresAt === undefined),
        "the time of the review is over",
      );
      const { id: review } = await reviewAt(task, "approval");
      await task.signalDecision({ review, choice: "passed", by: "anna" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-gate-advanced",
    run: async (rig) => {
      const task = await begin(rig, asking({ timeout_ms: DAY, on_timeout: "failed" }, ...AGAIN));
      await reviewAt(task, "approval");
      await task.advance({ result: "passed", expectedStep: "approval" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // An agent's outcome has no edge: a person is asked, once.
    name: "task-outcome-leads-nowhere",
    rig: { script: { builder: [fenced('(return {:outcome "sideways"})')] } },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      const { id: review } = await reviewAt(task, "build");
      await task.decide({ review, choice: "close", by: "anna" });
      await task.result();
      return [idOf(task)];
    },
  },
];

const AGENTS: Recording[] = [
  {
    name: "task-agent-terminated",
    rig: THIRTY_SECONDS,
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      await working(rig, idOf(task));
      await rig.client.temporal.workflow.getHandle(`${idOf(task)}/build/1`).terminate("by an operator");
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-agent-cancelled",
    rig: THIRTY_SECONDS,
    run: async (rig) => {
      const taskService = await service(rig, WORKED);
      const { id } = await taskService.createTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" });
      await working(rig, `task/${id}`);
      await taskService.cancel(id, "not wanted");
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    name: "task-agent-reloaded",
    rig: THIRTY_SECONDS,
    run: async (rig) => {
      const taskService = await service(rig, WORKED);
      const { id } = await taskService.createTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" });
      await working(rig, `task/${id}`);
      await load(taskService, id, { currentStep: "look" });
      await taskService.advance(id, { result: "passed" });
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    name: "task-agent-paused",
    rig: slowly(4_000),
    run: async (rig) => {
      const taskService = await service(rig, WORKED);
      const { id } = await taskService.createTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" });
      await working(rig, `task/${id}`);
      await taskService.pause(id, "lunch");
      await rig.client.agent(`task/${id}/build/1`).result();
      expect(await taskService.resume(id)).toMatchObject({ currentStep: "build" });
      await isAt(taskService, id, "look");
      await taskService.advance(id, { result: "failed" });
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    name: "task-agent-removed",
    rig: THIRTY_SECONDS,
    run: async (rig) => {
      const taskService = await service(rig, WORKED);
      const { id } = await taskService.createTask({ id: randomUUID(), issueId: "I-1", workflowType: "recorded" });
      await working(rig, `task/${id}`);
      await rig.client.task(id).workflow.executeUpdate("remove");
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    // Its agent ends while it is paused, and it is sent elsewhere meanwhile.
    name: "task-agent-paused-and-cancelled",
    rig: slowly(3_000),
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      await working(rig, idOf(task));
      await task.workflow.executeUpdate("pause", { args: [{}] });
      await rig.client.agent(`${idOf(task)}/build/1`).result();
      await task.workflow.signal("cancelTask", { note: "not wanted" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-cancelled-by-the-server",
    rig: THIRTY_SECONDS,
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      await working(rig, idOf(task));
      await task.workflow.cancel();
      await expect(task.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [idOf(task)];
    },
  },
  {
    name: "task-ticket",
    rig: {
      script: { builder: [passed] },
      escalations: { ticket: "file_ticket" },
      tools: [defineTool({ name: "file_ticket", run: () => "T-1" })],
    },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      await until(async () => (await task.show()).currentStep === "look", "it is at look");
      await task.advance({ result: "failed" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // The tool for alerts is not there: nobody hears of it, and the task ends all the same.
    name: "task-alert-unheard",
    rig: { script: { builder: [fenced('(return {:outcome "failed"})')] }, escalations: { alert: "no_such_tool" } },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder });
      await task.result();
      return [idOf(task)];
    },
  },
];

const BRANCHES: Recording[] = [
  {
    name: "task-fork-person-in-branch",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("all-pass"));
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(`${id}/web`, {});
      await isThere(taskService, `${id}/docs`);
      await taskService.advance(`${id}/docs`, {});
      await taskService.advance(`${id}/api`, { result: "failed" });
      await taskService.advance(`${id}/api`, { result: "passed" });
      await taskService.advance(`${id}/api`, { result: "passed" });
      await isAt(taskService, id, "ship");
      await taskService.advance(id, {});
      const ids = [id, `${id}/api`];
      for (const one of ids) await taskService.confirmSyncsOfTask(one);
      return ids.map((one) => `task/${one}`);
    },
  },
  {
    name: "task-fork-any-pass",
    run: async (rig) => {
      const task = await begin(rig, FORKED("any-pass"));
      const branch = (name: string) => rig.client.task(`${task.id}/${name}`);
      await until(() => rig.client.has(`${idOf(task)}/web`), "the branches begin");
      for (const name of ["web", "api"]) {
        await branch(name).advance({ result: "passed" });
        await branch(name).result();
      }
      await until(() => rig.client.has(`${idOf(task)}/docs`), "the last branch begins");
      await branch("docs").advance({});
      await until(async () => (await task.show()).currentStep === "ship", "it goes on");
      await task.advance({});
      await task.result();
      return [idOf(task), `${idOf(task)}/docs`];
    },
  },
  {
    name: "task-fork-left-by-force",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("all-pass"));
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(id, { result: "failed", force: true });
      await until(async () => (await taskService.task(`${id}/api`)).status === "FAILED", "its branch is cancelled");
      for (const one of [id, `${id}/api`]) await taskService.confirmSyncsOfTask(one);
      return [`task/${id}`, `task/${id}/api`];
    },
  },
  {
    // The orchestrator loaded a branch itself: it is the one that is waited for.
    name: "task-fork-branch-is-there",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("any-pass"));
      const id = randomUUID();
      const branch = { parentTaskId: id, branch: "api", currentStep: "api" };
      await load(taskService, `${id}/api`, branch);
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(`${id}/api`, { result: "passed" });
      await taskService.advance(`${id}/web`, {});
      await isThere(taskService, `${id}/docs`);
      await taskService.advance(`${id}/docs`, {});
      await isAt(taskService, id, "ship");
      return [`task/${id}`, `task/${id}/api`];
    },
  },
  {
    name: "task-fork-cancelled",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("all-pass"));
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.cancel(id, "not wanted");
      await taskService.confirmSyncsOfTask(id);
      await until(async () => (await taskService.task(`${id}/web`)).status === "FAILED", "its branch is cancelled");
      return [`task/${id}`];
    },
  },
  {
    name: "task-fork-of-agents",
    rig: { script: { builder: [passed] } },
    run: async (rig) => {
      const raw = FORKED("all-pass");
      const api = { ...raw.nodes.api, agent: "builder" };
      const all = { ...raw.nodes, api, web: { ...api, name: "Web" }, docs: { ...api, name: "Docs" } };
      const task = await begin(rig, { ...raw, nodes: all }, { builder });
      await until(async () => (await task.show()).currentStep === "ship", "it goes on");
      await task.advance({});
      await task.result();
      return [idOf(task), `${idOf(task)}/api`];
    },
  },
  {
    name: "task-subflow-not-loaded",
    run: async (rig) => {
      const task = await begin(rig, OUTER(`nowhere-${randomUUID()}`));
      await until(async () => (await task.show()).blockedBy !== undefined, "it is blocked");
      await task.advance({ result: "passed" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-subflow-failed",
    run: async (rig) => {
      const taskService = await service(rig, OUTER("inner"));
      await taskService.loadWorkflow("inner", INNER);
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(`${id}/check`, {});
      await taskService.advance(`${id}/check`, { result: "failed" });
      await isAt(taskService, id, "refused");
      await taskService.confirmSyncsOfTask(id);
      return [`task/${id}`];
    },
  },
  {
    name: "task-subflow-left",
    run: async (rig) => {
      const taskService = await service(rig, OUTER("inner"));
      await taskService.loadWorkflow("inner", INNER);
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(id, { result: "failed", force: true });
      await taskService.confirmSyncsOfTask(id);
      return [`task/${id}`];
    },
  },
  {
    name: "task-subflow-too-deep",
    run: async ({ client, taskQueue }) => {
      const definition = definitionOf({ id: "recorded", ...OUTER("inner") });
      const id = randomUUID();
      const task = newTask({ id, issueId: "I-1", workflowType: "recorded" }, definition, Date.now());
      await client.temporal.workflow.start("navigatorTask", {
        workflowId: `task/${id}`,
        taskQueue,
        args: [{ task, definition, agents: {}, model: "scripted", depth: 8 }],
      });
      const handle = client.task(id);
      const { id: review } = await reviewAt(handle, "check");
      await handle.decide({ review, choice: "passed", by: "anna" });
      await handle.result();
      return [`task/${id}`];
    },
  },
];

const WAITING = (wait: object) => ({
  nodes: {
    start: { type: "start" },
    ship: { type: "task", name: "Ship" },
    pause: { type: "wait", ...wait },
    ask: { type: "task", name: "Ask" },
    done: { type: "end", result: "success" },
  },
  edges: edges(["start", "ship"], ["ship", "pause"], ["pause", "ask"], ["ask", "done"]),
});

const WAITS: Recording[] = [
  {
    name: "task-wait",
    run: async (rig) => {
      const task = await begin(rig, WAITING({ for: "1s" }));
      await until(async () => (await task.show()).currentStep === "ship", "it left its start");
      const { task: there } = await task.advance({ result: "passed" });
      expect(there).toMatchObject({ currentStep: "pause", status: "IN_PROGRESS", waitingUntil: expect.any(Number) });
      await until(async () => (await task.show()).currentStep === "ask", "the time has come");
      const { history } = await task.show();
      expect(history.at(-1)).toMatchObject({ step: "pause", to: "ask", result: "passed" });
      expect(history.at(-1)?.at).toBeGreaterThanOrEqual(there.waitingUntil as number);
      await task.advance({ result: "passed" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // A time that is over when the task comes is no wait.
    name: "task-wait-until-a-time-in-its-context",
    run: async ({ client }) => {
      const definition = definitionOf({ id: "recorded", ...WAITING({ until: "context.release.at" }) });
      const context = { release: { at: "2026-01-01T09:00:00Z" } };
      const input = { id: randomUUID(), issueId: "I-1", workflowType: "recorded", currentStep: "ship", context };
      const task = newTask(input, definition, Date.now());
      const handle = await client.startTask({ task, definition, model: "scripted" });
      await handle.advance({ result: "passed" });
      await until(async () => (await handle.show()).currentStep === "ask", "it went on");
      await handle.advance({ result: "passed" });
      await handle.result();
      return [idOf(handle)];
    },
  },
  {
    name: "task-wait-paused-and-left-by-force",
    run: async (rig) => {
      const taskService = await service(rig, WAITING({ for: "1d" }));
      const id = randomUUID();
      await load(taskService, id, { currentStep: "ship" });
      const { task } = await taskService.advance(id, { result: "passed" });
      await taskService.pause(id, "lunch");
      expect(await taskService.resume(id)).toMatchObject({ status: "IN_PROGRESS", waitingUntil: task.waitingUntil });
      await expect(taskService.advance(id, { result: "passed" })).rejects.toMatchObject({ code: "task_waiting" });
      await expect(taskService.claim(id, { owner: "bo", leaseMs: 5_000 })).rejects.toMatchObject({
        code: "task_waiting",
      });
      expect(await taskService.advance(id, { result: "passed", force: true })).toMatchObject({ nextStep: "ask" });
      await taskService.advance(id, { result: "passed" });
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    // Its worker gets the start and the claim together: the claim is answered, then its time begins, as on a replay.
    name: "task-claimed-where-it-is-not-in-memory",
    rig: { maxCachedWorkflows: 0 },
    run: async (rig) => {
      const taskService = await service(rig, WAITING({ for: "1d" }));
      const id = randomUUID();
      await load(taskService, id, { currentStep: "ship" });
      const { token } = await taskService.claim(id, { owner: "bo", leaseMs: 1_000 });
      await until(
        () => taskService.claim(id, { owner: "ann", leaseMs: 60_000 }).catch(() => null),
        "the claim has run out",
      );
      await expect(taskService.advance(id, { result: "passed", claim: token })).rejects.toMatchObject({
        code: "claim_lost",
      });
      await taskService.cancel(id, "not needed");
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    // A list without the time does not begin the wait again.
    name: "task-wait-reloaded-and-cancelled",
    run: async (rig) => {
      const taskService = await service(rig, WAITING({ for: "1d" }));
      const id = randomUUID();
      await load(taskService, id, { currentStep: "pause" });
      const { waitingUntil } = await until(async () => {
        const task = await taskService.task(id);
        return task.waitingUntil !== undefined && task;
      }, "it waits");
      await load(taskService, id, { currentStep: "pause" });
      await until(async () => (await taskService.task(id)).status === "IN_PROGRESS", "it waits again");
      expect(await taskService.task(id)).toMatchObject({ waitingUntil });
      expect(await taskService.cancel(id, "not needed")).not.toHaveProperty("waitingUntil");
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    name: "task-wait-without-time",
    run: async (rig) => {
      const task = await begin(rig, WAITING({ for: "context.delay" }));
      await until(async () => (await task.show()).currentStep === "ship", "it left its start");
      await task.advance({ result: "passed" });
      const { id: review } = await reviewAt(task, "pause");
      expect(await task.show()).toMatchObject({ status: "PENDING", blockedBy: "wait_time_unknown" });
      await task.decide({ review, choice: "passed", by: "anna" });
      await until(async () => (await task.show()).currentStep === "ask", "it went on");
      await task.advance({ result: "passed" });
      await task.result();
      return [idOf(task)];
    },
  },
];

/** Waits for an approval before each call. */
const keep = defineTool({
  name: "keep",
  signature: "(n :int) -> :string",
  approval: true,
  run: ({ n }) => `kept ${n}`,
});

const [one, two] = ["One", "Two"].map((name) => ({ type: "task", name }));
const LOOP = {
  nodes: { start: { type: "start" }, one, two, done: { type: "end", result: "success" } },
  edges: edges(["start", "one"], ["one", "two"], ["two", "one", "failed"], ["two", "done", "passed"]),
};

/** A task in a loop, and what moves it: a step, sent at so many ms by the clock of its sender. */
async function looping(rig: Rig) {
  const taskService = await service(rig, LOOP);
  const id = randomUUID();
  await load(taskService, id);
  const task = rig.client.task(id);
  const move = (step: object, sent_at: number) => task.workflow.executeUpdate("advance", { args: [step, { sent_at }] });
  return { taskService, task, move };
}

/** Moves within a second of what lists have heard. */
const FAST: Recording[] = [
  {
    name: "task-moved-fast",
    run: async (rig) => {
      const { taskService, task, move } = await looping(rig);
      await move({}, 0);
      await move({ result: "passed" }, 900);
      const isTold = async () =>
        ((await task.workflow.fetchHistory()).events ?? []).some((event) => event.timerFiredEventAttributes);
      await until(isTold, "lists hear of the second move");
      await move({ result: "failed" }, 4_000);
      await move({ result: "passed" }, 4_100);
      await move({ result: "passed" }, 4_200);
      await taskService.confirmSyncsOfTask(task.id);
      await task.result();
      return [idOf(task)];
    },
  },
  {
    name: "task-moved-fast-and-cancelled-by-the-server",
    run: async (rig) => {
      const { task, move } = await looping(rig);
      await move({}, 0);
      await move({ result: "passed" }, 1);
      await task.workflow.cancel();
      await expect(task.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
      return [idOf(task)];
    },
  },
];

export const TASK_RECORDINGS: Recording[] = [...PEOPLE, ...AGENTS, ...BRANCHES, ...WAITS, ...FAST];

/** On a server that wants a new run every 40 events. */
export const LONG_TASK_RECORDINGS: Recording[] = [
  {
    // With its reviews, and with people who are reminded and vote in different runs.
    name: "task-continued-with-reviews",
    run: async (rig) => {
      const task = await begin(rig, asking({ assignees: ["anna", "ben"], quorum: 2, remind_ms: DAY }, ...AGAIN));
      for (let round = 1; round <= 4; round++) {
        const { id: review } = await reviewAt(task, "approval");
        const choice = round < 4 ? "failed" : "passed";
        await task.signalDecision({ review: "nobody/asked/1", choice, by: "anna" });
        await task.decide({ review, choice, by: "anna" });
        await task.decide({ review, choice, by: "ben" });
        if (round < 4) await task.advance({ expectedStep: "again" });
      }
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // In the middle of a fork: its branches report to the run that follows.
    name: "task-continued-in-fork",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("all-pass"));
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      await taskService.advance(`${id}/web`, {});
      await isThere(taskService, `${id}/docs`);
      await taskService.advance(`${id}/docs`, {});
      for (let round = 0; round < 4; round++) {
        await taskService.pause(id);
        await taskService.resume(id);
      }
      for (let round = 0; round < 3; round++) {
        await taskService.advance(`${id}/api`, { result: "failed" });
        await taskService.advance(`${id}/api`, { result: "passed" });
      }
      await taskService.advance(`${id}/api`, { result: "passed" });
      await isAt(taskService, id, "ship");
      for (const one of [id, `${id}/api`]) await taskService.confirmSyncsOfTask(one);
      return [`task/${id}`, `task/${id}/api`];
    },
  },
  {
    // A person is asked, and signals that are refused fill the history.
    name: "task-continued-while-asked",
    run: async (rig) => {
      const task = await begin(rig, asking({ assignees: ["anna"] }, ...AGAIN));
      const { id: review } = await reviewAt(task, "approval");
      for (let sent = 0; sent < 20; sent++) {
        await task.signalDecision({ review: "nobody/asked/1", choice: "passed", by: "x" });
        await task.workflow.signal("childReport", { id: "nobody" });
        await task.workflow.signal("childReport", { id: "x", branch: "x", state: "over", verdict: "passed" });
      }
      expect(await task.reviews()).toHaveLength(1);
      await task.decide({ review, choice: "passed", by: "anna" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // Its agent asks a person, and signals that it refuses fill the history.
    name: "task-continued-while-its-agent-works",
    rig: { tools: [keep], script: { builder: [fenced('(return (if (tool/keep {:n 1}) "passed" "failed"))')] } },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder: agent({ name: "builder", tools: [keep.spec] }) });
      const run = rig.client.reviewed(`${idOf(task)}/build/1`);
      const review = await until(async () => (await run.reviews())[0], "the agent asks");
      for (let sent = 0; sent < 60; sent++)
        await task.signalDecision({ review: "nobody/asked/1", choice: "passed", by: "x" });
      await run.decide({ review: review.id, choice: "approve", by: "anna" });
      await until(async () => (await task.show()).currentStep === "look", "the agent has ended");
      await task.advance({ expectedStep: "look", result: "passed" });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // The same, and the task is cancelled in the end.
    name: "task-continued-and-cancelled-while-its-agent-works",
    rig: { tools: [keep], script: { builder: [fenced('(return (if (tool/keep {:n 1}) "passed" "failed"))')] } },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder: agent({ name: "builder", tools: [keep.spec] }) });
      const run = rig.client.reviewed(`${idOf(task)}/build/1`);
      await until(async () => (await run.reviews())[0], "the agent asks");
      for (let sent = 0; sent < 60; sent++)
        await task.signalDecision({ review: "nobody/asked/1", choice: "passed", by: "x" });
      await task.workflow.executeUpdate("cancelTask", { args: [{ note: "not needed" }] });
      await task.result();
      return [idOf(task)];
    },
  },
  {
    // The same, and the task is cancelled before the run that follows waits for the agent.
    name: "task-continued-and-cancelled-at-once",
    rig: { tools: [keep], script: { builder: [fenced('(return (if (tool/keep {:n 1}) "passed" "failed"))')] } },
    run: async (rig) => {
      const task = await begin(rig, WORKED, { builder: agent({ name: "builder", tools: [keep.spec] }) });
      const run = rig.client.reviewed(`${idOf(task)}/build/1`);
      await until(async () => (await run.reviews())[0], "the agent asks");
      await flood(task.workflow, 100, {
        signal: "decide",
        what: { review: "nobody/asked/1", choice: "passed", by: "x" },
      });
      await until(async () => (await rig.client.runs(idOf(task))).length > 1, "it continues as new");
      await task.workflow.executeUpdate("cancelTask", { args: [{ note: "not needed" }] });
      await task.result();
      expect((await run.workflow.describe()).status.name).toBe("CANCELLED");
      return [idOf(task)];
    },
  },
  {
    // It waits for its branches, and signals that it refuses fill the history.
    name: "task-continued-while-it-waits-for-branches",
    run: async (rig) => {
      const taskService = await service(rig, FORKED("all-pass"));
      const id = randomUUID();
      await load(taskService, id);
      await taskService.advance(id, {});
      const handle = rig.client.task(id);
      for (let sent = 0; sent < 50; sent++)
        await handle.signalDecision({ review: "nobody/asked/1", choice: "passed", by: "x" });
      await taskService.advance(`${id}/web`, {});
      await isThere(taskService, `${id}/docs`);
      await taskService.advance(`${id}/docs`, {});
      await taskService.advance(`${id}/api`, { result: "passed" });
      await isAt(taskService, id, "ship");
      await taskService.confirmSyncsOfTask(id);
      return [`task/${id}`];
    },
  },
  {
    // The run that follows waits for what is left.
    name: "task-continued-in-wait",
    run: async (rig) => {
      const taskService = await service(rig, WAITING({ for: "6s" }));
      const id = randomUUID();
      await load(taskService, id, { currentStep: "ship" });
      const { task } = await taskService.advance(id, { result: "passed" });
      for (let round = 0; round < 6; round++) {
        await taskService.pause(id);
        await taskService.resume(id);
      }
      expect(await taskService.task(id)).toMatchObject({ currentStep: "pause", waitingUntil: task.waitingUntil });
      await isAt(taskService, id, "ask");
      expect((await taskService.task(id)).history.at(-1)?.at).toBeGreaterThanOrEqual(task.waitingUntil as number);
      await taskService.advance(id, { result: "passed" });
      await taskService.confirmSyncsOfTask(id);
      await rig.client.task(id).result();
      return [`task/${id}`];
    },
  },
  {
    // An agent's attempts: each has the journal of those before it, also when a run lies between.
    name: "task-continued-with-agents",
    rig: { script: { builder: [fenced('(do (task "built" 1) (return {:outcome "failed"}))')] } },
    run: async (rig) => {
      const nodes = {
        start: { type: "start" },
        build: { type: "task", name: "Build", agent: "builder", maxRetries: 5 },
        done: { type: "end", result: "success" },
        lost: { type: "end", result: "failure" },
      };
      const ways = edges(["start", "build"], ["build", "done", "passed"], ["build", "lost", "failed"]);
      const task = await begin(rig, { nodes, edges: ways }, { builder });
      await task.result();
      return [idOf(task)];
    },
  },
];
