import type { TaskService } from "../../../src/client/tasks/task-service";
import { defineTool } from "../../../src/tools";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Tasks of the tree, each of which writes history in its own way. */
export interface TaskScenario {
  name: string;
  /** Runs it as far as it goes; answers the ids of the workflows to look at. */
  run(taskService: TaskService, rig: Rig): Promise<string[]>;
}

export const taskTools = [defineTool({ name: "page", signature: "(id :string) -> :string", run: () => "paged" })];
export const taskScript = {
  builder: [fenced('(do (task "built" 1) (return {:outcome "passed" :files 2}))')],
  checker: [fenced('(return {:outcome (if (= 1 (count data/steps)) "failed" "passed")})')],
};
export const taskAgents = { builder: agent({ name: "builder" }), checker: agent({ name: "checker" }) };

export const REVIEWED = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build", agent: "builder" },
    check: { type: "gate", name: "Check", agent: "checker", maxRetries: 1 },
    done: { type: "end", result: "success" },
    stuck: { type: "end", result: "blocked", escalation: "hitl" },
    lost: { type: "end", result: "failure", escalation: "alert" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "check" },
    { from: "check", to: "done", on: "passed" },
    { from: "check", to: "build", on: "failed" },
    { from: "check", to: "stuck", on: "max_retries_exceeded" },
    { from: "stuck", to: "build", on: "passed" },
    { from: "build", to: "lost", on: "failed" },
  ],
};
const PARTS = {
  nodes: {
    start: { type: "start" },
    split: { type: "fork", join: "merge" },
    left: { type: "task", name: "Left" },
    right: { type: "task", name: "Right" },
    merge: { type: "join", fork: "split" },
    inside: { type: "subflow", workflow: "reviewed", inputs: { who: "context.customer" } },
    done: { type: "end", result: "success" },
    missing: { type: "end", result: "failure" },
  },
  edges: [
    { from: "start", to: "split" },
    { from: "split", to: "left" },
    { from: "split", to: "right" },
    { from: "left", to: "merge" },
    { from: "right", to: "merge" },
    { from: "merge", to: "inside", on: "passed" },
    { from: "merge", to: "missing", on: "failed" },
    { from: "inside", to: "done", on: "passed" },
    { from: "inside", to: "missing", on: "failed" },
  ],
};

async function load(taskService: TaskService, id: string, workflowType = "reviewed", more: object = {}): Promise<void> {
  await taskService.loadTasks([{ id, issueId: "I-1", workflowType, ...more }], "merge");
}

const isAt = (taskService: TaskService, id: string, step: string) =>
  until(async () => (await taskService.task(id)).currentStep === step, `${id} is at ${step}`);

async function advanceBy(taskService: TaskService, id: string, ...results: (string | null)[]): Promise<void> {
  for (const result of results)
    await taskService.advance(id, result === null ? {} : { result, output: { said: result } });
}

