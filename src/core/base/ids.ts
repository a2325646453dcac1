/**
 * All workflow ids, and the ids that contain one, are built and split here and nowhere else. Recorded histories,
 * idempotency keys and saved links contain them, so their text must never change.
 *
 *   agent/ID                                  a run of an agent
 *   agent/SCHEDULE-PERIOD                     a run that a schedule started
 *   PARENT/TOOL/TURN.CALL                     a run of an agent that another run called as a tool
 *   task/ID                                   a task on a graph
 *   task/ID/STEP/ATTEMPT                      a run of the agent at a step of a task
 *   task/PARENT/NODE, task/PARENT/NODE~ROUND  the task of a branch or a subflow
 *   plan/ID                                   a plan
 *   plan/ID/EXECUTION/TASK/ATTEMPT            a run for a task of a plan; of its quality gate with `/gate` at the end
 *   plan/ID/plan/ATTEMPT                      a run of the planner
 *   plan/ID/repair/EXECUTION/ATTEMPT          a run of the planner that repairs a plan
 *   undo/MISSION/NUMBER                       the first, second, ... undo of a mission: `undo/agent/ID/1`
 *   definition/ID                             a stored graph
 *   schedule/ID                               what a schedule starts; it starts the run
 *   effect/EFFECT                             who makes an effect that all missions of the namespace share
 *   task-tree                                 the numbers by which tasks are ordered
 *
 * All of them begin with the project's name, as in `shop:task/42` (docs/decisions/0020): two projects on one server may
 * use the same ID. Work of a client without a project has no such beginning.
 *
 * An ID that a user chose has no `/` (id-rule.ts), so that no id of a child can be the id of something else.
 */

import { cutBytes, utf8Bytes } from "./bytes";
import { NavigatorError } from "./navigator-error";

/** What a user starts and asks about. */
export type MissionKind = "agent" | "task" | "plan";

/** The name of a project; null = none. */
export type ProjectName = string | null;

/** Letters, digits and `-`: it is the first part of workflow ids and of the name of a task queue. */
export const PROJECT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** In the place of a name: lists show the work of all projects, and ids are as they are written. Nothing is started in it. */
export const ALL_PROJECTS = "all";

/** The first characters of all workflow ids of a project: `shop:`. */
export const projectPrefix = (project: ProjectName): string =>
  project === null || project === ALL_PROJECTS ? "" : `${project}:`;

/** The beginnings of the ids of everything that people start and list in a project. */
export const idBeginnings = (project: ProjectName): string[] =>
  project === null ? ["agent/", "task/", "plan/", "definition/"] : [projectPrefix(project)];

/** The beginning of the ids of all runs below a workflow. */
export const belowPrefix = (workflowId: string): string => `${workflowId}/`;

/** The project of a workflow id; null = none. */
export const projectOf = (workflowId: string): ProjectName =>
  /^([a-z0-9][a-z0-9-]*):(?:(?:agent|task|plan|definition|schedule|undo|effect)\/|task-tree$)/.exec(workflowId)?.[1] ??
  null;

/** The workflow id for exactly this id, whatever its form. */
export const workflowIdFor = (kind: MissionKind, id: string, project: ProjectName = null): string =>
  `${projectPrefix(project)}${kind}/${id}`;

/** Temporal's limit for a workflow id: a workflow task that starts a child with a longer one fails for ever. */
export const MAX_WORKFLOW_ID_BYTES = 1_000;

/**
 * An id that a caller asks about. A text longer than any workflow id can be is refused here: a server does not
 * manage to report that it has no such workflow, and the caller would wait for minutes. Nor can it read a request with half of a character.
 *
 * @throws NavigatorError `invalid_id`
 */
function askedId(id: string, limit = MAX_WORKFLOW_ID_BYTES): string {
  if (!id.isWellFormed())
    throw new NavigatorError(
      "invalid_id",
      `${JSON.stringify(cutBytes(id, 60))} cannot be an id: it has half of a character.`,
    );
  if (id.length <= limit / 4 || utf8Bytes(id) <= limit) return id;
  throw new NavigatorError(
    "invalid_id",
    `The id "${cutBytes(id, 60)}..." has ${utf8Bytes(id)} bytes; the limit is ${limit}.`,
  );
}

/** `agent/ID`. An id with a slash is a workflow id: runs below other runs are named by it too. */
export const agentWorkflowId = (id: string, project: ProjectName = null): string =>
  id.includes("/") ? workflowIdIn(project, id) : askedId(workflowIdFor("agent", id, project));

