import { CompleteAsyncError, Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { wrongArguments } from "../core/agent/tools/tool-arguments";
import { jsonBytes } from "../core/base/bytes";
import { OUTCOME_UNKNOWN } from "../core/base/error-codes";
import { type Failure, failed, ok, type Result } from "../core/base/failure";
import { missingNames } from "../core/base/input/missing";
import type { Json } from "../core/base/json";
import { thrownText } from "../core/base/navigator-error";
import type { CallToolInput, NavigatorActivities, UndoEffectInput } from "../core/calls/activities";
import type { ProjectDocuments } from "../core/calls/document";
import { maskedArguments } from "../core/calls/secret-mask";
import {
  completesLater,
  contextOfCall,
  invokeTool,
  isToolRetry,
  lookUpEffect,
  RateLimits,
  type Tool,
  type ToolContext,
  type ToolRegistry,
  undoEffect,
} from "../tools";
import type { CheckApproval } from "./check-approval";
import { sendHeartbeat, untilReached, withHeartbeat } from "./heartbeat";
import { configurationError } from "./missing";
import { retryPause } from "./retry-pause";
import { endOfCall } from "./running-calls/end-of-call";
import { type RunningCalls, runningCallKey } from "./running-calls/running-calls";

type ToolActivities = Pick<NavigatorActivities, "callTool" | "lookUpEffect" | "undoEffect">;

/** The parts of a worker that call a tool. */
interface ToolWorker {
  tools: ToolRegistry;
  /** How long a call waits for a worker that has its tool; 0 = it does not, and the caller gets the failure. */
  wait_ms: number;
  /** Checks the approval of a call right before the call is made. */
  approvalProblem: CheckApproval;
  /** The documents of the project, for tools; undefined: it keeps none. */
  documents: ProjectDocuments | undefined;
  running: RunningCalls;
}

/**
 * The activities that call a tool: to act, to look an effect up, and to undo one. The result or error of the tool is
 * data. Only a ToolRetry, or a retryable ApplicationFailure, is thrown to Temporal, which retries by the policy of the
 * caller. A tool that this worker does not have is a configuration error: the workflow waits for a worker that has it.
 */
export function toolActivities(worker: ToolWorker): ToolActivities {
  const called = calling(worker);
  return {
    callTool: called(
      async (tool, { args, blocked_ms }: CallToolInput, call) =>
        unlessRepeated(tool, await invokeTool(tool, args, call, isRetryableFailure), blocked_ms),
      // The workflow may have seen a value that this worker was given with a mask in its place.
      async ({ spec }, input) =>
        maskedArguments(spec, input.args) ??
        wrongArguments(spec, input.args) ??
        (await worker.approvalProblem(input, spec)),
    ),
    lookUpEffect: called(async (tool, { args }: CallToolInput, call) =>
      ok(await lookUpEffect(tool, args, call, isRetryableFailure)),
    ),
    undoEffect: called((tool, { args, result, call_key }: UndoEffectInput, call) =>
      undoEffect(tool, args, result, { ...call, callKey: call_key }, isRetryableFailure),
    ),
  };
}

type UseTool<Input, Output> = (tool: Tool, input: Input, call: ToolContext) => Promise<Result<Output>>;
type CheckCall<Input> = (tool: Tool, input: Input) => Promise<Failure | null>;

/** How the activities of a worker use a tool. They reach the same service, so they share the tool's rate limit. */
function calling(worker: ToolWorker) {
  const limits = new RateLimits();
  return <Input extends CallToolInput, Output>(
    use: UseTool<Input, Output>,
    checked: CheckCall<Input> = async () => null,
  ) =>
    (input: Input): Promise<Result<Output>> =>
      withHeartbeat((context) => {
        const { activityId: activity, activityType, attempt } = context.info;
        const call = {
          key: runningCallKey(context.info, activityType, input.idempotency_key),
          activity,
          isRepeat: attempt + (input.attempts_before ?? 0) > 1,
          ends: endOfCall(context),
        };
        return worker.running.run(call, (signal) =>
          attempted({ worker, limits, use, checked }, input, context, signal),
        );
      });
}

/** One attempt of a call. @param signal aborted when the call shall end */
async function attempted<Input extends CallToolInput, Output>(
  {
    worker,
    limits,
    use,
    checked,
  }: { worker: ToolWorker; limits: RateLimits; use: UseTool<Input, Output>; checked: CheckCall<Input> },
  input: Input,
  context: Context,
  signal: AbortSignal,
): Promise<Result<Output>> {
  const { documents, tools } = worker;
  const tool = toolOfCall(tools, input);
  if (!tool) return withoutTool(worker, input, context);
  const call = contextOfCall(input, documents, {
    signal,
    heartbeat: () => sendHeartbeat(context),
    attempt: context.info.attempt + (input.attempts_before ?? 0),
    token: context.info.base64TaskToken,
  });
  await limits.turn(input.name, tool.spec.rate_limit, signal);
  const problem = await checked(tool, input);
  if (problem) return notMade(tool.spec.name, problem);
  const isIrreversible = tool.spec.effect === "irreversible";
  // Its answer must be kept: it could not be called again. Nothing was done yet, so the call waits.
  if (isIrreversible) await documents?.reachable();
  try {
    const answer = await use(tool, input, call);
    if (isIrreversible) await untilKept(answer, documents, signal, context);
    return answer;
  } catch (error) {
    throw forTemporal(error, input);
  }
}

/** Waits while there are heartbeats: the SDK keeps the answer after them, and gives up after some seconds. */
async function untilKept(
  answer: unknown,
  documents: ProjectDocuments | undefined,
  signal: AbortSignal,
  context: Context,
): Promise<void> {
  if (jsonBytes(answer as Json) > SURELY_IN_HISTORY_BYTES)
    await documents?.waiting(signal).reachable().catch(keptOrUnknown);
  await untilReached(context);
}

/** @throws configuration_error if the run waits for a worker that has the tool */
function withoutTool(
  { tools, wait_ms }: ToolWorker,
  { name, blocked_ms }: CallToolInput,
  context: Context,
): Result<never> {
  if (wait_ms === 0) return tools.notFound([name]);
  throw configurationError(context, { ...missingNames("tool", [name], tools.names()), wait_ms }, blocked_ms);
}

/** Returns the error that an activity throws for an error of a tool. */
function forTemporal(error: unknown, { blocked_ms }: CallToolInput): unknown {
  if (completesLater(error)) return new CompleteAsyncError();
  if (blocked_ms !== undefined) return final(error);
  if (!isToolRetry(error)) return error;
  return ApplicationFailure.create({ type: "tool_retry", message: error.message, ...retryPause(error.after_ms) });
}

/**
 * Temporal repeats the call of a service that acts once for each key when its answer was lost, with the same key. After the last attempt
 * the workflow reads the outcome as unknown (`toolCallFailure`).
 *
 * @throws ApplicationFailure `outcome_unknown`
 */
function unlessRepeated({ spec }: Tool, answer: Result<Json>, blocked_ms: number | undefined): Result<Json> {
  if (answer.ok || spec.effect !== "idempotent" || answer.fail.details?.code !== "unknown_outcome") return answer;
  if (blocked_ms !== undefined) return answer;
  throw ApplicationFailure.retryable(answer.fail.message, OUTCOME_UNKNOWN);
}

/**
 * The call was made. If its answer cannot be kept, the code that keeps it reports an unknown outcome; the tool is not
 * called again.
 */
const keptOrUnknown = (): void => undefined;

/** The lowest `over` that largePayloads takes. */
const SURELY_IN_HISTORY_BYTES = 1_000;

/** The program receives an error of its call, whose code gives the reason why the call was not made. */
export const notMade = (tool: string, { reason, message, details }: Failure): Result<never> =>
  failed("tool_error", message, {
    ...details,
    tool,
    code: reason === "tool_error" ? (details?.code ?? reason) : reason,
  });

/** Temporal would try the call again without end: it waits for a worker, not for the tool. */
function final(error: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: (error instanceof ApplicationFailure ? error.type : undefined) ?? "tool_retry",
    message: thrownText(error),
    nonRetryable: true,
  });
}

/** The tool of a call, with the settings that the call has for it; undefined: this worker does not have it. */
export function toolOfCall(
  tools: ToolRegistry,
  { name, settings }: Pick<CallToolInput, "name" | "settings">,
): Tool | undefined {
  const tool = tools.get(name);
  return tool === undefined || settings === undefined ? tool : { ...tool, spec: { ...tool.spec, ...settings } };
}

/** A failure that asks Temporal for another attempt. */
export const isRetryableFailure = (error: unknown): boolean =>
  completesLater(error) || (error instanceof ApplicationFailure && !error.nonRetryable);

/** The specs of tools by name. It is also how a run waits for tools: Temporal asks again until a worker has all of them. */
export function describeTools({
  tools,
  wait_ms,
}: Pick<ToolWorker, "tools" | "wait_ms">): NavigatorActivities["describeTools"] {
  return async (names) => {
    const specs = tools.describe(names);
    if (specs.ok || wait_ms === 0) return specs;
    const unknown = names.filter((name) => !tools.get(name));
    throw configurationError(Context.current(), { ...missingNames("tool", unknown, tools.names()), wait_ms });
  };
}
