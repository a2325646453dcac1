import type { WorkflowExecutionDescription } from "@temporalio/client";
import { isStep } from "../../core/agent/run/chain";
import { defined } from "../../core/base/defined";
import { isMission, missionIdOf, workflowIdIn } from "../../core/base/ids";
import { type Paused, pausedInMemo } from "../../core/base/input/pause";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { endedIn } from "../../core/history/read/history";
import { type TraceSummary, traceSummary } from "../../core/history/trace/analyse";
import { missionLogs } from "../../core/history/trace/mission-logs";
import { type FailedPlace, failedPlace } from "../../core/history/why/failed-place";
import { type LastCallThatFailed, lastFailedCall } from "../../core/history/why/last-failed-call";
import { type InboxItem, itemsOfMemo } from "../../core/review/inbox/inbox-item";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { type MissionState, missionStateOf } from "../listing/mission-state";
import { type MissionTree, missionHistories, missionTreeOf } from "../mission-tree";
import { askedOf, type StartedWith } from "./started-with";

/** What a workflow is. */
export type RunKind = "agent" | "task" | "plan" | "other";

/** Everything about one workflow that a person wants to see at first, with the runs below it. */
export interface RunSheet extends MissionTree {
  run_id: string;
  kind: RunKind;
  state: MissionState;
  /** Of a task: its status. */
  status?: string;
  /** Who paused it, why, and when; of a mission or plan that is paused. */
  paused?: Paused;
  /** Ms since 1970. */
  started_at: number;
  closed_at?: number;
  task_queue: string;
  /** The workflow of what a user started. */
  mission: string;
  /** false: another run started it. */
  is_mission: boolean;
  parent?: string;
  asked: StartedWith;
  /** What it returned; of a plan, its results by step. Absent: it runs, it failed, or it is a task. */
  returned?: Json;
  /** Why it failed, and where that began; null: it did not. */
  failed: FailedPlace | null;
  /** Of work that failed, is blocked or makes a call again: the last call that failed before, in it or in a run below it. */
  last_failed_call?: LastCallThatFailed;
  /** The open reviews in it and below it, while it runs. */
  waits: InboxItem[];
  /** Calls that failed and are made again. */
  retrying: RetriedCall[];
  /** Time, turns, calls, tokens and money, with the runs below it. */
  summary: TraceSummary;
}

/** A call that the engine makes again. */
export interface RetriedCall {
  /** The activity: `callModel`, `callTool`. */
  what: string;
  /** The attempt that is made now, or next; 1-based. */
  attempt: number;
  /** Why the last one failed. */
  message: string;
}

const KINDS: { readonly [type: string]: RunKind } = { agentRun: "agent", navigatorTask: "task", planRun: "plan" };

/** What kind of workflow it is, by its type. */
export const runKindOf = (type: string): RunKind => KINDS[type] ?? "other";

/**
 * Reads all of it from the server: no worker is needed.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`, or that of a run below one
 * @throws NavigatorError `not_found`
 */
export async function readRunSheet(client: NavigatorClient, workflowId: string): Promise<RunSheet> {
  const whole = workflowIdIn(client.project, workflowId);
  const [known, histories] = await Promise.all([
    ask(() => client.temporal.workflow.getHandle(whole).describe()),
    missionHistories(client, whole),
  ]);
  const { runId, type, status, startTime, closeTime, taskQueue, searchAttributes, parentExecution } = known;
  const recorded = searchAttributes[ATTRIBUTE.status]?.[0];
  const isRunning = status.name === "RUNNING";
  const kind = runKindOf(type);
  const tree = missionTreeOf(histories);
  const failed = failedPlace(histories);
  const waits = isRunning ? await waitsOf(client, whole, known) : [];
  const retrying = isRunning ? retriedCalls(known) : [];
  const blocked = waits.flatMap(({ kind, workflow_id }) => (kind === "blocked" ? [workflow_id] : []));
  const isStuck = failed !== null || blocked.length > 0 || retrying.length > 0;
  const from = failed === null ? blocked : [failed.workflow_id];
  return {
    ...tree,
    run_id: runId,
    kind,
    state: withWaitsBelow(missionStateOf(known), waits),
    // A workflow that continues as new starts again; the mission has not.
    started_at: tree.projection.timeline[0]?.at ?? startTime.getTime(),
    ...defined({
      status: kind === "task" && recorded !== undefined ? String(recorded) : undefined,
      closed_at: closeTime?.getTime(),
      paused: isRunning ? pausedInMemo(known.memo) : undefined,
      returned: returnedBy(histories.runs),
      parent: parentExecution?.workflowId ?? undefined,
      last_failed_call: (isStuck ? lastFailedCall(histories, from) : null) ?? undefined,
    }),
    task_queue: taskQueue,
    mission: missionIdOf(whole),
    is_mission: isMission(whole),
    asked: askedOf(histories.runs),
    failed,
    waits,
    retrying,
    summary: traceSummary(missionLogs(histories).flatMap(({ lines }) => lines)),
  };
}

/** While it runs, what a run below it waits for is its state, as in lists. */
function withWaitsBelow(state: MissionState, waits: readonly InboxItem[]): MissionState {
  if (state !== "running" || waits.length === 0) return state;
  return waits.some(({ kind }) => kind === "blocked") ? "blocked" : "waiting";
}

/** Its own memo is read at once; lists, which show the runs below it, may be some milliseconds late. */
async function waitsOf(
  client: NavigatorClient,
  whole: string,
  { memo }: Pick<WorkflowExecutionDescription, "memo">,
): Promise<InboxItem[]> {
  const own = itemsOfMemo(whole, memo ?? {}).items;
  const { items } = await client.inbox({ mission: whole });
  return [...own, ...items.filter(({ workflow_id }) => workflow_id !== whole)];
}

function retriedCalls({ raw }: WorkflowExecutionDescription): RetriedCall[] {
  return (raw.pendingActivities ?? []).flatMap(({ activityType, attempt, lastFailure }) =>
    lastFailure === null || lastFailure === undefined
      ? []
      : [
          {
            what: activityType?.name ?? "",
            attempt: Number(attempt ?? 1),
            message: lastFailure.cause?.message ?? lastFailure.message ?? "",
          },
        ],
  );
}

/**
 * What an agent's run returned, or the results of a plan by the ids of its steps. undefined: it runs, it failed, or it is a task,
 * which returns nothing.
 *
 * @param runs the histories of a workflow, the oldest first
 */
function returnedBy(runs: readonly unknown[]): Json | undefined {
  const end = endedIn(runs.at(-1));
  const result = end?.state === "completed" ? end.result : undefined;
  if (isStep(result)) return result.fail === null ? result.return : undefined;
  return isObject(result) ? result.results : undefined;
}
