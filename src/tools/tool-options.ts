import { z } from "zod";
import { defined } from "../core/base/defined";
import { type Duration, milliseconds } from "../core/base/duration";
import { didYouMean } from "../core/base/input/did-you-mean";
import { isObject } from "../core/base/is-object";
import { onFirstUse } from "../core/base/on-first-use";
import { BATCH_CALLS } from "../core/calls/run-calls";
import type { ToolRetryPolicy, ToolSpec } from "../core/calls/tool";
import { type ReviewTerms, termsSchema } from "../core/review/policy/terms";
import type { WorkingHours } from "../core/review/policy/working-hours";
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
   * `onTimeout` sets another outcome.
   */
  approval?: boolean | ApprovalOptions;
  /** Attempts after a lost worker, or when the tool throws ToolRetry; never for `irreversible`. */
  retry?: { attempts?: number; initial?: Duration; backoff?: number; max?: Duration };
  /** A worker without a heartbeat for this time counts as lost. Raise it for tools that block the process. */
  heartbeat?: Duration;
  /** Each worker starts at most `max` calls within any period `per`; further calls wait. */
  rateLimit?: { max: number; per: Duration };
  /** Each call has a separate activity (docs/tools.md). */
  alone?: boolean;
  /**
   * Calls that branches of `pmap` or `pcalls` ask for at the same moment are made by one activity: `true`, or the most calls of
   * one (`true` = 50). For tools with many short calls and short answers (docs/tools.md).
   */
  batch?: boolean | number;
  /** `run` passes `call.token` on and returns LATER; the result comes later, with the token. Set a `timeout`: it ends the wait. */
  completesLater?: boolean;
}

/** People who must approve a call of the tool before it runs. Without `timeout` the call waits as long as it takes. */
export interface ApprovalOptions {
  /** Who may decide: names, `group:NAME`, `lead:NAME`; absent = anybody. */
  assignees?: string[];
  /** How many people must agree. Default: 1. */
  quorum?: number;
  /** Those who agree must come from this many different groups. */
  distinctGroups?: number;
  /** `false`: the person who asked may approve, too. */
  separation?: boolean;
  /** Who is asked as well, when nobody has decided after some time. */
  escalate?: { after: Duration; to: string[] }[];
  /** Only these working hours count for reminders, escalation and `timeout`. Days: mon to sun; default mon to fri. */
  hours?: z.input<ReturnType<typeof WorkingHours>>;
  /** After this time the call is rejected, unless `onTimeout` sets another outcome. */
  timeout?: Duration;
  onTimeout?: "approve" | "reject";
  /** People are reminded at this interval. */
  remind?: Duration;
  /** How long a yes counts. Default: 1 day. */
  validFor?: Duration;
  /** `false`: no agent decides, also on a server whose agents may. */
  agents?: boolean;
  /** `false`: nobody may hand the decision over. */
  handOver?: boolean;
}

type Wrong = (problem: string) => Error;

/** The options that are about a tool's calls: all but those about its effects, its name and its signature. */
type CallOptions = Omit<ToolOptions, keyof EffectOptions | "name" | "description" | "signature" | "effect">;

/** Each option about the calls of a tool, and its part of the spec. A new option is a line here. */
const READ: {
  readonly [option in keyof CallOptions]-?: (
    given: NonNullable<CallOptions[option]>,
    wrong: Wrong,
  ) => Partial<ToolSpec>;
} = {
  approval: (given, wrong) => defined({ approval: approvalOf(given, wrong) }),
  cache: (cache) => ({ cache }),
  timeout: (given, wrong) => ({ timeout_ms: milliseconds(given, "timeout", wrong) }),
  heartbeat: (given, wrong) => ({ heartbeat_ms: milliseconds(given, "heartbeat", wrong) }),
  retry: (given, wrong) => ({ retry: retryOf(given, wrong) }),
  rateLimit: (given, wrong) => ({ rate_limit: rateLimitOf(given, wrong) }),
  alone: (given, wrong) => (isAlone(given, wrong) ? { alone: true } : {}),
  batch: (given, wrong) => defined({ batch: batchOf(given, wrong) }),
  completesLater: (given) => (given ? { completes_later: true } : {}),
  task_queue: (task_queue) => ({ task_queue }),
};

/** The names of these options. */
export const CALL_OPTIONS: readonly string[] = Object.keys(READ);

