import { listWorkflows } from "../../client/list-workflows";
import { readMissionEffects } from "../../client/mission-effects";
import { missionTree } from "../../client/mission-tree";
import { defined } from "../../core/base/defined";
import { belowPrefix, taskWorkflowId, workflowIdIn } from "../../core/base/ids";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { lastChars } from "../../core/base/whole-characters";
import { effectsSummary } from "../../core/effects/effects-summary";
import { shownOutputs } from "../../core/graph/show/instructions";
import type { Task } from "../../core/graph/task/task";
import type { Call } from "../context/tool";
import { logText } from "../results/mission-texts";

/** What belongs to a task besides itself: the task that it is a branch of, and the missions of its agents. */

/** A branch continues from the work before the fork, also by the branches of an earlier fork. */
export async function parentOf({ parentTaskId }: Task, call: Call) {
  if (parentTaskId === undefined) return undefined;
  const parent = await taskIfThere(parentTaskId, call);
  if (parent === undefined) return undefined;
  const { id, currentStep } = parent;
  return { id, currentStep, outputs: shownOutputs(parent), ...(await shownBranches(parent, call)) };
}

/** undefined: it was taken out of the tree, or its workflow is not kept any more. */
async function taskIfThere(id: string, { taskService }: Call): Promise<Task | undefined> {
  try {
    return await taskService.task(id);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "task_not_found") return undefined;
    throw error;
  }
}

/** The newest ones. */
const MAX_BRANCHES = 12;

/**
 * What the branches of a task gave, step by step, and where those and the subflows are that are open. The history of the task has only what
 * the last step of each gave. An answer does without them if they cannot be read soon.
 */
export async function shownBranches(
  task: Task,
  call: Call,
): Promise<{ branches?: JsonObject; branchesUnread?: string }> {
  const ids = childIds(task).slice(-MAX_BRANCHES);
  if (ids.length === 0) return {};
  const { client, serverContext } = call;
  try {
    const read = await client.temporal.withDeadline(Date.now() + READ_MS, () =>
      Promise.all(ids.map((id) => taskIfThere(id, call))),
    );
    const branches = read.flatMap((child) => (child === undefined ? [] : [[child.id, branchText(child)] as const]));
    return branches.length === 0 ? {} : { branches: Object.fromEntries(branches) };
  } catch (error) {
    serverContext.log.warn("mcp_branches_not_read", { task: task.id, error: (error as Error).message });
    return { branchesUnread: "What the branches of the task gave could not be read now. Ask again with current." };
  }
}

const branchText = (child: Task): JsonObject => ({
  currentStep: child.currentStep,
  status: child.status,
  outputs: shownOutputs(child),
});

/** The line of a fork in the history has its branches by their ids. Open branches and subflows are waited for. */
function childIds({ id, history, waitingFor = [] }: Task): string[] {
  const isChild = (name: string) => name.startsWith(`${id}/`);
  const met = history.flatMap(({ output }) => (isObject(output) ? Object.keys(output).filter(isChild) : []));
  return [...new Set([...met, ...waitingFor])];
}

/** The end of a long log: what was done last is what the next step needs. */
const MAX_LOG_CHARS = 3_000;
const MAX_RUNS = 20;

/** What lies around a task is read for so long. */
const READ_MS = 3_000;

/** The runs of agents below the task. An answer does without them if they cannot be read soon: the task has moved all the same. */
export async function missionsOf(task: Task, call: Call): Promise<{ missions?: JsonObject; missionsUnread?: string }> {
  const { client, serverContext } = call;
  try {
    return defined({
      missions: await client.temporal.withDeadline(Date.now() + READ_MS, () => readMissions(task, call)),
    });
  } catch (error) {
    serverContext.log.warn("mcp_missions_not_read", { task: task.id, error: (error as Error).message });
    return { missionsUnread: "What the agents of the task did could not be read now. Ask again with current." };
  }
}

/** Which ones run, what they recorded, and what they did to the world; undefined: there are none. */
async function readMissions({ id }: Task, { client }: Call): Promise<JsonObject | undefined> {
  const whole = workflowIdIn(client.project, taskWorkflowId(id));
  const { workflows } = await listWorkflows(client.temporal, {
    query: `WorkflowType = "agentRun" AND WorkflowId STARTS_WITH ${JSON.stringify(belowPrefix(whole))}`,
    size: MAX_RUNS,
  });
  if (workflows.length === 0) return undefined;
  const [tree, { effects }] = await Promise.all([
    missionTree(client, taskWorkflowId(id)),
    readMissionEffects(client, taskWorkflowId(id)),
  ]);
  const log = logText(tree);
  const unknown = effects.filter(({ state }) => state === "unknown" || state === "intended");
  return {
    running: workflows.filter(({ status }) => status.name === "RUNNING").map(({ workflowId }) => workflowId),
    log: log.length > MAX_LOG_CHARS ? `...${lastChars(log, MAX_LOG_CHARS)}` : log,
    effects: effectsSummary(effects),
    ...(unknown.length === 0 ? {} : { open: unknown.map(({ tool, state, key }) => ({ tool, state, key })) }),
  };
}
