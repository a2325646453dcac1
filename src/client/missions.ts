import type { Client, WorkflowExecutionInfo } from "@temporalio/client";
import { USAGE_MEMO } from "../core/agent/budget/mission-usage";
import { defined } from "../core/base/defined";
import { isMission, kindOf, type MissionKind } from "../core/base/ids";
import { type Paused, pausedInMemo } from "../core/base/input/pause";
import { isObject } from "../core/base/is-object";
import { NavigatorError } from "../core/base/navigator-error";
import { joinLines } from "../core/base/one-line";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { FailedCall } from "../core/history/read/failed-call";
import { readHistory } from "../core/history/read/history";
import { failureText, historyEnd } from "../core/history/read/workflow-end";
import { numberAt } from "../core/history/trace/number-at";
import { itemsOfMemo } from "../core/review/inbox/inbox-item";
import { readableHistory } from "../node/encoding/readable-history";
import { ask } from "./errors";
import type { InboxPlace } from "./inbox";
import { listWorkflows } from "./list-workflows";
import {
  FAILED_AS_VALUE,
  type MissionState,
  missionStateOf,
  OVER_BUT_OPEN,
  REMOVED,
  STATE_QUERY,
  unknownOf,
} from "./listing/mission-state";
import { hasNoMissionAbove, inProject } from "./listing/project-filter";
import {
  belowQuery,
  MAX_BELOW,
  SHOWN_ABOVE,
  type StateBelow,
  stateQuery,
  statesBelow,
  withBelow,
} from "./listing/states-below";

/** What users started, as the server lists it: from Visibility and memo alone, without a worker. */

/** What a list is narrowed to, and which page of it. */
export interface MissionListOptions {
  kind?: MissionKind;
  state?: MissionState;
  /** The name of its agent. */
  agent?: string;
  /** The graph of a task. */
  graph?: string;
  /** The id, the agent, the graph, the step or the issue has this text, in any case. */
  text?: string;
  /** It used at least this so far, in US dollars. Missions whose cost is not known are left out. */
  min_cost?: number;
  /** Ms since 1970. */
  started_after?: number;
  started_before?: number;
  /** A part of a query in the server's own language, which it must fit as well: `CloseTime > "2026-11-26"`. */
  query?: string;
  /** Of those that failed, also why: the end of the history of each is read. */
  errors?: boolean;
  /** `next` of the page before, for the same filter. */
  page?: string;
  /** Items of a page, 1 to 200 (default 50). */
  size?: number;
}

/** What counters are narrowed to. */
export type MissionCountOptions = Omit<
  MissionListOptions,
  "state" | "text" | "min_cost" | "query" | "errors" | "page" | "size"
>;

/** One of them. */
export interface ListedMission {
  workflow_id: string;
  run_id: string;
  kind: MissionKind;
  state: MissionState;
  /** Ms since 1970. */
  started_at: number;
  closed_at?: number;
  /** Of an agent's mission: its name. */
  agent?: string;
  /** Of a task: its graph, the step where it is, its issue, its status and its priority. */
  graph?: string;
  step?: string;
  issue?: string;
  status?: string;
  priority?: number;
  /** Reviews of it that are open. */
  open_reviews: number;
  /** What it used so far, with the runs below it: US dollars, where prices are known, and tokens. */
  cost?: number;
  tokens?: number;
  /** Who paused it, why, and when; of a mission or plan that is paused. */
  paused?: Paused;
  /** The reason of its wait, in one line: its oldest open review, a decision, a part that no worker has. `waits below:` a run below it waits. */
  waits_for?: string;
  /** Since when it waits, is blocked or paused. Ms since 1970. */
  since?: number;
  /** Why it failed, if the list was asked for it, and the call that caused it if the reason names none. */
  error?: string;
  failed_call?: FailedCall;
  task_queue: string;
}

/** A page: open ones first, then the newest. A page with `next` may have no items, if few fit the text or the cost. */
export interface MissionPage {
  missions: ListedMission[];
  next?: string;
}

const SIZE = 50;
const MAX_SIZE = 200;
/** Workflows that are looked at for one page, if the text or the cost takes most of them away. */
const MAX_LOOKED_AT = 2_000;
/** After this time a page ends with what fits so far, and the next one continues. */
const LOOK_MS = 150;

