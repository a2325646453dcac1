import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { WorkflowExecutionInfo } from "@temporalio/client";
import { ask } from "../../client/errors";
import { listWorkflows } from "../../client/list-workflows";
import type { MissionState } from "../../client/listing/mission-state";
import { listedMission, missionQuery } from "../../client/missions";
import { agentWorkflowId, bareId } from "../../core/base/ids";
import { isoTime } from "../../core/base/iso-time";
import { itemsOfMemo } from "../../core/review/inbox/inbox-item";
import type { EndpointCall } from "../routes/endpoint";
import { malformedField } from "./errors";
import { readA2aTask, taskOf } from "./read-task";
import { ownerOf, readTaskId, seesAllTasks, type TaskRef, taskIdBeginning } from "./task-id";

const SIZE = 50;
const MAX_SIZE = 100;
/** Open tasks that are sorted for a page. More would be left out. */
const MAX_OPEN = 2_000;
/** Histories that are read at a time. */
const AT_ONCE = 8;

const STATES: { readonly [state in MissionState]: TaskState } = {
  running: TaskState.TASK_STATE_WORKING,
  blocked: TaskState.TASK_STATE_WORKING,
  paused: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  terminated: TaskState.TASK_STATE_FAILED,
  timed_out: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

/** A task as the server lists it. */
interface Row {
  ref: TaskRef;
  skill: string;
  state: TaskState;
  /** When it came into its state, ms since 1970. */
  at: number;
}

/**
 * The tasks of a caller, or all of them for a person, those that changed last first. They are read from Visibility; histories are read
 * only for artifacts and messages.
 *
 * @throws A2AError for a page that cannot be
 */
export async function listA2aTasks(call: EndpointCall, params: ListTasksRequest): Promise<ListTasksResponse> {
  const { pageSize = SIZE, historyLength = 0, contextId, includeArtifacts = false } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_SIZE)
    throw malformedField("pageSize", `must be 1 to ${MAX_SIZE}`);
  if (historyLength < 0) throw malformedField("historyLength", "must be 0 or more");
  if (params.status === TaskState.UNRECOGNIZED) throw malformedField("status", "is no state of a task");
  const after = readToken(params.pageToken);
  const since = sinceIn(params.statusTimestampAfter);
  const fits = ({ ref, state, at }: Row) =>
    (contextId === "" || ref.contextId === contextId) &&
    (params.status === TaskState.TASK_STATE_UNSPECIFIED || state === params.status) &&
    at >= since;
  const query = queryOf(call, contextId);
  const [open, closed, totalSize] = await Promise.all([
    rowsOf(call, `${query} AND ExecutionStatus = "Running"`, { fits, most: MAX_OPEN }),
    rowsOf(call, `${query} AND ${closedBy(after)}`, {
      fits: (row) => fits(row) && isAfter(row, after),
      most: pageSize + 1,
      until: since,
    }),
    total(call, query, { fits, isWhole: isWhole(call, params) }),
  ]);
  const rows = [...open.filter((row) => isAfter(row, after)), ...closed].sort(byTime);
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tasks: await tasksOf(call, page, { historyLength, includeArtifacts }),
    nextPageToken: rows.length > pageSize && last !== undefined ? tokenOf(last) : "",
    pageSize,
    totalSize,
  };
}

/** What the server is asked for: it knows the beginning of the ids, and the rest is looked at here. */
function queryOf({ client, caller }: EndpointCall, contextId: string): string {
  const beginning = seesAllTasks(caller)
    ? taskIdBeginning()
    : taskIdBeginning(ownerOf(caller), contextId === "" ? undefined : contextId);
  const begins = JSON.stringify(agentWorkflowId(beginning, client.project));
  return `${missionQuery(client, { kind: "agent" })} AND WorkflowId STARTS_WITH ${begins}`;
}

/** Whether the query alone selects the tasks, so that the server can count them. */
const isWhole = ({ caller }: EndpointCall, { contextId, status, statusTimestampAfter }: ListTasksRequest): boolean =>
  (contextId === "" || !seesAllTasks(caller)) &&
  status === TaskState.TASK_STATE_UNSPECIFIED &&
  statusTimestampAfter === undefined;

