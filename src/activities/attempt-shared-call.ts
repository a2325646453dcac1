import type { Context } from "@temporalio/activity";
import { wrongArguments } from "../core/agent/tools/tool-arguments";
import { defined } from "../core/base/defined";
import { failed, type Result } from "../core/base/failure";
import type { Json } from "../core/base/json";
import type { CallToolInput } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { SHARED_CALL_MS } from "../core/calls/own-activity";
import { maskedArguments } from "../core/calls/secret-mask";
import type { ToolSpec } from "../core/calls/tool";
import { knownSecrets } from "../node/secrets/known-secrets";
import { innerCall } from "../node/telemetry/inner-calls";
import { completesLater, contextOfCall, invokeTool, isToolRetry, type Tool } from "../tools";
import { isRetryableFailure, notMade } from "./call-tool";
import type { HeartbeatJournal } from "./heartbeat-journal";
import { type RunningCalls, runningCallKey } from "./running-calls/running-calls";

/**
 * Attempts of a call as one of several. The call itself may crash the workers: after these attempts the run makes it
 * separately, by the call's own policy.
 */
export const SHARED_ATTEMPTS = 3;

/** A call that an activity makes as one of several. */
interface SharedAttempt {
  input: CallToolInput;
  /** Its place among the calls of the activity: 1 for the first. */
  n: number;
  attempt: number;
  /** How long until the call is given up, ms. */
  left_ms: number;
}

/**
 * The outcome of a call. `open`: its tool asks for another attempt, or took too long. `stopped`: the activity shall
 * stop. `given_up`: the time that was left is over.
 */
type SharedOutcome = { answer: Result<Json> } | { open: Again } | "stopped" | "given_up";

/** When the tool wants to be asked again, ms; absent: the policy decides. */
interface Again {
  after_ms?: number;
}

/** The activity that makes such calls. */
interface SharingActivity {
  context: Context;
  journal: Pick<HeartbeatJournal<unknown>, "signal" | "isStopped">;
  /** Aborted when its calls shall end. */
  ends: AbortSignal;
  documents: ProjectDocuments | undefined;
  running: RunningCalls;
}

/** Makes such a call once. It throws only what is no failure of the tool. */
export async function attemptSharedCall(
  tool: Tool,
  { input, n, attempt, left_ms }: SharedAttempt,
  { context, journal, ends, documents, running }: SharingActivity,
): Promise<SharedOutcome> {
  const refused = maskedArguments(tool.spec, input.args) ?? wrongArguments(tool.spec, input.args);
  const limit = new AbortController();
  const timeout_ms = tool.spec.timeout_ms ?? SHARED_CALL_MS;
  const timer = setTimeout(() => limit.abort(), Math.min(timeout_ms, left_ms));
  const signal = AbortSignal.any([journal.signal, limit.signal]);
  const shared = { ...callOf(context, input), isRepeat: attempt > 1, ends: AbortSignal.any([ends, limit.signal]) };
  const made = (end: AbortSignal) => {
    // The journal sends heartbeats all the time. The activity is not this call: nobody may complete it from outside.
    const call = contextOfCall(input, documents, { signal: end, heartbeat: () => {}, attempt, token: "" });
    return innerCall({ input, n, attempt }, () => invokeTool(tool, input.args, call, isRetryableFailure));
  };
  try {
    const answer =
      refused === null ? await unlessAborted(signal, running.run(shared, made)) : notMade(tool.spec.name, refused);
    return isAskedAgain(tool.spec, answer) ? { open: {} } : { answer: asWorkflowSees(answer) };
  } catch (error) {
    if (journal.isStopped) return "stopped";
    if (limit.signal.aborted && left_ms < timeout_ms) return "given_up";
    if (completesLater(error))
      return {
        answer: failed("tool_error", `${tool.spec.name} returned LATER, and does not declare completesLater: true`),
      };
    if (isToolRetry(error)) return { open: defined({ after_ms: error.after_ms }) };
    if (signal.aborted || isRetryableFailure(error)) return { open: {} };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** As of a call that is alone: the run may make it so later. */
const callOf = ({ info }: Context, { idempotency_key }: CallToolInput) => ({
  key: runningCallKey(info, "callTool", idempotency_key),
  activity: info.activityId,
});

/** A service that acts once for each key is asked again when its answer was lost. */
const isAskedAgain = ({ effect }: ToolSpec, answer: Result<Json>): boolean =>
  effect === "idempotent" && !answer.ok && answer.fail.details?.code === "unknown_outcome";

/** An answer as the workflow will have it: as JSON, and with a mask in the place of each secret. Both programs must see the same. */
export const asWorkflowSees = <T>(answer: T): T =>
  knownSecrets.maskJson(JSON.parse(JSON.stringify(answer)) as Json) as unknown as T;

/** Gives up work that does not react to an abort. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