/** The part of a tool's spec that is about its calls: approval, attempts, rate limit. */
export function callOptions(options: CallOptions, wrong: Wrong): Partial<ToolSpec> {
  const read = Object.entries(READ) as [keyof CallOptions, (given: unknown, wrong: Wrong) => Partial<ToolSpec>][];
  return Object.assign(
    {},
    ...read.map(([option, spec]) => (options[option] === undefined ? {} : spec(options[option], wrong))),
  );
}

const RETRY = Object.keys({ attempts: 0, initial: 0, backoff: 0, max: 0 } satisfies Record<
  keyof NonNullable<CallOptions["retry"]>,
  0
>);
const RATE_LIMIT = Object.keys({ max: 0, per: 0 } satisfies Record<keyof NonNullable<CallOptions["rateLimit"]>, 0>);
/** Each option, and its name in the terms of a review. */
const APPROVAL = {
  assignees: "assignees",
  quorum: "quorum",
  distinctGroups: "distinct_groups",
  separation: "separation",
  escalate: "escalate",
  hours: "hours",
  timeout: "timeout_ms",
  onTimeout: "on_timeout",
  remind: "remind_ms",
  validFor: "valid_for_ms",
  agents: "agents",
  handOver: "hand_over",
} satisfies Record<keyof ApprovalOptions, keyof ReviewTerms>;

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

function approvalOf(approval: NonNullable<CallOptions["approval"]>, wrong: Wrong): ToolSpec["approval"] {
  if (approval === false) return undefined;
  if (approval === true) return true;
  checkMap("approval", approval, Object.keys(APPROVAL), wrong, "true, false or ");
  if (approval.onTimeout !== undefined && approval.timeout === undefined)
    throw wrong("approval.onTimeout needs a timeout.");
  const read = terms().safeParse(termsOf(approval));
  if (read.success) return read.data;
  const list = read.error.issues.map(
    ({ path, message }) => `${["approval", ...path.map(optionOf)].join(".")} ${message}`,
  );
  throw wrong(`${list.join("; ")}.`);
}

const terms = onFirstUse(() => termsSchema(z.enum(["approve", "reject"], "must be approve or reject")));

/** The options in the form that agent files have. */
function termsOf(approval: ApprovalOptions): { [term: string]: unknown } {
  const named = Object.entries(approval).map(([option, value]) => [APPROVAL[option as keyof ApprovalOptions], value]);
  const { escalate } = approval;
  const steps = Array.isArray(escalate) ? escalate.map(stepOf) : escalate;
  return { ...Object.fromEntries(named.filter(([, value]) => value !== undefined)), ...defined({ escalate: steps }) };
}

function stepOf(step: unknown): unknown {
  if (!isObject(step)) return step;
  const { after, ...rest } = step;
  return { ...rest, ...defined({ after_ms: after }) };
}

/** The option that its author wrote, for a term that is wrong. */
function optionOf(part: PropertyKey): string {
  if (part === "after_ms") return "after";
  const found = Object.entries(APPROVAL).find(([, term]) => term === part);
  return found === undefined ? String(part) : found[0];
}

function retryOf(retry: NonNullable<CallOptions["retry"]>, wrong: Wrong): ToolRetryPolicy {
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

function rateLimitOf(given: NonNullable<CallOptions["rateLimit"]>, wrong: Wrong): ToolSpec["rate_limit"] {
  checkMap("rateLimit", given, RATE_LIMIT, wrong);
  return {
    max: positive(given.max, "rateLimit.max", wrong),
    per_ms: milliseconds(given.per, "rateLimit.per", wrong),
  };
}

function isAlone(alone: unknown, wrong: Wrong): boolean {
  if (typeof alone === "boolean") return alone;
  throw wrong(`alone must be true or false, got ${JSON.stringify(alone)}.`);
}

function batchOf(batch: NonNullable<CallOptions["batch"]>, wrong: Wrong): number | undefined {
  if (batch === false) return undefined;
  if (batch === true) return BATCH_CALLS;
  if (Number.isInteger(batch) && batch >= 2) return batch;
  throw wrong(`batch must be true, false or an integer of at least 2, got ${JSON.stringify(batch)}.`);
}

function positive(value: number, what: string, wrong: Wrong): number {
  if (!Number.isInteger(value) || value <= 0) throw wrong(`${what} must be a positive integer, got ${value}.`);
  return value;
}
