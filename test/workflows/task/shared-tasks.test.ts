import { TaskService } from "../../../src/client/tasks/task-service";
import { type Definition, nodeOf } from "../../../src/core/graph/definition/schema";
import { advanceTask, type Task } from "../../../src/core/graph/task/task";
import { parseTask } from "../../../src/core/graph/task/task-input";
import { definitionOf, describeShared, sharedDefinitions, sharedTasks } from "../../core/graph/definition/shared-data";
import { SCRIPTS } from "../../core/graph/task/shared-scripts";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/**
 * The shared tasks on a real server: what the core alone does with them (test/core/graph/shared-tasks.test.ts) must be what
 * their workflows do, with branches and subflows as tasks of their own.
 */
const definitions = new Map(
  sharedDefinitions
    .filter(({ file }) => file.startsWith("workflows/"))
    .map((one): [string, Definition] => [one.id, definitionOf(one)]),
);
const definitionFor = (workflowType: string): Definition => definitions.get(workflowType) as Definition;

/** What branches and subflows are told; all others that their step passed. `back to ...`: what a person decides. */
const TOLD: { [id: string]: string } = {
  "task-004/api": "failed failed failed back+to+api passed failed passed passed",
  "task-004/api~2": "passed passed",
  "task-004/copy": "-",
  "task-006/identity": "- near_hit passed failed failed back+to+owners passed",
  "task-010/logs": "failed",
  "task-010/vendor": "- passed - - failed - passed passed -",
};

let rig: Rig;
let taskService: TaskService;

const stepOf = (said: string) => (said === "-" ? {} : { result: said });

/** What both sides must agree on. Of who waits for whom and when, the core alone knows nothing. */
function stateOf({ currentStep, status, retryCount, stepRetries, endResult, escalation, history }: Task) {
  const way = history.map(({ step, to, action }) => ({ step, to, action }));
  return { currentStep, status, retryCount, stepRetries, endResult, escalation, way };
}

async function decide(id: string, choice: string): Promise<void> {
  const { open } = await rig.client.openReviews({ workflow: `task/${id}` });
  await rig.client.task(id).decide({ review: open[0]?.review.id as string, choice, by: "anna" });
}

/** Leads a branch or a subflow's task to its end. */
async function finish(id: string): Promise<void> {
  const { currentStep, workflowType } = await taskService.task(id);
  const said = TOLD[id]?.split(" ");
  for (let at = 0, step = currentStep; ; at++) {
    const task = await taskService.task(id);
    if (task.status === "COMPLETED" || task.status === "FAILED") return;
    step = task.currentStep;
    const node = nodeOf(definitionFor(workflowType), step);
    const next = said?.[at] ?? (node?.type === "start" ? "-" : "passed");
    if (next.startsWith("back+to+")) await decide(id, `send ${next.replaceAll("+", " ")}`);
    else await taskService.advance(id, stepOf(next));
  }
}

/** One move of the task: where others must end first, they are led to their ends. */
async function move(id: string, said: string): Promise<Task> {
  const before = await taskService.task(id);
  const node = nodeOf(definitionFor(before.workflowType), before.currentStep);
  if (node?.type !== "fork" && node?.type !== "subflow")
    return ((await taskService.advance(id, stepOf(said))) as { task: Task }).task;
  const moved = async () => {
    const task = await taskService.task(id);
    if (task.history.length > before.history.length) return task;
    for (const child of task.waitingFor ?? []) await finish(child);
    return null;
  };
  return until(moved, `${id} goes on from ${before.currentStep}`);
}

describeShared("the shared tasks on a real server (skipped when absent)", () => {
  beforeAll(async () => {
    rig = await openRig({ namespace: await newNamespace() });
    taskService = new TaskService(rig.client);
    for (const { id, raw, file } of sharedDefinitions)
      if (file.startsWith("workflows/")) await taskService.loadWorkflow(id, raw);
    const { warnings, loaded } = await taskService.loadTasks(sharedTasks, "replace");
    expect({ warnings, loaded }).toEqual({ warnings: [], loaded: sharedTasks.length });
  });
  afterAll(() => rig?.stop());

  test("the queue offers the pending tasks, the most important first", async () => {
    const pending = sharedTasks as unknown as Task[];
    const ids = pending
      .filter(({ status }) => status === "PENDING")
      .sort((a, b) => b.priority - a.priority)
      .map(({ id }) => id);
    expect((await taskService.nextTasks(100)).map(({ id }) => id)).toEqual(ids);
  });

  test.each(sharedTasks.map((input) => [input.id, input] as const))(
    "%s takes the same path as in the core",
    async (id, input) => {
      const definition = definitionFor(input.workflowType);
      const read = parseTask(input, definition, 1);
      if (!read.ok) throw new Error(read.fail.message);
      let core: Task = read.value;
      if (core.status === "PAUSED") {
        core = { ...core, status: "PENDING" };
        await taskService.resume(id);
      }
      for (const said of SCRIPTS[id]?.said.split(" ").filter(Boolean) ?? []) {
        const moved = advanceTask(definition, core, stepOf(said), core.updatedAt + 1);
        if (!moved.ok) throw new Error(moved.fail.message);
        core = moved.task;
        const task = await move(id, said);
        const waits = ["fork", "subflow"].includes(nodeOf(definition, core.currentStep)?.type ?? "");
        expect(stateOf(task)).toEqual({ ...stateOf(core), ...(waits ? { status: "IN_PROGRESS" } : {}) });
      }
      expect(await taskService.task(id)).toMatchObject(SCRIPTS[id]?.ends ?? {});
    },
  );

  test("every move of each task is its own record, and confirming them leaves none", async () => {
    const { pending } = await taskService.pendingSyncs();
    for (const { id } of sharedTasks) {
      const own = pending.filter(({ taskId }) => taskId === id).map(({ nextStep }) => nextStep);
      expect([id, own.join(" ")]).toEqual([id, SCRIPTS[id]?.way]);
    }
    expect(await taskService.confirmSyncs(pending.map(({ id }) => id))).toMatchObject({ notFound: [], remaining: 0 });
  });
});