/** `task/ID`. An id that begins with `task/` is a workflow id. */
export const taskWorkflowId = (id: string, project: ProjectName = null): string =>
  kindOf(id) === "task" ? workflowIdIn(project, id) : askedId(workflowIdFor("task", id, project));

/** `plan/ID`. An id that begins with `plan/` is a workflow id. */
export const planWorkflowId = (id: string, project: ProjectName = null): string =>
  kindOf(id) === "plan" ? workflowIdIn(project, id) : askedId(workflowIdFor("plan", id, project));

/** A workflow id as people write it, `task/42`, within a project. One that names a project stays as it is. */
export const workflowIdIn = (project: ProjectName, workflowId: string): string => askedId(within(project, workflowId));

function within(project: ProjectName, id: string): string {
  const prefix = projectPrefix(project);
  // Also what is no id of a kind gets the prefix once.
  return projectOf(id) !== null || id.startsWith(prefix) ? id : `${prefix}${id}`;
}

/** The workflow that keeps the versions of a graph. */
export const definitionWorkflowId = (id: string, project: ProjectName = null): string =>
  askedId(`${projectPrefix(project)}definition/${id}`);

/** The id of the graph that a workflow keeps; undefined for another workflow's id. */
export const definitionIdOf = (workflowId: string): string | undefined =>
  /^(?:[a-z0-9][a-z0-9-]*:)?definition\/(.+)$/.exec(workflowId)?.[1];

/** The workflow that guards an effect, and the first part of its keys. @param effect the effect id */
export const effectWorkflowId = (effect: string, project: ProjectName = null): string =>
  `${projectPrefix(project)}effect/${effect}`;

/** The effect id that a workflow guards; undefined for another workflow's id. */
export const effectIdOf = (workflowId: string): string | undefined =>
  /^(?:[a-z0-9][a-z0-9-]*:)?effect\/([A-Za-z0-9_-]{43})$/.exec(workflowId)?.[1];

/** The first part of the id of what a schedule starts: the server appends the time at which it was due. */
export const scheduleWorkflowId = (id: string, project: ProjectName = null): string =>
  `${projectPrefix(project)}schedule/${id}`;

/** The id of a Temporal Schedule. */
export const scheduleIdIn = (project: ProjectName, id: string): string => askedId(`${projectPrefix(project)}${id}`);

/** The one workflow of a project that gives out the numbers by which tasks are ordered. */
export const taskTreeWorkflowId = (project: ProjectName): string => `${projectPrefix(project)}task-tree`;

/**
 * An undo of a mission. Its number makes sure that two never run at the same time: the next one can only be started when
 * the one before is over.
 *
 * @param mission the workflow id of what a user started
 */
export const undoWorkflowId = (mission: string, number: number): string => {
  const prefix = projectPrefix(projectOf(mission));
  return `${prefix}undo/${mission.slice(prefix.length)}/${number}`;
};

/** Whether it is the workflow of something that a user started: not of a run, a branch or a subflow below it. */
export const isMission = (workflowId: string): boolean =>
  kindOf(workflowId) !== undefined && !workflowId.replace(KIND, "").includes("/");

/** The workflow of what a user started: `shop:plan/x` of `shop:plan/x/1/build/1`. Only right for ids without a slash. */
export function missionIdOf(workflowId: string): string {
  const [kind = "", id = ""] = workflowId.split("/");
  return kindOf(workflowId) === undefined ? workflowId : `${kind}/${id}`;
}

/** `x-again-2` is the first retry of `x`, and of every other retry of it. */
const AGAIN = /-again-(\d+)$/;

/** What follows the id of the first try in the id of a try, and of a run below one. */
const TRY = /^(-again-\d+)?(?:\/|$)/;

/** The id of a mission as its first try had it. The same for a workflow id. */
export const firstTryOf = (id: string): string => id.replace(AGAIN, "");

/** Which try of its mission an id names, from 1. */
export const tryNumber = (id: string): number => Number(AGAIN.exec(id)?.[1] ?? 1);

/** The id of a retry. @param first the id of the first try */
export const retryIdOf = (first: string, number: number): string => `${first}-again-${number}`;

/**
 * Whether a workflow is this mission, a later try of it, or below one of the two: a retry calls in the name of the mission whose
 * effects it has taken over.
 */
export function isOfMission(workflowId: string, mission: string): boolean {
  const first = firstTryOf(mission);
  const rest = workflowId.startsWith(first) ? TRY.exec(workflowId.slice(first.length)) : null;
  return rest !== null && tryNumber(rest[1] ?? "") >= tryNumber(mission);
}

/** The kind of a workflow id; undefined for a bare id, and for workflows that no user starts. */
export function kindOf(workflowId: string): MissionKind | undefined {
  return KIND.exec(workflowId)?.[1] as MissionKind | undefined;
}