/** @throws NavigatorError `invalid_input` */
export async function listMissions(place: InboxPlace, options: MissionListOptions = {}): Promise<MissionPage> {
  const { size = SIZE, text, min_cost } = options;
  const isSifted = text !== undefined || min_cost !== undefined;
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    throw new NavigatorError("invalid_input", `A page of missions has 1 to ${MAX_SIZE} items, not ${size}.`, {
      details: { path: "size" },
    });
  const below = await readBelow(place, options.state);
  const query = missionQuery(place, options, below);
  const missions: ListedMission[] = [];
  let page = options.page;
  const began = Date.now();
  for (let lookedAt = 0; missions.length < size && lookedAt < MAX_LOOKED_AT; ) {
    const { workflows, next } = await listWorkflows(place.temporal, {
      query,
      // A page of the server is never cut: its token leads to the place after all of it.
      size: isSifted ? Math.max(size, 100) : size,
      page,
    });
    lookedAt += workflows.length;
    missions.push(
      ...workflows
        .flatMap(listedMission)
        .map((mission) => withBelow(mission, below))
        .filter((mission) => hasText(mission, text) && (min_cost === undefined || (mission.cost ?? -1) >= min_cost)),
    );
    page = next;
    if (next === undefined || !isSifted || Date.now() - began > LOOK_MS) break;
  }
  const shown = options.errors ? await withErrors(place.temporal, missions) : missions;
  return { missions: shown, ...defined({ next: page }) };
}

/** How many there are in each state. The server counts its own states in one call, so the others are counted besides. */
export async function countMissions(
  place: InboxPlace,
  options: MissionCountOptions = {},
): Promise<{ [state in MissionState]: number }> {
  const { workflow } = place.temporal;
  const all = missionQuery(place, options);
  const below = await readBelow(place, undefined);
  const count = async (query: string) => (await ask(() => workflow.count(`${all} AND ${query}`))).count;
  const [{ groups }, waiting, blocked, paused, failed, removed, openCompleted, openFailed, openRemoved] =
    await Promise.all([
      ask(() => workflow.count(`${all} GROUP BY ExecutionStatus`)),
      count(stateQuery("waiting", below)),
      count(stateQuery("blocked", below)),
      count(STATE_QUERY.paused),
      count(FAILED_AS_VALUE),
      count(REMOVED),
      count(OVER_BUT_OPEN.completed),
      count(OVER_BUT_OPEN.failed),
      count(OVER_BUT_OPEN.cancelled),
    ]);
  const of = (status: string) => groups.find(({ groupValues }) => String(groupValues[0]) === status)?.count ?? 0;
  // Between two counts a mission may move: no state has fewer than none.
  const without = (status: string, others: number) => Math.max(0, of(status) - others);
  return {
    running: without("Running", waiting + blocked + paused + openCompleted + openFailed + openRemoved),
    waiting,
    blocked,
    paused,
    completed: without("Completed", failed + removed) + openCompleted,
    failed: of("Failed") + failed + openFailed,
    cancelled: of("Canceled") + removed + openRemoved,
    terminated: of("Terminated"),
    timed_out: of("TimedOut"),
  };
}

/** The states below missions, where a list may show them. */
async function readBelow({ temporal, project }: InboxPlace, state: MissionState | undefined) {
  if (state !== undefined && !SHOWN_ABOVE.includes(state)) return new Map<string, StateBelow>();
  const { workflows } = await listWorkflows(temporal, { query: belowQuery(project), size: MAX_BELOW });
  return statesBelow(workflows);
}

const TYPES: { readonly [kind in MissionKind]: string } = { agent: "agentRun", task: "navigatorTask", plan: "planRun" };

/**
 * What the server is asked for a list of missions. Runs below others are left out: they have a parent that is a mission.
 * What a schedule, or a workflow of the application, has started has another parent.
 *
 * @param below the states below missions that run; absent = they count as running
 */
export function missionQuery(
  { project }: InboxPlace,
  options: MissionListOptions,
  below: ReadonlyMap<string, StateBelow> = new Map(),
): string {
  const { kind, state, agent, graph, started_after, started_before, query } = options;
  const types = (kind === undefined ? Object.values(TYPES) : [TYPES[kind]]).map((type) => JSON.stringify(type));
  return [
    `WorkflowType IN (${types.join(", ")})`,
    hasNoMissionAbove(project),
    inProject(project),
    ...(state === undefined ? [] : [stateQuery(state, below)]),
    ...(agent === undefined ? [] : [`${ATTRIBUTE.agent} = ${JSON.stringify(agent)}`]),
    ...(graph === undefined ? [] : [`${ATTRIBUTE.workflow} = ${JSON.stringify(graph)}`]),
    ...(started_after === undefined ? [] : [`StartTime >= "${new Date(started_after).toISOString()}"`]),
    ...(started_before === undefined ? [] : [`StartTime < "${new Date(started_before).toISOString()}"`]),
    ...(query === undefined ? [] : [`(${query})`]),
    `ExecutionStatus != "ContinuedAsNew"`,
  ].join(" AND ");
}

