import type { Duration, RetryPolicy } from "@temporalio/common";
import {
  ActivityCancellationType,
  type ActivityOptions,
  type LocalActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from "@temporalio/workflow";
import { defined } from "../core/base/defined";
import { FINAL_MODEL_ERRORS, MODEL_ERROR_CLASSES } from "../core/base/model-errors";
import type { NavigatorActivities } from "../core/calls/activities";
import { SHARED_CALL_MS } from "../core/calls/own-activity";
import type { ToolSpec } from "../core/calls/tool";
import { attemptPolicy } from "../core/calls/tool-attempts";

/**
 * One table: time limits and retry policy of each activity.
 *
 * Retries here are only for lost workers and busy providers. The answer or error of a tool comes back as data
 * and is never retried without the program.
 */

/**
 * A lost worker is noticed after this time, not at the activity's own limit (engine reference, section 14.2). Longer than most outages of a
 * network: a worker that lives keeps its call. A worker that starts again reports the losses of its killed predecessor at once.
 */
const HEARTBEAT_TIMEOUT = "1 minute";

/**
 * The type of a failure that Temporal does not retry: the workflow waits for a worker that has the missing part (see
 * blocked-calls.ts).
 */
const MISSING = "configuration_error";

/**
 * Tried by Temporal until a worker has what is missing: the tries are no events of the run. A slow start, because each of
 * many pollers of the wrong worker may be next.
 */
const UNTIL_SERVED = { initialInterval: "300ms", backoffCoefficient: 1.15, maximumInterval: "30s" } as const;

/**
 * How many lost workers a model call survives: with the longest wait between two, about a day. A lost worker is no
 * failure of the model, whose failures the activity counts. The number has an end, because a call may be what ends the
 * workers, and because each try may be paid for.
 */
const MAX_LOST_WORKERS = 2_880;

/** A worker that was lost while it did the call. By these names Temporal's retry policies know it. */
const LOST = ["TemporalTimeout:StartToClose", "TemporalTimeout:Heartbeat"];

const MODEL: ActivityOptions = {
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: {
    // Short: a call usually needs a second attempt because its worker stopped. A busy provider sets the wait itself
    // (Retry-After), which overrides this.
    initialInterval: "200ms",
    backoffCoefficient: 2,
    maximumInterval: "30s",
    maximumAttempts: MAX_LOST_WORKERS,
    nonRetryableErrorTypes: [...FINAL_MODEL_ERRORS, MISSING],
  },
};

const WRITE: ActivityOptions = { startToCloseTimeout: "5 minutes", heartbeatTimeout: HEARTBEAT_TIMEOUT };

/**
 * The answer comes from outside, perhaps days later, so there is no heartbeat. If a worker is lost before it passed the
 * call on, only the time limit notices it. Such a tool should set one.
 */
const LATER: ActivityOptions = { startToCloseTimeout: "7 days" };

const READ: LocalActivityOptions = { startToCloseTimeout: "10s" };

/**
 * A model call. Temporal retries a call that failed before the reply.
 *
 * @param retry `none`: the run has its own policy; Temporal only replaces a lost worker. `brief`: the activity decides,
 * because only it can distinguish a lost worker, which is no reason to ask another model, from a provider that fails.
 * @param alone no calls follow the reply. Otherwise the run receives the calls from the heartbeat of a lost worker:
 * between two attempts of Temporal a cancellation would lose them.
 */
export function modelCalls(summary: string, retry: "none" | "brief" | undefined, alone: boolean): NavigatorActivities {
  const options = modelOptions(retry);
  if (alone) return proxyActivities<NavigatorActivities>({ ...options, summary });
  const final = options.retry?.nonRetryableErrorTypes ?? [];
  return proxyActivities<NavigatorActivities>({
    ...options,
    retry: { ...options.retry, nonRetryableErrorTypes: [...final, ...LOST] },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary,
  });
}

const modelOptions = (retry?: "none" | "brief"): ActivityOptions =>
  retry === "none"
    ? { ...MODEL, retry: { ...MODEL.retry, nonRetryableErrorTypes: [...MODEL_ERROR_CLASSES, MISSING] } }
    : MODEL;

/** The same call, made until a worker has the model or its key. Any other failure ends it, to be handled as usual. */
export function blockedModelCalls(summary: string): NavigatorActivities {
  const retry = { ...UNTIL_SERVED, nonRetryableErrorTypes: [...MODEL_ERROR_CLASSES, ...LOST] };
  return proxyActivities<NavigatorActivities>({ ...MODEL, retry, summary });
}

/** A short read as a local activity: 3 ms and one event instead of 10 ms and six. */
export const localCalls = (tool: ToolSpec, summary: string): NavigatorActivities =>
  proxyLocalActivities<NavigatorActivities>({
    ...READ,
    ...defined({ startToCloseTimeout: tool.timeout_ms }),
    retry: retryOf(tool),
    summary,
  });

/**
 * A call of a tool alone.
 *
 * @param attempts that were made before, in an activity that the call shared with others
 */
export const toolCalls = (tool: ToolSpec, summary: string, attempts = 0): NavigatorActivities =>
  proxyActivities<NavigatorActivities>({ ...toolOptions(tool), retry: retryOf(tool, attempts), summary });

/**
 * The same call, tried until a worker has the tool. Only a worker that does not have it makes another try: the activity
 * (`blocked_ms`) and this policy end the call at any other failure.
 */
export function blockedToolCalls(tool: ToolSpec, summary: string): NavigatorActivities {
  const retry = { ...UNTIL_SERVED, nonRetryableErrorTypes: LOST };
  return proxyActivities<NavigatorActivities>({ ...toolOptions(tool), retry, summary });
}

/**
 * Calls of a program. The activity ends after some seconds; the limit is for a call that is under way then. Its attempts lose nothing that
 * it keeps: the activity returns it, and the run gets what a lost worker kept.
 *
 * @param left_ms the time in which a worker must begin it
 */
export const programCalls = (summary: string, left_ms: number | undefined): NavigatorActivities =>
  sharedCalls(summary, "10 minutes", left_ms);

/** Calls of one tool side by side. As for a program. */
export const callsSideBySide = (tool: ToolSpec, summary: string, left_ms: number | undefined): NavigatorActivities =>
  sharedCalls(summary, (tool.timeout_ms ?? SHARED_CALL_MS) + 60_000, left_ms);

const sharedCalls = (
  summary: string,
  startToCloseTimeout: Duration,
  left_ms: number | undefined,
): NavigatorActivities =>
  proxyActivities<NavigatorActivities>({
    // Temporal gives up a call that waits for a worker longer than its mission has time; a call that a worker has begun
    // is given up by its own limit.
    ...(left_ms === undefined ? {} : { scheduleToStartTimeout: Math.max(1, left_ms) }),
    startToCloseTimeout,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: SHARED_RETRY,
    summary,
  });

const SHARED_RETRY: RetryPolicy = {
  initialInterval: "100ms",
  backoffCoefficient: 2,
  maximumInterval: "10s",
  nonRetryableErrorTypes: LOST,
};

function toolOptions(tool: ToolSpec): ActivityOptions {
  return {
    ...(tool.completes_later ? LATER : WRITE),
    ...defined({
      startToCloseTimeout: tool.timeout_ms,
      taskQueue: tool.task_queue,
      heartbeatTimeout: tool.heartbeat_ms,
    }),
  };
}

function retryOf(tool: Parameters<typeof attemptPolicy>[0], attempts = 0): RetryPolicy {
  const { max_attempts, initial_ms, backoff, max_ms } = attemptPolicy(tool);
  return {
    maximumAttempts: Math.max(1, max_attempts - attempts),
    initialInterval: initial_ms,
    backoffCoefficient: backoff,
    maximumInterval: max_ms,
    nonRetryableErrorTypes: [MISSING],
  };
}

/** Called when an activity asks its run to read what it has made. */
export const keptCalls = (): NavigatorActivities =>
  proxyLocalActivities<NavigatorActivities>({
    ...READ,
    retry: { maximumAttempts: 3 },
    summary: "read the calls so far",
  });

/** For what this worker lacks: a local activity would ask the same worker again. */
const ASKED_ONCE: RetryPolicy = { nonRetryableErrorTypes: [MISSING] };

/** Called once, before the first turn, if an agent was started with bare tool names. */
export function describeCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, retry: ASKED_ONCE, summary: "look up tools" });
}

