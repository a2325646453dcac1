import type { ToolSpec } from "../core/calls/tool";
import { milliseconds } from "./duration";
import type { ToolOptions } from "./tool";

type Options = Pick<ToolOptions, "approval" | "retry" | "heartbeat" | "rateLimit" | "completesLater">;
type Wrong = (problem: string) => Error;

/** What a declaration says about how calls are made: approval, attempts, pace. */
export function howCalled(options: Options, wrong: Wrong): Partial<ToolSpec> {
  const { heartbeat, rateLimit, completesLater } = options;
  const approval = approvalOf(options.approval, wrong);
  const retry = retryOf(options.retry, wrong);
  return {
    ...(approval === undefined ? {} : { approval }),
    ...(retry === undefined ? {} : { retry }),
    ...(heartbeat === undefined ? {} : { heartbeat_ms: milliseconds(heartbeat, "heartbeat", wrong) }),
    ...(rateLimit === undefined
      ? {}
      : {
          rate_limit: {
            max: positive(rateLimit.max, "rateLimit.max", wrong),
            per_ms: milliseconds(rateLimit.per, "rateLimit.per", wrong),
          },
        }),
    ...(completesLater ? { completes_later: true as const } : {}),
  };
}

function approvalOf(approval: Options["approval"], wrong: Wrong): ToolSpec["approval"] {
  if (approval === undefined || approval === false) return undefined;
  if (approval === true) return true;
  const { assignees, quorum, timeout, onTimeout, remind } = approval;
  if (assignees !== undefined && (assignees.length === 0 || assignees.some((name) => name === "")))
    throw wrong("approval.assignees must name people.");
  if (quorum !== undefined && assignees !== undefined && quorum > assignees.length)
    throw wrong(`approval asks for ${quorum} people and names ${assignees.length}.`);
  if (onTimeout !== undefined && timeout === undefined) throw wrong("approval.onTimeout needs a timeout.");
  return {
    ...(assignees === undefined ? {} : { assignees }),
    ...(quorum === undefined ? {} : { quorum: positive(quorum, "approval.quorum", wrong) }),
    ...(timeout === undefined ? {} : { timeout_ms: milliseconds(timeout, "approval.timeout", wrong) }),
    ...(onTimeout === undefined ? {} : { on_timeout: onTimeout }),
    ...(remind === undefined ? {} : { remind_ms: milliseconds(remind, "approval.remind", wrong) }),
  };
}

function retryOf(retry: Options["retry"], wrong: Wrong): ToolSpec["retry"] {
  if (retry === undefined) return undefined;
  const { attempts, initial, backoff, max } = retry;
  if (backoff !== undefined && !(backoff >= 1)) throw wrong("retry.backoff must be a number of at least 1.");
  return {
    ...(attempts === undefined ? {} : { max_attempts: positive(attempts, "retry.attempts", wrong) }),
    ...(initial === undefined ? {} : { initial_ms: milliseconds(initial, "retry.initial", wrong) }),
    ...(backoff === undefined ? {} : { backoff }),
    ...(max === undefined ? {} : { max_ms: milliseconds(max, "retry.max", wrong) }),
  };
}

function positive(value: number, what: string, wrong: Wrong): number {
  if (!Number.isInteger(value) || value <= 0) throw wrong(`${what} must be a positive integer, got ${value}.`);
  return value;
}
