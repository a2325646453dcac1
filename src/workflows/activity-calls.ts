import type { RetryPolicy } from "@temporalio/common";
import {
  type ActivityOptions,
  type LocalActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from "@temporalio/workflow";
import { defined } from "../core/base/defined";
import { FINAL_MODEL_ERRORS, MODEL_ERROR_CLASSES } from "../core/base/model-errors";
import type { NavigatorActivities } from "../core/calls/effects";
import type { ToolSpec } from "../core/calls/tool";
import { attemptPolicy } from "../core/calls/tool-attempts";

/**
 * One table: time limits and retry policy of each activity.
 *
 * Retries here are only for lost workers and busy providers. The answer or error of a tool comes back as data
 * and is never retried without the program.
 */

/** A lost worker is noticed after this time, not at the activity's own limit (engine reference, section 14.2). */
const HEARTBEAT_TIMEOUT = "2500ms";

const MODEL: ActivityOptions = {
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: {
    // Short: the usual reason for a second attempt is a worker that went away. A busy provider says how long
    // to wait (Retry-After), which overrides this.
    initialInterval: "200ms",
    backoffCoefficient: 2,
    maximumInterval: "30s",
    maximumAttempts: 8,
    nonRetryableErrorTypes: [...FINAL_MODEL_ERRORS],
  },
};

const WRITE: ActivityOptions = { startToCloseTimeout: "5 minutes", heartbeatTimeout: HEARTBEAT_TIMEOUT };

const IRREVERSIBLE: ActivityOptions = { ...WRITE, heartbeatTimeout: "5s" };

/**
 * The answer comes from outside, perhaps days later, so there is no heartbeat. If a worker is lost before it passed the
 * call on, only the time limit notices it. Such a tool should set one.
 */
const LATER: ActivityOptions = { startToCloseTimeout: "7 days" };

const READ: LocalActivityOptions = { startToCloseTimeout: "10s" };

/** A read that may take longer than this runs as an activity: a local one would hold the workflow task. */
const LONGEST_LOCAL_READ_MS = 10_000;

/**
 * @param retry `none`: the run has a policy of its own; a worker that was lost is still replaced. `brief` is up to the
 * activity: it alone can tell a lost worker, which is no reason to ask another model, from a provider that fails.
 */
export function modelCalls(summary: string, retry?: "none" | "brief"): NavigatorActivities {
  const policy =
    retry === "none"
      ? { ...MODEL, retry: { ...MODEL.retry, nonRetryableErrorTypes: [...MODEL_ERROR_CLASSES] } }
      : MODEL;
  return proxyActivities<NavigatorActivities>({ ...policy, summary });
}

/**
 * Chooses how to call a tool, by its effect. Short reads run as local activities (3 ms and one event instead of 10 ms and
 * six).
 */
export function toolCalls(tool: ToolSpec, summary: string): NavigatorActivities {
  const limit = defined({ startToCloseTimeout: tool.timeout_ms });
  const queue = defined({ taskQueue: tool.task_queue });
  const retry = retryOf(tool);
  if (runsLocally(tool)) return proxyLocalActivities<NavigatorActivities>({ ...READ, ...limit, retry, summary });
  const policy = tool.completes_later ? LATER : tool.effect === "irreversible" ? IRREVERSIBLE : WRITE;
  const heartbeat = defined({ heartbeatTimeout: tool.heartbeat_ms });
  return proxyActivities<NavigatorActivities>({ ...policy, ...limit, ...queue, ...heartbeat, retry, summary });
}

/** Whether a tool is called as a local activity, whose arguments are not in the history. */
export function runsLocally(tool: ToolSpec): boolean {
  const waits = tool.completes_later || tool.heartbeat_ms !== undefined || tool.rate_limit !== undefined;
  if (tool.effect !== "read" || tool.task_queue !== undefined || waits) return false;
  return (tool.timeout_ms ?? 0) <= LONGEST_LOCAL_READ_MS;
}

function retryOf(tool: ToolSpec): RetryPolicy {
  const { max_attempts, initial_ms, backoff, max_ms } = attemptPolicy(tool);
  return {
    maximumAttempts: max_attempts,
    initialInterval: initial_ms,
    backoffCoefficient: backoff,
    maximumInterval: max_ms,
  };
}

/** Called once, before the first turn, if an agent was started with bare tool names. */
export function describeCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "look up tools" });
}

/** Called before the first call of a model if a budget in money is set. */
export function priceCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "look up prices" });
}

/** Called when a task enters a subflow. */
export function definitionCalls(): NavigatorActivities {
  return proxyLocalActivities<NavigatorActivities>({ ...READ, summary: "look up a definition" });
}

/** A lost alert is worse than a late one, so it is retried for a day. */
export function escalationCalls(summary: string): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "1 minute",
    scheduleToCloseTimeout: "1 day",
    retry: { initialInterval: "1s", backoffCoefficient: 2, maximumInterval: "10 minutes" },
    summary,
  });
}

/** People find their reviews in the inbox, so a notification that cannot be sent is dropped soon. */
export function notifyCalls(summary: string): NavigatorActivities {
  return proxyActivities<NavigatorActivities>({
    startToCloseTimeout: "15s",
    retry: { initialInterval: "1s", backoffCoefficient: 2, maximumAttempts: 5 },
    summary,
  });
}