/**
 * Called before a call is reviewed. A tool of other workers is asked about at theirs, for a moment.
 *
 * @param never_local other calls are under way
 */
export function versionCalls({ name, task_queue }: ToolSpec, never_local: boolean): NavigatorActivities {
  const summary = `version of ${name}`;
  if (task_queue === undefined && !never_local)
    return proxyLocalActivities<NavigatorActivities>({ ...READ, retry: ASKED_ONCE, summary });
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "10s",
    scheduleToCloseTimeout: "10s",
    retry: ASKED_ONCE,
    ...defined({ taskQueue: task_queue }),
    summary,
  });
}

/** The two look-ups, tried until a worker has what is looked up. */
export function untilServedCalls(summary: string, limit_ms: number): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "10s",
    scheduleToCloseTimeout: limit_ms,
    retry: UNTIL_SERVED,
    summary,
  });
}

/** Called before the first call of a model if a budget in money is set. */
export function priceCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, retry: ASKED_ONCE, summary: "look up prices" });
}

/** How often a run asks for what another run has to do first: to end, or to make an effect. The attempts are no events. */
const UNTIL_OTHER_RUN = { initialInterval: "200ms", backoffCoefficient: 1.3, maximumInterval: "5s" } as const;

/** Called by a task or a plan that continued as new while an agent worked. */
export function agentEndCalls(): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "10s",
    retry: UNTIL_OTHER_RUN,
    summary: "wait for the agent",
  });
}

