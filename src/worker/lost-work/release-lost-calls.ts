import { type ConnectionLike, isGrpcServiceError } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { Writer } from "protobufjs/minimal";
import { defined } from "../../core/base/defined";
import { WORKER_LOST } from "../../core/base/error-codes";
import { groupedBy } from "../../core/base/grouped-by";
import { RUN_CALLS } from "../../core/calls/run-calls";
import type { CallUnderWay } from "./calls-file";

/** Whose calls they are. */
export interface Served {
  connection: ConnectionLike;
  namespace: string;
  namespaceId: string;
}

export interface Released {
  /** How many calls were given back. */
  released: number;
  /** How many answers of the server did not come in time, and runs that it was not asked about then: their calls may be lost still. */
  unanswered: number;
}

/** Workflows that are asked about at the same time. */
const AT_ONCE = 32;

/** For the answers about one run: longer than a thread is busy that loads its code during that time. */
export const RELEASE_ANSWER_MS = 10_000;

/**
 * Gives back what a killed worker had under way, so that nobody waits for a time limit: the next tasks of its workflows come from the
 * common task queue again, its activities count as a failed attempt, and its workflow tasks as failed. The server takes none of it for
 * another attempt than the lost one, which may have ended, or be tried elsewhere already.
 */
export async function releaseLostCalls(served: Served, calls: readonly CallUnderWay[]): Promise<Released> {
  const runs = [...groupedBy(calls, ({ run_id }) => run_id)];
  let released = 0;
  let unanswered = 0;
  // A server that answers too late delays the start of a worker once: it is not asked about the rest.
  while (runs.length > 0 && unanswered === 0) {
    const asked = runs.splice(0, AT_ONCE).map(([runId, lostCalls]) =>
      served.connection
        .withDeadline(Date.now() + RELEASE_ANSWER_MS, () => releaseRun(served, runId, lostCalls))
        // Of a run that the server does not know any more, a time limit or another worker was quicker.
        .catch((reason: unknown) => [{ status: "rejected", reason } as const]),
    );
    for (const answer of (await Promise.all(asked)).flat())
      if (answer.status === "fulfilled") released += 1;
      else if (isUnanswered(answer.reason)) unanswered += 1;
  }
  return { released, unanswered: unanswered + runs.length };
}

const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

const isUnanswered = (error: unknown): boolean =>
  isGrpcServiceError(error) && (error.code === DEADLINE_EXCEEDED || error.code === UNAVAILABLE);

/** The calls of one run. */
async function releaseRun(
  served: Served,
  runId: string,
  calls: readonly CallUnderWay[],
): Promise<PromiseSettledResult<void>[]> {
  const { workflowService: service } = served.connection;
  const { namespace } = served;
  const execution = { workflowId: calls[0]?.workflow_id ?? "", runId };
  const [{ pendingActivities, pendingWorkflowTask }] = await Promise.all([
    service.describeWorkflowExecution({ namespace, execution }),
    service.resetStickyTaskQueue({ namespace, execution }),
  ]);
  return Promise.allSettled(
    calls.map(async ({ activity, began }) => {
      if (activity === undefined) return failWorkflowTask(served, execution, pendingWorkflowTask, began);
      const pending = pendingActivities?.find(({ activityId }) => activityId === activity.id);
      if (!isUnderWay(pending, activity.attempt)) throw new Error("it is another attempt");
      const taskToken = Buffer.from(activity.token, "base64");
      await service.respondActivityTaskFailed({ namespace, taskToken, failure: lossOf(pending) });
    }),
  );
}

/** Of a worker that may have served another project: in the clear, so that every project can read it. */
const LOST = { message: "its worker was lost", applicationFailureInfo: { type: WORKER_LOST } };

/** The run itself has the rest made, with what the heartbeat kept: as it was written, so only its project can read it. */
const lostWithKept = ({ heartbeatDetails }: Pending) => ({
  ...LOST,
  applicationFailureInfo: {
    type: WORKER_LOST,
    nonRetryable: true,
    ...defined({ details: heartbeatDetails ?? undefined }),
  },
});