async function total(
  call: EndpointCall,
  query: string,
  { fits, isWhole: whole }: { fits(row: Row): boolean; isWhole: boolean },
): Promise<number> {
  if (whole) return (await ask(() => call.client.temporal.workflow.count(query))).count;
  return (await rowsOf(call, query, { fits, most: MAX_OPEN })).length;
}

async function rowsOf(
  { client }: EndpointCall,
  query: string,
  { fits, most, until = 0 }: { fits(row: Row): boolean; most: number; until?: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  let page: string | undefined;
  do {
    const { workflows, next } = await listWorkflows(client.temporal, { query, size: MAX_SIZE, page });
    const listed = workflows.flatMap(rowOf);
    rows.push(...listed.filter(fits));
    // Closed ones come by the time at which they ended.
    page = listed.length > 0 && listed.every(({ at }) => at < until) ? undefined : next;
  } while (page !== undefined && rows.length < most);
  return rows;
}

function rowOf(info: WorkflowExecutionInfo): Row[] {
  const [mission] = listedMission(info);
  const ref = readTaskId(bareId("agent", info.workflowId));
  if (mission === undefined || ref === null) return [];
  const { started_at, closed_at, agent = "" } = mission;
  // A mission that is paused is asked about as before.
  const state = mission.state === "paused" && mission.open_reviews > 0 ? "waiting" : mission.state;
  const asked = closed_at === undefined ? itemsOfMemo(info.workflowId, info.memo ?? {}).items : [];
  const at = closed_at ?? Math.max(started_at, ...asked.map((item) => item.since));
  return [{ ref, skill: agent, state: STATES[state], at }];
}

const byTime = (a: Row, b: Row): number => b.at - a.at || (a.ref.id < b.ref.id ? -1 : 1);

/** The last task of the page before. */
interface Place {
  at: number;
  id: string;
}

const isAfter = ({ at, ref }: Row, after: Place | null): boolean =>
  after === null || at < after.at || (at === after.at && ref.id > after.id);

const closedBy = (after: Place | null): string =>
  // The server knows parts of milliseconds.
  `ExecutionStatus != "Running"${after === null ? "" : ` AND CloseTime < "${new Date(after.at + 1).toISOString()}"`}`;

const tokenOf = ({ at, ref }: Row): string => Buffer.from(JSON.stringify([at, ref.id])).toString("base64url");

/** The server reads no later time. */
const YEAR_10000 = 253_402_300_800_000 - 1;

function readToken(token: string): Place | null {
  if (token === "") return null;
  try {
    const [at, id] = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as [unknown, unknown];
    if (typeof at === "number" && Number.isInteger(at) && at >= 0 && at < YEAR_10000 && typeof id === "string")
      return { at, id };
  } catch {
    // What is no JSON is no token either.
  }
  throw malformedField("pageToken", "is none that a page before has given");
}

function sinceIn(time: string | undefined): number {
  if (time === undefined) return 0;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw malformedField("statusTimestampAfter", "must be a time as in 2026-11-23T09:00:00Z");
  return ms;
}

async function tasksOf(
  { client }: EndpointCall,
  rows: readonly Row[],
  { historyLength, includeArtifacts }: { historyLength: number; includeArtifacts: boolean },
): Promise<Task[]> {
  if (historyLength === 0 && !includeArtifacts) return rows.map(shortTask);
  const tasks: Task[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE)
    tasks.push(
      ...(await Promise.all(
        rows.slice(at, at + AT_ONCE).map(async ({ ref }) => {
          const task = taskOf(ref, await readA2aTask(client, ref), historyLength);
          return includeArtifacts ? task : { ...task, artifacts: [] };
        }),
      )),
    );
  return tasks;
}

const shortTask = ({ ref, skill, state, at }: Row): Task => ({
  id: ref.id,
  contextId: ref.contextId,
  status: { state, timestamp: isoTime(at), message: undefined },
  artifacts: [],
  history: [],
  metadata: { skill },
});