const KIND = /^(?:[a-z0-9][a-z0-9-]*:)?(agent|task|plan)\//;

/** The id without its project and the prefix of its kind. An id that has another prefix, or none, stays as it is. */
export const bareId = (kind: MissionKind, id: string): string => (kindOf(id) === kind ? id.replace(KIND, "") : id);

/** The same for an id that is given to new work of a project: one of another project stays as it is, and is no id for it. */
export const newBareId = (kind: MissionKind, id: string, project: ProjectName): string =>
  [null, project].includes(projectOf(id)) ? bareId(kind, id) : id;

/** The first part of the user's id: `x` of `plan/x/1/build/1`. Only right for ids without a slash. */
export const rootIdOf = (workflowId: string): string => workflowId.split("/")[1] ?? "";

/** Whether it is a task that no other task started: ids of branches, subflows and runs have more parts. */
export const isTopTask = (workflowId: string): boolean =>
  kindOf(workflowId) === "task" && !bareId("task", workflowId).includes("/");

/** Whether it is a task, and not a run of the agent at one of its steps (`task/ID/STEP/ATTEMPT`). */
export const isTask = (workflowId: string): boolean => kindOf(workflowId) === "task" && !/\/\d+$/.test(workflowId);

/** How long the period is in which something may happen at most once. */
export type PeriodLength = "day" | "hour" | "minute";

/**
 * Such a period: a day, an hour or a minute of UTC, or a day of a time zone. Hours are always UTC: where clocks are set back, two
 * hours of a zone have the same name.
 */
export type Period = PeriodLength | { day_in: string };

const PERIOD_CHARS = { day: 10, hour: 13, minute: 16 } as const;

/** `2026-11-21`, `2026-11-21T02` or `2026-11-21T02:30`: the same text for all times of one period. */
export const periodOf = (iso: string, period: Period): string =>
  typeof period === "string" ? iso.slice(0, PERIOD_CHARS[period]) : dayIn(period.day_in, Date.parse(iso));

/** Zones differ from UTC by whole quarters of an hour, so that each day begins with one. */
const QUARTER_MS = 900_000;

/** When the period of a time began. */
export function periodStart(iso: string, period: Period): number {
  if (typeof period === "string") {
    const text = periodOf(iso, period);
    return Date.parse(`${text}${{ day: "T00:00:00Z", hour: ":00:00Z", minute: ":00Z" }[period]}`);
  }
  let start = Math.floor(Date.parse(iso) / QUARTER_MS) * QUARTER_MS;
  const day = dayIn(period.day_in, start);
  while (dayIn(period.day_in, start - QUARTER_MS) === day) start -= QUARTER_MS;
  return start;
}

const DAYS = new Map<string, ReturnType<typeof dayFormat>>();

