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
  periodStart,
  scheduledRunIdAt,
  scheduleIdIn,
  scheduleWorkflowId,
  workflowIdFor,
} from "../core/base/ids";
import { checkedId } from "../core/base/input/id-rule";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import { shellWord } from "../node/shell-word";
import { msOf, timestampOf } from "../node/timestamps";
import type { ScheduledAgentInput } from "../workflows/agent/scheduled-agent";
import { ask } from "./errors";
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
    details: { path: id, kind: "schedule" },
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

/** @param action the start as the server reports it */
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
    result: run === null ? (isStarting ? "starting" : "not there any more") : missionStateOf(run),
    // What starts a mission is its parent for ever.
    found: run !== null && run.parentExecution?.runId !== workflow.firstExecutionRunId,
  };
}

/** The runs that somebody started by hand through a schedule. */
export type TriggeredRun =
  /** `found`: nothing was started, since the mission of this period is there already. */
  | { became: "started" | "found"; start: ScheduleStart }
  /**
   * `skipped`: the run before has not ended. `waits`: it begins when the run before has ended. `unknown`: the server
   * has not reported it yet.
   */
  | { became: "skipped" | "waits" | "unknown" };

/**
 * Starts a run of a schedule now, also of a paused one.
 *
 * @param overlap what happens if the run before has not ended. Default: the setting of the schedule
 * @throws NavigatorError `not_found`, `invalid_id`
 */
export async function triggerSchedule(
  place: SchedulePlace,
  id: string,
  { overlap }: { overlap?: ScheduleOverlap } = {},
): Promise<TriggeredRun> {
  const before = await namedSchedule(place, id);
  const seen = new Set(before.described.info.recentActions.map(runOf));
  await ask(() => before.handle.trigger(OVERLAP[overlap ?? overlapOf(before.described)]));
  for (const until = Date.now() + REPORTED_MS; Date.now() < until; await pause()) {
    const named = await namedSchedule(place, id);
    const { info } = named.described;
    const action = info.recentActions.find((one) => !seen.has(runOf(one)));
    if (action !== undefined) {
      const start = await becameOf(place, named, action);
      return { became: start.found ? "found" : "started", start };
    }
    if (info.numActionsSkippedOverlap > before.described.info.numActionsSkippedOverlap) return { became: "skipped" };
    if (buffered(named) > buffered(before)) return { became: "waits" };
  }
  return { became: "unknown" };
}

/** So long the server is asked what became of a start. */
const REPORTED_MS = 5_000;
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

const runOf = ({ action }: ScheduleDescription["info"]["recentActions"][number]): string =>
  action.workflow.firstExecutionRunId;

const buffered = ({ described }: NamedSchedule): number => Number(described.raw.info?.bufferSize ?? 0);

/** A run of a span. */
export interface DueRun {
  /** The ISO time at which it was due. */
  due: string;
  mission: string;
}

/** What a backfill starts, and what was there. */
export interface Backfilled {
  /** They start now, one after another. */
  new: DueRun[];
  /** Their missions are there, running or over: they are not started again. */
  found: DueRun[];
}

/** A span of time whose runs a schedule makes up for. */
export interface BackfillSpan {
  from: Date;
  to: Date;
  /**
   * The runs whose state is unknown, since the namespace's retention is over for them, never ran: start them. If they
   * did run, all their work is done again.
   */
  never_ran?: boolean;
  /** Temporal's own rule for overlaps. Default: one after another. */
  policy?: ScheduleOverlapPolicy;
}

/**
 * Starts the runs of a schedule that were due in a time that is over and were not started then.
 *
 * @throws NavigatorError `confirmation_required`: the server may have forgotten some that were; then nothing is started.
 *   `not_found`, `invalid_id`, `invalid_input` for a span with too many runs
 */