/** Called when the outcome of a call is lost. It only looks, so it may be repeated. */
export function lookUpCalls(tool: ToolSpec, summary: string): NavigatorActivities {
  const limit = defined({ taskQueue: tool.task_queue });
  const retry = { ...retryOf({ ...tool, effect: "read" }), nonRetryableErrorTypes: [] };
  return proxyActivities<NavigatorActivities>({ ...READ, ...limit, retry, summary });
}

/** Calls that take an effect back: tried again like a write, with the same key, whatever the effect of the tool. */
export function undoCalls(summary: string, task_queue: string | undefined): NavigatorActivities {
  const retry = retryOf({ effect: "write" });
  return proxyActivities<NavigatorActivities>({ ...WRITE, ...defined({ taskQueue: task_queue }), retry, summary });
}

/** The same call, tried until a worker has the tool. */
export function blockedUndoCalls(summary: string, task_queue: string | undefined): NavigatorActivities {
  const retry = { ...UNTIL_SERVED, nonRetryableErrorTypes: LOST };
  return proxyActivities<NavigatorActivities>({ ...WRITE, ...defined({ taskQueue: task_queue }), retry, summary });
}

/** For activities that read histories: they change nothing, so they are tried without end. */
const HISTORY_RETRY = { initialInterval: "200ms", backoffCoefficient: 2, maximumInterval: "30s" } as const;

/** Called by an undo: what was done is in the histories of the mission. */
export function undoPlanCalls(summary: string): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "5 minutes",
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: HISTORY_RETRY,
    summary,
  });
}

/** Called before a call whose effect all missions share. */
export function claimCalls(summary: string): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({ startToCloseTimeout: "30s", retry: UNTIL_OTHER_RUN, summary });
}

/** Called when an agent has ended without a Step: what it has done is in its history. */
export function findEffectsCalls(): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "1 minute",
    retry: HISTORY_RETRY,
    summary: "read the effects of a lost agent",
  });
}

/** Called when a task enters a subflow. */
export function definitionCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "look up a definition" });
}

/** Calls that verify decisions. They read the worker's disk, so each is a short local call. */
export function verifyCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "who decides" });
}

/** Plans the deliveries of a notification. The activity sends nothing, so Temporal retries it for a day. */
export function planDeliveryCalls(summary: string): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "30s",
    scheduleToCloseTimeout: "1 day",
    retry: { initialInterval: "1s", backoffCoefficient: 2, maximumInterval: "1 minute" },
    summary,
  });
}

/** One message to one recipient. @param limit_ms how long it is tried */
export function deliveryCalls(summary: string, limit_ms: number): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "1 minute",
    scheduleToCloseTimeout: limit_ms,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: "1s", backoffCoefficient: 2, maximumInterval: "10 minutes" },
    summary,
  });
}

/** Called at the end of a workflow that has a chain. The key is the worker's own, so it is a short local call. */
export function signCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "sign the end of the ledger" });
}