/**
 * Where no other attempt follows, the run decides about an outcome that nobody knows: it, and every reader of its history, gets the failure
 * of the time limit that would have found the loss.
 */
const LOST_FOR_GOOD = {
  message: LOST.message,
  timeoutFailureInfo: { timeoutType: temporal.api.enums.v1.TimeoutType.TIMEOUT_TYPE_HEARTBEAT },
};

function lossOf(pending: Pending): temporal.api.failure.v1.IFailure {
  // The loss ends it, by the policy of its retries: the server does not return this part of a policy.
  if (pending.activityType?.name === RUN_CALLS) return lostWithKept(pending);
  const { maximumAttempts } = pending.activityOptions?.retryPolicy ?? {};
  return maximumAttempts && (pending.attempt ?? 1) >= maximumAttempts ? LOST_FOR_GOOD : LOST;
}

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** Whether this attempt is still under way for the server. A call that is to be cancelled is left to its time limit. */
export function isUnderWay(pending: Pending | undefined, attempt: number): pending is Pending {
  if (pending?.state !== temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED) return false;
  // Older servers do not report the policy.
  return Boolean(pending.activityOptions?.retryPolicy) && pending.attempt === attempt;
}

/** How far the clocks of worker and server may differ. The next worker needs more time to start, and to get the same task. */
const CLOCKS_MS = 250;

/** Fails the workflow task in which a local activity was under way, if it is still that one. @param began ms since 1970 */
async function failWorkflowTask(
  { connection, namespace, namespaceId }: Served,
  execution: { workflowId: string; runId: string },
  task: temporal.api.workflow.v1.IPendingWorkflowTaskInfo | null | undefined,
  began: number,
): Promise<void> {
  const { workflowService: service } = connection;
  const { startedTime } = task ?? {};
  const isStarted = task?.state === temporal.api.enums.v1.PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED;
  if (!isStarted || !startedTime || msOf(startedTime) > began + CLOCKS_MS)
    throw new Error("it is another workflow task");
  const attempt = task.attempt ?? 1;
  const { history } = await service.getWorkflowExecutionHistoryReverse({ namespace, execution, maximumPageSize: 5 });
  const scheduled = scheduledEvent(history?.events ?? [], attempt);
  if (scheduled === undefined) throw new Error("its event is not among the last ones");
  await service.respondWorkflowTaskFailed({
    namespace,
    taskToken: tokenOf({ namespaceId, ...execution, scheduled, attempt, startedTime }),
    cause: temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
    failure: LOST,
  });
}

type Events = temporal.api.history.v1.IHistoryEvent[];
type Long = NonNullable<Events[number]["eventId"]>;
type Timestamp = { seconds?: Long | null; nanos?: number | null };

/**
 * The number of the event that scheduled the workflow task. Of an attempt after the first the history has none before it ends: it is the
 * next number.
 *
 * @param latest the last events, the newest first
 */
function scheduledEvent(latest: Events, attempt: number): Long | undefined {
  if (attempt === 1)
    return latest.find(({ workflowTaskScheduledEventAttributes: found }) => found)?.eventId ?? undefined;
  return latest[0]?.eventId?.add(1);
}

const msOf = ({ seconds, nanos }: Timestamp): number => Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6);

interface Token {
  namespaceId: string;
  workflowId: string;
  runId: string;
  scheduled: Long;
  attempt: number;
  startedTime: Timestamp;
}

/**
 * The name of a workflow task as the server gives it to its worker (its message `temporal.server.api.token.v1.Task`). With the time at
 * which the task was started it means no other attempt. A server with another form of it refuses it, and a time limit remains.
 */
function tokenOf({ namespaceId, workflowId, runId, scheduled, attempt, startedTime }: Token): Uint8Array {
  const writer = Writer.create();
  writer.uint32(10).string(namespaceId).uint32(18).string(workflowId).uint32(26).string(runId);
  writer.uint32(32).int64(scheduled).uint32(40).int32(attempt);
  const time = writer.uint32(98).fork();
  time
    .uint32(8)
    .int64(startedTime.seconds ?? 0)
    .uint32(16)
    .int32(startedTime.nanos ?? 0);
  return time.ldelim().finish();
}
