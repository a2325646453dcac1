import {
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type WorkflowExecutionDescription,
} from "@temporalio/client";
import {
  type Period,
  type ProjectName,
  scheduledRunIdAt,
  scheduleIdIn,
  scheduleWorkflowId,
  workflowIdFor,
} from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import type { ScheduledAgentInput } from "../workflows/agent/scheduled-agent";
import { ask, isAbsent } from "./errors";
import { type MissionState, missionStateOf } from "./listing/mission-state";

/** Where schedules are. A client of Navigator is such a place. */
export interface SchedulePlace {
  temporal: Client;
  project: ProjectName;
}

/** What happens to a run that is due while the one before has not ended. */
export type ScheduleOverlap = "skip" | "wait_for_last" | "wait_for_all" | "side_by_side";

/** The same in the server's words. */
export const OVERLAP = {
  skip: ScheduleOverlapPolicy.SKIP,
  wait_for_last: ScheduleOverlapPolicy.BUFFER_ONE,
  wait_for_all: ScheduleOverlapPolicy.BUFFER_ALL,
  side_by_side: ScheduleOverlapPolicy.ALLOW_ALL,
} as const;

/** A schedule and what can be done with it. */
export interface NamedSchedule {
  id: string;
  handle: ScheduleHandle;
  described: ScheduleDescription;
}

/** @throws NavigatorError `not_found`, `invalid_id` */
export async function namedSchedule(place: SchedulePlace, id: string): Promise<NamedSchedule> {
  const found = await findSchedule(place, checkedId("a schedule", id));
  if (found !== null) return found;
  throw new NavigatorError("not_found", `The project has no schedule "${id}".`, {
    hint: "navigator schedule list names those that it has.",
  });
}

/** null: the project has no such schedule. One that something else made is none of the project's. */
export async function findSchedule({ temporal, project }: SchedulePlace, id: string): Promise<NamedSchedule | null> {
  const handle = temporal.schedule.getHandle(scheduleIdIn(project, id));
  const described = await ask(async () => {
    try {
      return await handle.describe();
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    }
  });
  return described?.action.workflowId === scheduleWorkflowId(id, project) ? { id, handle, described } : null;
}

/** In which period a schedule starts a mission at most once. */
export const periodOfSchedule = ({ action }: ScheduleDescription): Period =>
  (action.args as [ScheduledAgentInput])[0].once_per;

/** Its own rule for overlaps. */
export const overlapOf = ({ policies }: ScheduleDescription): ScheduleOverlap =>
  (Object.keys(OVERLAP) as ScheduleOverlap[]).find((word) => OVERLAP[word] === policies.overlap) ?? "skip";

/** The workflow id of the mission of a time. */
export const missionOfDue = (place: SchedulePlace, { id, described }: NamedSchedule, due: Date): string =>
  workflowIdFor("agent", scheduledRunIdAt(id, due.toISOString(), periodOfSchedule(described)), place.project);

/** A workflow as the server describes it; null: there is none, or the server has forgotten it. */
export async function describedOrNull(
  { temporal }: SchedulePlace,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await ask(() => temporal.workflow.getHandle(workflowId, runId).describe());
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** What became of one start of a schedule. */
export interface ScheduleStart {
  /** The ISO time at which it was due. */
  due: string;
  /** The mission of this time. */
  mission: string;
  /** How the mission is; `starting`: no worker has begun it; `not there any more`: the server has forgotten it. */
  result: MissionState | "starting" | "not there any more";
  /** Another start had begun the mission before: this one found it, and started nothing. */
  found: boolean;
}

/** @param action what the server says that it started */
export async function becameOf(
  place: SchedulePlace,
  named: NamedSchedule,
  { scheduledAt, action: { workflow } }: ScheduleDescription["info"]["recentActions"][number],
): Promise<ScheduleStart> {
  const mission = missionOfDue(place, named, scheduledAt);
  const [run, starter] = await Promise.all([
    describedOrNull(place, mission),
    describedOrNull(place, workflow.workflowId, workflow.firstExecutionRunId),
  ]);
  const isStarting = run === null && starter?.status.name === "RUNNING";
  return {
    due: scheduledAt.toISOString(),
    mission,
    result: run === null ? (isStarting ? "starting" : "not there any more") : stateIn(run),
    // What starts a mission is its parent for ever.
    found: run !== null && run.parentExecution?.runId !== workflow.firstExecutionRunId,
  };
}

function stateIn({ status, searchAttributes }: WorkflowExecutionDescription): MissionState {
  const [said] = searchAttributes[ATTRIBUTE.status] ?? [];
  const [open = 0] = searchAttributes[ATTRIBUTE.openReviews] ?? [];
  return missionStateOf(status.name, said === undefined ? undefined : String(said), Number(open));
}
