import type { Priority } from "@temporalio/common";
import { defined } from "../../core/base/defined";
import {
  bareId,
  isMission,
  kindOf,
  type MissionKind,
  projectOf,
  workflowIdFor,
  workflowIdIn,
} from "../../core/base/ids";
import { startableProject } from "../../core/base/input/project";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { decodePayloads } from "../../core/journal/history";
import type { agentRun, navigatorTask } from "../../workflows";
import type { AgentRunInput } from "../../workflows/agent-run-input";
import type { NavigatorTaskInput } from "../../workflows/navigator-task-input";
import type { planRun } from "../../workflows/plan/plan-run";
import type { PlanRunInput } from "../../workflows/plan-run-input";
import { agentAttributes, planAttributes, taskAttributes } from "../../workflows/search-attributes";
import { planIntent, runIntent, taskIntent } from "../../workflows/start/intent";
import { workPriority } from "../../workflows/start/priority";
import type { NavigatorClient } from "../client";
import { ask, isAbsent } from "../errors";
import { startOnce } from "../start-once";
import { startEventOf } from "./started-with";

/** The mission that does the same again. */
export interface RetriedMission {
  /** Of the new mission. */
  workflow_id: string;
  /** false: an earlier retry still runs, and nothing was started. */
  started: boolean;
}

/** How a retry is made. */
export interface RetryOptions {
  /** Who asks for it. */
  by?: string | undefined;
  /** Makes a task of the orchestrator's list, which has its place in the tree. */
  createTask(task: JsonObject, drive: "agent" | "external"): Promise<unknown>;
}

/** `x-again-2` is the first retry of `x`, and of every other retry of it. */
const AGAIN = /-again-\d+$/;
const MAX_RETRIES = 1_000;

/**
 * Starts what has ended once more, with the same input and an id of its own. It is a new mission: it takes over nothing, and does
 * anew what the first one did to the world. While a retry runs, no second one is started.
 *
 * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
 * @throws NavigatorError `not_found`, also if the server has no history of its start any more; `wrong_kind`, `still_running`
 */
export async function retryMission(
  client: NavigatorClient,
  workflowId: string,
  options: RetryOptions,
): Promise<RetriedMission> {
  startableProject(client.project);
  const whole = workflowIdIn(client.project, workflowId);
  const kind = kindOf(whole);
  if (projectOf(whole) !== client.project)
    throw new NavigatorError("wrong_kind", `"${whole}" belongs to another project, and is started again there.`);
  if (kind === undefined || !isMission(whole))
    throw new NavigatorError(
      "wrong_kind",
      `"${whole}" is a part of a mission: only a whole mission can be started again.`,
    );
  const { status, firstExecutionRunId, runId } = await ask(() =>
    client.temporal.workflow.getHandle(whole).describe(),
  ).then((known) => ({ ...known, firstExecutionRunId: known.raw.workflowExecutionInfo?.firstRunId || known.runId }));
  if (status.name === "RUNNING")
    throw new NavigatorError("still_running", `"${whole}" has not ended, so it is not started again.`);
  const { input, priority } = await startOf(client, whole, firstExecutionRunId || runId);
  const { id, isRunning } = await freeId(client, kind, bareId(kind, whole).replace(AGAIN, ""));
  const workflow_id = workflowIdFor(kind, id, client.project);
  if (isRunning) return { workflow_id, started: false };
  await START[kind](client, { id, priority }, { ...input, ...defined({ requested_by: options.by }) }, options);
  return { workflow_id, started: true };
}

/** What the first run of a workflow was started with, and its share of the workers. */
async function startOf(client: NavigatorClient, whole: string, runId: string) {
  const { exportHistory } = await import("../history");
  const handle = client.temporal.workflow.getHandle(whole, runId);
  const { input: payloads, priority } = startEventOf([await exportHistory(handle)])?.attributes ?? {};
  const input = decodePayloads(payloads);
  // An empty one has all defaults.
  if (isObject(input))
    return { input, priority: isObject(priority) ? (priority as Priority) : workPriority({}, client.project) };
  throw new NavigatorError("not_found", `The server does not have the start of "${whole}" any more.`);
}

/** The id of the next retry, or of one that runs. */
async function freeId(client: NavigatorClient, kind: MissionKind, base: string) {
  for (let n = 2; n < MAX_RETRIES; n++) {
    const id = `${base}-again-${n}`;
    const handle = client.temporal.workflow.getHandle(workflowIdFor(kind, id, client.project));
    try {
      const { status } = await ask(() => handle.describe());
      if (status.name === "RUNNING") return { id, isRunning: true };
    } catch (error) {
      if (!isAbsent(error)) throw error;
      return { id, isRunning: false };
    }
  }
  throw new NavigatorError("id_in_use", `"${base}" was started again ${MAX_RETRIES} times.`);
}

interface NewMission {
  id: string;
  priority: Priority | undefined;
}

type Start = (
  client: NavigatorClient,
  mission: NewMission,
  input: JsonObject,
  options: RetryOptions,
) => Promise<unknown>;

const START: { readonly [kind in MissionKind]: Start } = {
  agent: (client, mission, raw) => {
    // A run that keeps the keys of another would be given the answers of that one.
    const { idempotency_scope: _, owner: __, ...input } = raw as unknown as AgentRunInput;
    const agent = input.agent.name ?? "agent";
    return startOnce<typeof agentRun>(client.temporal, "agentRun", {
      ...common(client, "agent", mission),
      args: [input],
      typedSearchAttributes: agentAttributes({ agent }),
      staticSummary: `agent ${agent}`,
      staticDetails: input.agent.description ?? "",
      intent: runIntent(input),
    });
  },
  task: (client, mission, raw, { createTask }) => {
    const { id } = mission;
    const { order, ...given } = raw as unknown as NavigatorTaskInput;
    const now = Date.now();
    const task = { ...given.task, id, createdAt: now, updatedAt: now };
    if (order !== undefined) return createTask(task as unknown as JsonObject, given.drive ?? "agent");
    const input = { ...given, task };
    return startOnce<typeof navigatorTask>(client.temporal, "navigatorTask", {
      ...common(client, "task", mission),
      args: [input],
      typedSearchAttributes: taskAttributes(task),
      staticSummary: `task ${id} on ${task.workflowType}`,
      staticDetails: input.definition?.description ?? "",
      intent: taskIntent(input),
    });
  },
  plan: (client, mission, raw) => {
    const input = raw as unknown as PlanRunInput;
    return startOnce<typeof planRun>(client.temporal, "planRun", {
      ...common(client, "plan", mission),
      args: [input],
      typedSearchAttributes: planAttributes(),
      staticSummary: `plan ${mission.id}`,
      staticDetails: input.mission ?? "",
      intent: planIntent(input),
    });
  },
};

const common = ({ taskQueue, project }: NavigatorClient, kind: MissionKind, { id, priority }: NewMission) => ({
  workflowId: workflowIdFor(kind, id, project),
  taskQueue,
  named: { what: kind === "agent" ? "run" : kind, id },
  join: false,
  ...defined({ priority }),
});