/** `2026-11-21`: the day of a time in a zone. */
function dayIn(zone: string, ms: number): string {
  const format = DAYS.get(zone) ?? dayFormat(zone);
  DAYS.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** A replay differs only where a newer version has other rules for the zone at a time that is over. */
function dayFormat(timeZone: string) {
  const digits = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  // biome-ignore lint/style/noRestrictedGlobals: nothing else knows the rules of time zones
  return new Intl.DateTimeFormat("en-US", { timeZone, calendar: "gregory", numberingSystem: "latn", ...digits });
}

/** The bare id of the run that a schedule starts at a time: `reconcile-2026-11-21`. */
export const scheduledRunIdAt = (schedule: string, iso: string, period: Period): string =>
  `${schedule}-${periodOf(iso, period)}`;

/** The task for a branch or a subflow. @param round which time the parent is at the node, from 1 */
export const childTaskId = (parent: string, node: string, round: number): string =>
  round === 1 ? `${parent}/${node}` : `${parent}/${node}~${round}`;

/** The run of the agent at a step of a task. @param attempt from 1 */
export const stepRunId = (taskWorkflow: string, step: string, attempt: number): string =>
  `${taskWorkflow}/${step}/${attempt}`;

/** The step and the attempt of a run at a step of a task. */
export function stepOfRun(workflowId: string): { step: string; attempt: string } {
  const [step = "", attempt = ""] = workflowId.split("/").slice(-2);
  return { step, attempt };
}

/** The place of a model's reply: the turn and the invocation of the run. */
export const turnPlace = (turn: number, invocation: number): string =>
  invocation === 1 ? `${turn}` : `r${invocation}.${turn}`;

/** The run of an agent that a run calls as a tool. */
export function toolRunId(parent: string, call: { name: string; turn: number; call: number }, invocation: number) {
  return `${parent}/${call.name}/${turnPlace(call.turn, invocation)}.${call.call}`;
}

/** The tool under which a run called an agent. */
export const toolOfRun = (parent: string, child: string): string =>
  child.slice(parent.length + 1, child.lastIndexOf("/"));

/** Names one model call of a run for the tree budget. */
export const budgetHolder = (workflowId: string, call: number): string => `${workflowId}/call/${call}`;

/** Whether a run, or one of its model calls, belongs below this run. */
export const isBelow = (id: string, run: string): boolean => id.startsWith(`${run}/`);

/** A run of an agent for a task of a plan, within the plan. @param attempt from 1 */
export const planTaskRunId = (execution: number, task: string, attempt: number): string =>
  `${execution}/${task}/${attempt}`;

/** The run that decides whether a task of a plan has enough data, within the plan. */
export const qualityGateRunId = (execution: number, task: string): string =>
  `${planTaskRunId(execution, task, 1)}/${GATE}`;

/** A run of the planner, within the plan. @param attempt from 1 */
export const plannerRunId = (attempt: number): string => `plan/${attempt}`;

/** A run of the planner that repairs a plan after an execution, within the plan. @param attempt from 1 */
export const repairRunId = (execution: number, attempt: number): string => `repair/${execution}/${attempt}`;

/** The workflow of a run within a plan. */
export const planRunWorkflowId = (planWorkflow: string, run: string): string => `${planWorkflow}/${run}`;

/** Which run of a plan a workflow belongs to. */
export interface PlanRunPlace {
  /** The id within the plan, as `planTaskRunId` and similar functions give it. */
  run: string;
  /** null for quality gates and the planner. */
  task_id: string | null;
  /** For an agent that was run as a tool: the part of its id after the run's. */
  below: string;
}

/** Splits `plan/ID/RUN`, and `plan/ID/RUN/TOOL/TURN.CALL` of an agent that was run as a tool. */
export function planRunPlace(workflowId: string): PlanRunPlace {
  const path = workflowId.split("/").slice(2).join("/");
  const below = /(?:\/[^/]+\/\d+\.\d+)*$/.exec(path)?.[0] ?? "";
  const run = path.slice(0, path.length - below.length);
  if (/^(?:plan|repair)\//.test(run)) return { run, below, task_id: null };
  const [, task_id = null, gate] = /^\d+\/(.+?)\/\d+(\/gate)?$/s.exec(run) ?? [];
  return { run, below, task_id: gate === undefined ? task_id : null };
}

const GATE = "gate";

/**
 * The id of a review. It begins with the id of its owner, so that the workflow can be found from it.
 *
 * @param owner the bare id of a task, or the workflow id of a run or a plan
 * @param about the step, or the tool
 */
export const reviewId = (owner: string, about: string, number: number): string => `${owner}/${about}/${number}`;

/** A review's id as people write it, within a project: of a run, `agent/x/pay/1`; of a task, `x/approval/1`, which has none. */
export const reviewIdIn = (project: ProjectName, review: string): string =>
  askedId(kindOf(review) === undefined ? review : within(project, review), MAX_REVIEW_ID_BYTES);

/** A workflow id, what is asked about, and a number. */
const MAX_REVIEW_ID_BYTES = 2 * MAX_WORKFLOW_ID_BYTES;

/** The owner of a review, as `reviewId` was given it; undefined for an id of another form. */
export const ownerOfReview = (review: string): string | undefined => /^(.+)\/[^/]+\/\d+$/.exec(review)?.[1];

/** Whether a review is one that this owner opened about this. */
export function isReviewOf(review: string, owner: string, about: string): boolean {
  const own = `${owner}/${about}/`;
  return review.startsWith(own) && /^\d+$/.test(review.slice(own.length));
}

/** The workflow of a review's owner: a bare id is a task's. */
export const ownerWorkflowId = (owner: string, project: ProjectName = null): string =>
  kindOf(owner) === undefined ? askedId(workflowIdFor("task", owner, project)) : workflowIdIn(project, owner);

/** The idempotency key of a notification about a task's escalation. */
export const escalationKey = (taskWorkflow: string, event: string, number: number): string =>
  `${taskWorkflow}/${event}/${number}`;

/** Names the conversation that one execution of a workflow has. */
export const conversationKey = (workflowId: string, runId: string): string => `${workflowId}/${runId}`;

/** The execution that has a conversation. */
export function conversationOwner(key: string): { workflowId: string; runId: string } {
  const slash = key.lastIndexOf("/");
  return { workflowId: key.slice(0, slash), runId: key.slice(slash + 1) };
}
