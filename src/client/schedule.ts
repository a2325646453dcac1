import { type Client, ScheduleAlreadyRunning, type ScheduleHandle, type ScheduleOptions } from "@temporalio/client";
import type { AnyAgent } from "../core/agent/definition/typed-agent";
import { defined } from "../core/base/defined";
import {
  type Period,
  type PeriodLength,
  type ProjectName,
  scheduledRunIdAt,
  scheduleIdIn,
  scheduleWorkflowId,
} from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { startableProject } from "../core/base/input/project";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../core/base/limits";
import { NavigatorError } from "../core/base/navigator-error";
import { presentFormat } from "../core/base/run-format";
import { checkTiming, zoneOfCron } from "../node/check-timing";
import type { ScheduledAgentInput } from "../workflows/agent/scheduled-agent";
import { formatAttributes } from "../workflows/search-attributes";
import { type AgentRunOptions, agentRunInput } from "../workflows/start/agent-input";
import { type WorkShare, workPriority } from "../workflows/start/priority";
import { ask } from "./errors";
import { backfillSchedule, namedSchedule, OVERLAP, type ScheduleOverlap } from "./schedule-runs";

/**
 * An agent that runs by the clock, on a Temporal Schedule. The server starts the runs, so no process of yours has to be
 * up when one is due: what was due while the server was down is started when it is back, and done when a worker is up.
 */
export type ScheduleAgent<A extends AnyAgent = AnyAgent> = AgentRunOptions<A> & Schedule & WorkShare;

/** When it runs. */
interface Schedule {
  /** Of the schedule, and the first part of its runs' ids: see `scheduledRunId`. */
  id: string;
  /** `"0 2 * * *"`: every night at two. */
  cron: string;
  /** As in `Europe/Berlin`; UTC when not given. */
  timezone?: string;
  /**
   * A second start in the same day, hour or minute does nothing, also from another caller. Days are those of the time
   * zone that the schedule has when it is made; hours and minutes are UTC's. Default: minute, as fine as cron.
   */
  once_per?: PeriodLength;
  /**
   * What happens if the previous run has not ended, for example because it waits for a person. Default `skip`: this run
   * is left out.
   */
  overlap?: ScheduleOverlap;
  /**
   * Milliseconds: a run that was due longer ago, while the server was down, is not started any more. Default: a year.
   */
  catch_up_ms?: number;
}

/** What each run gets when it is due. */
const DUE_LATER = { scheduled_at: "1970-01-01T00:00:00.000Z" };

/**
 * The id of the run that was due at a time, such as `reconcile-2026-11-21`.
 *
 * @param timezone the schedule's, whose days are counted
 */
export const scheduledRunId = (id: string, due: Date, once_per: PeriodLength = "minute", timezone?: string): string =>
  scheduledRunIdAt(id, due.toISOString(), periodIn(once_per, timezone));

const periodIn = (once_per: PeriodLength, timezone: string | undefined): Period =>
  once_per !== "day" || timezone === undefined || timezone === "UTC" ? once_per : { day_in: timezone };

/** A day of whatever zone. */
const isDay = (period: Period): boolean => period === "day" || typeof period === "object";

/**
 * Makes the schedule, or changes the one of this id to these settings; runs that were started stay as they are.
 *
 * @returns Temporal's own handle, but for two things: `trigger` keeps to the schedule's own overlap, and `backfill`
 *   refuses as `backfillSchedule` does
 * @throws NavigatorError as starting a run does; `invalid_id`; `invalid_input` for a cron text or a time zone that
 *   there is not
 */
export async function scheduleAgent(
  place: { temporal: Client; taskQueue: string; project: ProjectName },
  options: ScheduleAgent,
): Promise<ScheduleHandle> {
  const { temporal, project } = place;
  const { id } = options;
  const { schedule, input } = scheduleOf(place, options);
  return ask(async () => {
    try {
      return guarded(place, id, await temporal.schedule.create({ scheduleId: scheduleIdIn(project, id), ...schedule }));
    } catch (error) {
      if (error instanceof TypeError)
        throw new NavigatorError("invalid_input", `${error.message}.`, {
          cause: error,
          hint: "Give a cron expression or an interval.",
          details: { path: "timing" },
        });
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const there = temporal.schedule.getHandle(scheduleIdIn(project, id));
      await there.update(({ state, action: { args } }) => {
        const [before] = (args ?? []) as Partial<ScheduledAgentInput>[];
        const kept = before?.once_per;
        // With the days of another zone, a run that was there would be started again under another id.
        const once_per = kept !== undefined && isDay(kept) && isDay(input.once_per) ? kept : input.once_per;
        return { ...schedule, action: { ...schedule.action, args: [{ ...input, once_per }] }, state };
      });
      return guarded(place, id, there);
    }
  });
}

/** The schedule as the server keeps it, and the input of its runs. */
function scheduleOf({ taskQueue, project }: { taskQueue: string; project: ProjectName }, options: ScheduleAgent) {
  const {
    id,
    cron,
    timezone,
    once_per = "minute",
    overlap = "skip",
    catch_up_ms,
    priority,
    fairness,
    ...run
  } = options;
  checkedId("a schedule", id);
  checkTiming({ cron, timezone });
  startableProject(project);
  const period = periodIn(once_per, timezone ?? zoneOfCron(cron));
  const input: ScheduledAgentInput = { ...presentFormat(), id, once_per: period, run: agentRunInput(run, DUE_LATER) };
  const schedule = {
    spec: { cronExpressions: [cron], ...defined({ timezone }) },
    policies: { overlap: OVERLAP[overlap], ...defined({ catchupWindow: catch_up_ms }) },
    action: {
      type: "startWorkflow",
      workflowType: "scheduledAgent",
      // The server appends the time at which it was due.
      workflowId: scheduleWorkflowId(id, project),
      args: [input],
      typedSearchAttributes: formatAttributes(input),
      taskQueue,
      ...defined({ priority: workPriority(defined({ priority, fairness }), project) }),
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
      staticSummary: `schedule ${id}: agent ${input.run.agent.name ?? "agent"}`,
    },
  } satisfies Omit<ScheduleOptions, "scheduleId">;
  return { schedule, input };
}

function guarded(
  place: { temporal: Client; project: ProjectName },
  id: string,
  handle: ScheduleHandle,
): ScheduleHandle {
  return {
    ...handle,
    trigger: async (policy) => {
      await handle.trigger(policy ?? (await namedSchedule(place, id)).described.policies.overlap);
    },
    backfill: async (spans) => {
      for (const { start, end, overlap } of [spans].flat())
        await backfillSchedule(place, id, { from: start, to: end, ...defined({ policy: overlap }) });
    },
  };
}