/** A mission as the server lists it; `[]` for what is none. */
export function listedMission(info: WorkflowExecutionInfo): ListedMission[] {
  const { workflowId, runId, status, startTime, closeTime, searchAttributes, taskQueue, memo } = info;
  const kind = kindOf(workflowId);
  if (kind === undefined || !isMission(workflowId)) return [];
  const of = (name: keyof typeof searchAttributes) => searchAttributes[name]?.[0];
  const text = (name: string) => {
    const value = of(name);
    return value === undefined ? undefined : String(value);
  };
  const recorded = text(ATTRIBUTE.status);
  const open_reviews = Number(of(ATTRIBUTE.openReviews) ?? 0);
  const isOpen = status.name === "RUNNING";
  return [
    {
      workflow_id: workflowId,
      run_id: runId,
      kind,
      state: missionStateOf(info),
      started_at: startTime.getTime(),
      ...defined({
        closed_at: closeTime?.getTime(),
        agent: kind === "agent" ? text(ATTRIBUTE.agent) : undefined,
        graph: text(ATTRIBUTE.workflow),
        step: text(ATTRIBUTE.step),
        issue: text(ATTRIBUTE.issue),
        status: kind === "task" ? recorded : undefined,
        priority: kind === "task" ? Number(of(ATTRIBUTE.priority) ?? 0) : undefined,
      }),
      open_reviews,
      ...usedOf(memo?.[USAGE_MEMO]),
      ...(isOpen ? (newerOf(text(ATTRIBUTE.format)) ?? waitOf(workflowId, memo ?? {})) : {}),
      ...(isOpen ? pauseOf(memo) : {}),
      task_queue: taskQueue,
    },
  ];
}

/** The usage that the memo of a mission reports. */
function usedOf(reported: unknown): Pick<ListedMission, "cost" | "tokens"> {
  if (!isObject(reported)) return {};
  const [cost, input, output] = [
    numberAt(reported, "cost"),
    numberAt(reported, "input_tokens"),
    numberAt(reported, "output_tokens"),
  ];
  return { ...(cost > 0 ? { cost } : {}), ...(input + output > 0 ? { tokens: input + output } : {}) };
}

/** A run that waits for a worker of another version; undefined: workers of this one serve it. */
function newerOf(format: string | undefined): Pick<ListedMission, "waits_for"> | undefined {
  const unknown = unknownOf(format);
  return unknown === null ? undefined : { waits_for: `blocked: a worker that knows ${unknown}` };
}

/** The oldest open review in it, as its memo shows. */
function waitOf(workflowId: string, memo: { [field: string]: unknown }): Pick<ListedMission, "waits_for" | "since"> {
  const [first] = itemsOfMemo(workflowId, memo).items.sort((a, b) => a.since - b.since);
  if (first === undefined) return {};
  const { kind, title, since } = first;
  return { waits_for: `${kind}: ${joinLines(title)}`, ...(since > 0 ? { since } : {}) };
}

/** People see the pause first, whatever else the mission waits for. */
function pauseOf(memo: WorkflowExecutionInfo["memo"]): Pick<ListedMission, "paused" | "since"> {
  const paused = pausedInMemo(memo);
  return paused === undefined ? {} : { paused, since: paused.at };
}

function hasText({ workflow_id, agent, graph, step, issue }: ListedMission, text: string | undefined): boolean {
  if (text === undefined) return true;
  const sought = text.toLowerCase();
  return [workflow_id, agent, graph, step, issue].some((field) => field?.toLowerCase().includes(sought) === true);
}

/** Calls at a time. */
const AT_ONCE = 8;

/** Temporal's number for the last event of a history only. */
const CLOSE_EVENT = 2;

/** The fields that `withErrors` reads of a listed mission. */
interface Ended {
  workflow_id: string;
  run_id: string;
  state: MissionState;
  error?: string;
  failed_call?: FailedCall;
}

/** The missions, and of those that failed also why. Only the last event of each is read. */
async function withErrors<T extends Ended>(temporal: Client, missions: readonly T[]): Promise<T[]> {
  const shown = [...missions];
  const failed = shown.flatMap(({ state }, at) => (HAS_CAUSE.includes(state) ? [at] : []));
  for (let from = 0; from < failed.length; from += AT_ONCE)
    await Promise.all(
      failed.slice(from, from + AT_ONCE).map(async (at) => {
        const mission = shown[at] as T;
        shown[at] = { ...mission, ...(await errorOf(temporal, mission)) };
      }),
    );
  return shown;
}

const HAS_CAUSE: readonly MissionState[] = ["failed", "terminated"];

async function errorOf(
  { workflow, options: { namespace, loadedDataConverter } }: Client,
  { workflow_id, run_id }: Ended,
): Promise<Pick<Ended, "error" | "failed_call">> {
  const { history } = await ask(() =>
    workflow.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: workflow_id, runId: run_id },
      historyEventFilterType: CLOSE_EVENT,
    }),
  );
  const end = historyEnd(readHistory(await ask(() => readableHistory(history ?? {}, loadedDataConverter))));
  if (end?.fail === undefined) return {};
  return { error: failureText(end.fail), ...defined({ failed_call: end.failed_call }) };
}
