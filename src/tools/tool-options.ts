import { defined } from "../core/base/defined";
import { type Duration, milliseconds } from "../core/base/duration";
import { isObject } from "../core/base/is-object";
import type { ToolSpec } from "../core/calls/tool";
import { didYouMean } from "../core/lisp/compile/hints";
import type { EffectOptions } from "./effect-options";

export interface ToolOptions extends EffectOptions {
  /** The name by which programs call the tool: `(tool/<name> {...})`. */
  name: string;
  description?: string;
  /** The signature that the prompt shows, e.g. `(order_id :int) -> {tx :string}`; derived from `input` and `output` when not given. */
  signature?: string;
  /** Default `write`: called at least once; the idempotency key lets the tool act only once. See ToolSpec. */
  effect?: ToolSpec["effect"];
  /** Results are kept for the run under (name, arguments). */
  cache?: boolean;
  /** Time limit of one call: milliseconds, or a text such as "30s". */
  timeout?: Duration;
  /** Task queue of the workers that have this tool. */
  task_queue?: string;
  /**
   * A person must approve each call, and may change its arguments. Times are written as in `timeout`. By default anyone
   * may decide, one decision is enough, and there is no time limit. After `timeout` the call is rejected, unless
   * `onTimeout` says otherwise.
   */
  approval?: boolean | ApprovalOptions;
  /** Attempts after a lost worker, or when the tool throws ToolRetry; never for `irreversible`. */
  retry?: { attempts?: number; initial?: Duration; backoff?: number; max?: Duration };
  /** A worker without a heartbeat for this time counts as lost. Raise it for tools that block the process. */
  heartbeat?: Duration;
  /** Each worker starts at most `max` calls within any period `per`; further calls wait. */
  rateLimit?: { max: number; per: Duration };
  /** `run` passes `call.token` on and returns LATER; the result comes later, with the token. Set a `timeout`: it ends the wait. */
  completesLater?: boolean;
}

/** People who must approve a call of the tool before it runs. Without `timeout` the call waits as long as it takes. */
export interface ApprovalOptions {
  /** The people who may decide; absent = anybody. */
  assignees?: string[];
  /** How many people must agree. Default: 1. */
  quorum?: number;
  /** After this time the call is rejected, unless `onTimeout` says otherwise. */
  timeout?: Duration;
  onTimeout?: "approve" | "reject";
  /** People are reminded at this interval. */
  remind?: Duration;
}

type Options = Pick<ToolOptions, "approval" | "retry" | "heartbeat" | "rateLimit" | "completesLater">;
type Wrong = (problem: string) => Error;

/** The part of a tool's spec that is about its calls: approval, attempts, rate limit. */
export function callOptions(options: Options, wrong: Wrong): Partial<ToolSpec> {
  const { heartbeat, rateLimit, completesLater } = options;
  const approval = approvalOf(options.approval, wrong);
  const retry = retryOf(options.retry, wrong);
  if (rateLimit !== undefined) checkMap("rateLimit", rateLimit, RATE_LIMIT, wrong);
  return {
    ...defined({ approval, retry }),
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

const RETRY = Object.keys({ attempts: 0, initial: 0, backoff: 0, max: 0 } satisfies Record<
  keyof NonNullable<Options["retry"]>,
  0
>);
const RATE_LIMIT = Object.keys({ max: 0, per: 0 } satisfies Record<keyof NonNullable<Options["rateLimit"]>, 0>);
const APPROVAL = Object.keys({ assignees: 0, quorum: 0, timeout: 0, onTimeout: 0, remind: 0 } satisfies Record<
  keyof ApprovalOptions,
  0
>);

/** An option that is a map must be one, and have no keys but these. */
function checkMap(option: string, value: unknown, keys: readonly string[], wrong: Wrong, otherwise = ""): void {
  if (!isObject(value))
    throw wrong(`${option} must be ${otherwise}an object of ${keys.join(", ")}, got ${JSON.stringify(value)}.`);
  const unknown = unknownOptions(value, keys, `${option}.`);
  if (unknown !== undefined) throw wrong(unknown);
}

/**
 * The options of a map that it does not have, with what they should perhaps have been; undefined = none.
 *
 * @param prefix of the names in the message
 */
export function unknownOptions(given: object, known: readonly string[], prefix = ""): string | undefined {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (unknown.length === 0) return undefined;
  return unknown.map((key) => `unknown option "${prefix}${key}"; ${likelyOption(key, known)}`).join(" ");
}

/** What an unknown option should perhaps have been. Other sources of tools have some of them with underscores. */
function likelyOption(key: string, known: readonly string[]): string {
  const letters = (name: string) => name.replace(/[_-]/g, "").toLowerCase();
  const same = known.find((option) => letters(option) === letters(key));
  if (same !== undefined) return `did you mean ${same}?`;
  return didYouMean(key, known) || `there are ${known.join(", ")}.`;
}

function approvalOf(approval: Options["approval"], wrong: Wrong): ToolSpec["approval"] {
  if (approval === undefined || approval === false) return undefined;
  if (approval === true) return true;
  checkMap("approval", approval, APPROVAL, wrong, "true, false or ");
  const { assignees, quorum, timeout, onTimeout, remind } = approval;
  if (assignees !== undefined && (assignees.length === 0 || assignees.some((name) => name === "")))
    throw wrong("approval.assignees must name people.");
  if (quorum !== undefined && assignees !== undefined && quorum > assignees.length)
    throw wrong(`approval asks for ${quorum} people and names ${assignees.length}.`);
  if (onTimeout !== undefined && timeout === undefined) throw wrong("approval.onTimeout needs a timeout.");
  return {
    ...defined({ assignees }),
    ...(quorum === undefined ? {} : { quorum: positive(quorum, "approval.quorum", wrong) }),
    ...(timeout === undefined ? {} : { timeout_ms: milliseconds(timeout, "approval.timeout", wrong) }),
    ...defined({ on_timeout: onTimeout }),
    ...(remind === undefined ? {} : { remind_ms: milliseconds(remind, "approval.remind", wrong) }),
  };
}

function retryOf(retry: Options["retry"], wrong: Wrong): ToolSpec["retry"] {
  if (retry === undefined) return undefined;
  checkMap("retry", retry, RETRY, wrong);
  const { attempts, initial, backoff, max } = retry;
  if (backoff !== undefined && !(backoff >= 1)) throw wrong("retry.backoff must be a number of at least 1.");
  return {
    ...(attempts === undefined ? {} : { max_attempts: positive(attempts, "retry.attempts", wrong) }),
    ...(initial === undefined ? {} : { initial_ms: milliseconds(initial, "retry.initial", wrong) }),
    ...defined({ backoff }),
    ...(max === undefined ? {} : { max_ms: milliseconds(max, "retry.max", wrong) }),
  };
}

function positive(value: number, what: string, wrong: Wrong): number {
  if (!Number.isInteger(value) || value <= 0) throw wrong(`${what} must be a positive integer, got ${value}.`);
  return value;
}
