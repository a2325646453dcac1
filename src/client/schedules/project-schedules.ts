import { type ScheduleDescription, type ScheduleHandle, ScheduleNotFoundError } from "@temporalio/client";
import { defined } from "../../core/base/defined";
import { scheduledRunIdAt, scheduleIdIn, scheduleWorkflowId, workflowIdFor } from "../../core/base/ids";
import { checkedId } from "../../core/base/input/id-rule";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ScheduledAgentInput } from "../../workflows/agent/scheduled-agent";
import type { NavigatorClient } from "../client";
import { ask, isAbsent } from "../errors";
import { OVERLAP, type ScheduleOverlap } from "../schedule";

/** A run that a schedule started. */
interface ScheduleStart {
  /** The ISO time at which it was due. */
  due: string;
  /** The mission of this time: it may have been started before, as `once_per` says. */
  mission: string;
  /** `running`, `completed`, `failed`, ...; `not there any more` if the server has forgotten it. */
  result: string;
}

/** A schedule of a project, as the server describes it. */
export interface ProjectSchedule {
  id: string;
  paused: boolean;
  /** What was said as it was paused or resumed. */
  note?: string;
  agent: string;
  /** Of its cron text, which the server keeps as a calendar. */
  timezone: string;
  once_per: ScheduledAgentInput["once_per"];
  overlap: ScheduleOverlap;
  /** The ISO times of the next runs, the first one first. */
  next: string[];
  /** The last starts, the newest first. */
  last: ScheduleStart[];
}

/** A schedule and what can be done with it. */
export interface NamedSchedule {
  id: string;
  handle: ScheduleHandle;
  described: ScheduleDescription;
}

/** All schedules of the client's project, by their ids. */
export async function projectSchedules(client: NavigatorClient): Promise<ProjectSchedule[]> {
  const ids = await ask(async () => {
    const found: string[] = [];
    for await (const { scheduleId } of client.temporal.schedule.list())
      if (scheduleId.startsWith(scheduleIdIn(client.project, "")))
        found.push(scheduleId.slice(scheduleIdIn(client.project, "").length));
    return found.sort();
  });
  const schedules: ProjectSchedule[] = [];
  for (const id of ids) {
    const named = await findSchedule(client, id);
    if (named !== null) schedules.push(await shownSchedule(client, named, 1));
  }
  return schedules;
}

/** @throws NavigatorError `not_found`, `invalid_id` */
export async function namedSchedule(client: NavigatorClient, id: string): Promise<NamedSchedule> {
  const found = await findSchedule(client, checkedId("a schedule", id));
  if (found !== null) return found;
  throw new NavigatorError("not_found", `The project has no schedule "${id}".`, {
    hint: "navigator schedule list names those that it has.",
  });
}

/** null: the project has no such schedule. One that something else made is none of the project's. */
export async function findSchedule(client: NavigatorClient, id: string): Promise<NamedSchedule | null> {
  const { temporal, project } = client;
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

/** @param starts how many of its last starts are told */
export async function shownSchedule(
  client: NavigatorClient,
  { id, described }: NamedSchedule,
  starts: number,
): Promise<ProjectSchedule> {
  const { state, info, spec, policies, action } = described;
  const [input] = action.args as [ScheduledAgentInput];
  const recent = info.recentActions.slice(-starts).reverse();
  const overlaps = Object.keys(OVERLAP) as ScheduleOverlap[];
  return {
    id,
    paused: state.paused,
    ...defined({ note: state.note === "" ? undefined : state.note }),
    agent: input.run.agent.name ?? "agent",
    timezone: spec.timezone === undefined || spec.timezone === "" ? "UTC" : spec.timezone,
    once_per: input.once_per,
    overlap: overlaps.find((word) => OVERLAP[word] === policies.overlap) ?? "skip",
    next: state.paused ? [] : info.nextActionTimes.map((time) => time.toISOString()),
    last: await Promise.all(
      recent.map(async ({ scheduledAt, action: { workflow } }) => ({
        due: scheduledAt.toISOString(),
        mission: workflowIdFor(
          "agent",
          scheduledRunIdAt(id, scheduledAt.toISOString(), input.once_per),
          client.project,
        ),
        result: await resultOf(client, workflow),
      })),
    ),
  };
}

async function resultOf(
  { temporal }: NavigatorClient,
  { workflowId, firstExecutionRunId }: { workflowId: string; firstExecutionRunId: string },
): Promise<string> {
  try {
    const { status } = await ask(() => temporal.workflow.getHandle(workflowId, firstExecutionRunId).describe());
    return status.name.toLowerCase();
  } catch (error) {
    if (isAbsent(error)) return "not there any more";
    throw error;
  }
}