export const TASK_SCENARIOS: TaskScenario[] = [
  {
    name: "task-retried-and-confirmed",
    run: async (taskService) => {
      await load(taskService, "retried");
      await advanceBy(taskService, "retried", null, null, "failed", null, "failed");
      await taskService.confirmSyncsOfTask("retried");
      await advanceBy(taskService, "retried", "passed", null, "passed");
      const { pending } = await taskService.pendingSyncs();
      await taskService.confirmSyncs(pending.filter(({ taskId }) => taskId === "retried").map(({ id }) => id));
      return ["task/retried"];
    },
  },
  {
    name: "task-claim-ran-out",
    run: async (taskService) => {
      await load(taskService, "claimed", "reviewed", { currentStep: "build" });
      await taskService.claim("claimed", { owner: "one", leaseMs: 1_000 });
      await until(async () => (await taskService.task("claimed")).status === "PENDING", "the claim has run out");
      const { token } = await taskService.claim("claimed", { owner: "two", leaseMs: 60_000 });
      await taskService.claim("claimed", { owner: "two", leaseMs: 60_000, token });
      await expect(taskService.advance("claimed", { claim: "another" })).rejects.toMatchObject({ code: "claim_lost" });
      await taskService.advance("claimed", { claim: token });
      const { token: third } = await taskService.claim("claimed", { owner: "three", leaseMs: 60_000 });
      await taskService.release("claimed", third);
      return ["task/claimed"];
    },
  },
  {
    name: "task-moved-by-version-and-token",
    run: async (taskService) => {
      await load(taskService, "versioned", "reviewed", { currentStep: "build" });
      const { token } = await taskService.claim("versioned", { owner: "one", leaseMs: 60_000 });
      // Their validators refuse these: nothing of them is in the history.
      await expect(taskService.advance("versioned", { claim: "another" })).rejects.toMatchObject({
        code: "claim_lost",
      });
      await expect(taskService.advance("versioned", { version: 7 })).rejects.toMatchObject({ code: "stale_version" });
      const step = { claim: token, version: 0 };
      const moved = await taskService.advance("versioned", step);
      expect(await taskService.advance("versioned", step)).toMatchObject({ version: moved.version as number });
      await taskService.advance("versioned", { result: "failed", version: 1 });
      await taskService.advance("versioned", { result: "failed", version: 1 });
      const again = await taskService.claim("versioned", { owner: "two", leaseMs: 60_000 });
      expect(again.token).not.toBe(token);
      await taskService.release("versioned", again.token);
      return ["task/versioned"];
    },
  },
  {
    name: "task-fork-and-subflow",
    run: async (taskService) => {
      await load(taskService, "parts", "parts", { context: { customer: "C-1" } });
      await advanceBy(taskService, "parts", null);
      await advanceBy(taskService, "parts/left", "passed");
      await advanceBy(taskService, "parts/right", "passed");
      await isAt(taskService, "parts", "inside");
      await until(
        async () => (await taskService.task("parts/inside")).status === "PENDING",
        "the subflow's task is there",
      );
      await advanceBy(taskService, "parts/inside", null, null, "passed");
      await isAt(taskService, "parts", "done");
      const ids = ["parts", "parts/left", "parts/right", "parts/inside"];
      for (const id of ids) await taskService.confirmSyncsOfTask(id);
      return ids.map((id) => `task/${id}`);
    },
  },
  {
    name: "task-paused-and-cancelled",
    run: async (taskService) => {
      await load(taskService, "paused");
      await advanceBy(taskService, "paused", null);
      await taskService.pause("paused", "lunch");
      await taskService.resume("paused");
      await advanceBy(taskService, "paused", null);
      await taskService.pause("paused");
      await taskService.cancel("paused", "not wanted any more");
      await taskService.confirmSyncsOfTask("paused");
      return ["task/paused"];
    },
  },
  {
    name: "task-reloaded",
    run: async (taskService) => {
      await load(taskService, "reloaded", "late");
      await expect(taskService.advance("reloaded", {})).rejects.toMatchObject({ code: "workflow_not_found" });
      await taskService.loadWorkflow("late", REVIEWED);
      await advanceBy(taskService, "reloaded", null, null, "failed");
      await load(taskService, "reloaded", "reviewed", { currentStep: "check", priority: 7 });
      await advanceBy(taskService, "reloaded", "passed");
      await taskService.confirmSyncsOfTask("reloaded");
      return ["task/reloaded"];
    },
  },
  {
    name: "task-alert",
    run: async (taskService) => {
      await load(taskService, "lost", "reviewed", { currentStep: "build" });
      await advanceBy(taskService, "lost", "failed");
      await taskService.confirmSyncsOfTask("lost");
      return ["task/lost"];
    },
  },
  {
    name: "task-driven-by-agents",
    run: async (taskService) => {
      await taskService.createTask({ id: "driven", issueId: "I-1", workflowType: "reviewed" }, { drive: "agent" });
      await isAt(taskService, "driven", "done");
      await taskService.confirmSyncsOfTask("driven");
      return ["task/driven", "task/driven/build/1", "task/driven/check/1"];
    },
  },
  {
    name: "definition-versions",
    run: async (taskService) => {
      const named = (name: string) => ({ ...REVIEWED, name });
      for (const name of ["first", "second", "second", "third"])
        await taskService.loadWorkflow("versions", named(name));
      return ["definition/versions"];
    },
  },
  {
    name: "task-tree",
    run: async (taskService) => {
      await load(taskService, "in-tree");
      await taskService.loadTasks([{ id: "the-only-one", issueId: "I-1", workflowType: "reviewed" }], "replace");
      return ["task-tree", "task/in-tree"];
    },
  },
];

export async function loadGraphs(taskService: TaskService): Promise<void> {
  await taskService.loadWorkflow("reviewed", REVIEWED);
  await taskService.loadWorkflow("parts", PARTS);
}