export async function backfillSchedule(
  place: SchedulePlace,
  id: string,
  { from, to, never_ran = false, policy = OVERLAP.wait_for_all }: BackfillSpan,
): Promise<Backfilled> {
  const named = await namedSchedule(place, id);
  const { unknown, ...known } = await lookedUp(place, named, await runsDue(place, named, from, to));
  if (unknown.length > 0 && !never_ran) throw await forgotten(place, named, unknown);
  const started = [...unknown, ...known.new].sort((a, b) => (a.due < b.due ? -1 : 1));
  // The span as a whole would name runs again that are found now, and that the server may forget until their turn comes.
  const spans = started.map(({ due }) => ({
    start: new Date(Date.parse(due) - MARGIN_MS),
    end: new Date(Date.parse(due) + MARGIN_MS),
    overlap: policy,
  }));
  if (spans.length > 0) await ask(() => named.handle.backfill(spans));
  return { new: started, found: known.found };
}

/** Runs are due at whole seconds. */
const MARGIN_MS = 400;
/** The server keeps no more of them in its line, and drops the others without a word. */
const MAX_RUNS = 1_000;
/** So many are looked up at the same time. */
const AT_ONCE = 20;

/** The first due time of each mission. @throws NavigatorError `invalid_input` */
async function runsDue(place: SchedulePlace, named: NamedSchedule, from: Date, to: Date): Promise<DueRun[]> {
  const { workflowService, options } = place.temporal;
  const { startTime } = await ask(() =>
    workflowService.listScheduleMatchingTimes({
      namespace: options.namespace,
      scheduleId: named.handle.scheduleId,
      // The server leaves out the first moment of the span, and a backfill does not.
      startTime: timestampOf(from.getTime() - 1),
      endTime: timestampOf(to.getTime()),
    }),
  );
  const runs = new Map<string, DueRun>();
  for (const time of startTime) {
    const due = new Date(msOf(time));
    const mission = missionOfDue(place, named, due);
    if (!runs.has(mission)) runs.set(mission, { due: due.toISOString(), mission });
  }
  if (startTime.length < MAX_RUNS) return [...runs.values()];
  throw new NavigatorError("invalid_input", `The span has ${MAX_RUNS} runs or more: the server takes no more.`, {
    hint: "Take a shorter span, and the next one when its runs are over.",
    details: { path: "to" },
  });
}

async function lookedUp(
  place: SchedulePlace,
  { described }: NamedSchedule,
  runs: readonly DueRun[],
): Promise<Backfilled & { unknown: DueRun[] }> {
  const kept_ms = await retention(place);
  const answer: Backfilled & { unknown: DueRun[] } = { new: [], found: [], unknown: [] };
  for (let at = 0; at < runs.length; at += AT_ONCE)
    await Promise.all(
      runs.slice(at, at + AT_ONCE).map(async (run) => {
        // It ended after its period, whichever start it came from: until then it is surely kept.
        const isKept = periodStart(run.due, periodOfSchedule(described)) > Date.now() - kept_ms;
        const isThere = (await describedOrNull(place, run.mission)) !== null;
        answer[isThere ? "found" : isKept ? "new" : "unknown"].push(run);
      }),
    );
  for (const list of Object.values(answer)) list.sort((a: DueRun, b: DueRun) => (a.due < b.due ? -1 : 1));
  return answer;
}

/** How long the namespace keeps runs that are over, in ms. */
async function retention({ temporal }: SchedulePlace): Promise<number> {
  const { namespace } = temporal.options;
  const { config } = await ask(() => temporal.workflowService.describeNamespace({ namespace }));
  return msOf(config?.workflowExecutionRetentionTtl);
}

async function forgotten(
  place: SchedulePlace,
  { id }: NamedSchedule,
  unknown: readonly DueRun[],
): Promise<NavigatorError> {
  const hours = Math.round((await retention(place)) / 360_000) / 10;
  const [first, last] = [unknown[0]?.due, unknown.at(-1)?.due];
  return new NavigatorError(
    "confirmation_required",
    `The server keeps runs that are over for ${hours} hours: it does not know any more whether ${unknown.length} of the runs of ${first} to ${last} were. Nothing was started.`,
    {
      hint: `Look in the services whether they were. If they surely never ran: navigator schedule backfill ${shellWord(id)} ... --never-ran (from code: never_ran: true). Otherwise begin after ${last}.`,
      details: { runs: unknown.map(({ due, mission }) => ({ due, mission })) },
    },
  );
}
