import { defined } from "../../core/base/defined";
import { type PeriodLength, scheduleIdIn } from "../../core/base/ids";
import type { ScheduledAgentInput } from "../../workflows/agent/scheduled-agent";
import { ask } from "../errors";
import {
  becameOf,
  findSchedule,
  type NamedSchedule,
  overlapOf,
  type ScheduleOverlap,
  type SchedulePlace,
  type ScheduleStart,
} from "../schedule-runs";

/** A schedule of a project, as the server describes it. */
export interface ProjectSchedule {
  id: string;
  paused: boolean;
  /** The note of the person who paused or resumed it. */
  note?: string;
  agent: string;
  /** Of its cron text, which the server keeps as a calendar. */
  timezone: string;
  once_per: PeriodLength;
  /** The time zone whose days are counted, with `once_per: "day"`. It stays what it was as the schedule was made. */
  days_in?: string;
  overlap: ScheduleOverlap;
  /** The ISO times of the next runs, the first one first. */
  next: string[];
  /** The last starts, the newest first. */
  last: ScheduleStart[];
}

/** All schedules of the client's project, by their ids. */
export async function projectSchedules(client: SchedulePlace): Promise<ProjectSchedule[]> {
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

/** @param starts how many of its last starts are shown */
export async function shownSchedule(
  client: SchedulePlace,
  named: NamedSchedule,
  starts: number,
): Promise<ProjectSchedule> {
  const { state, info, spec, action } = named.described;
  const [{ run, once_per }] = action.args as [ScheduledAgentInput];
  return {
    id: named.id,
    paused: state.paused,
    ...defined({ note: state.note === "" ? undefined : state.note }),
    agent: run.agent.name ?? "agent",
    timezone: spec.timezone === undefined || spec.timezone === "" ? "UTC" : spec.timezone,
    ...(typeof once_per === "string" ? { once_per } : { once_per: "day" as const, days_in: once_per.day_in }),
    ...(once_per === "day" ? { days_in: "UTC" } : {}),
    overlap: overlapOf(named.described),
    next: state.paused ? [] : info.nextActionTimes.map((time) => time.toISOString()),
    last: await Promise.all(
      info.recentActions
        .slice(-starts)
        .reverse()
        .map((action) => becameOf(client, named, action)),
    ),
  };
}
