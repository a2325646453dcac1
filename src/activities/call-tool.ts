import { CompleteAsyncError, Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { defined } from "../core/base/defined";
import type { NavigatorActivities } from "../core/calls/effects";
import { missingNames } from "../core/calls/missing";
import { completesLater, invokeTool, isToolRetry, RateLimits, type ToolRegistry } from "../tools";
import { withHeartbeat } from "./heartbeat";
import { configurationError } from "./missing";

/**
 * Runs one tool call. The result or error of the tool is data for the program. Only a ToolRetry, or a retryable
 * ApplicationFailure, is thrown to Temporal, which retries as the policy of the tool's effect says. A tool that this
 * worker does not have is a configuration error: the workflow waits for a worker that has it.
 *
 * @param wait_ms how long it waits; 0 = it does not, and the program is told
 */
export function callTool(tools: ToolRegistry, wait_ms = 0): NavigatorActivities["callTool"] {
  const limits = new RateLimits();
  return (input) =>
    withHeartbeat(async (context) => {
      const tool = tools.get(input.name);
      if (!tool) {
        if (wait_ms === 0) return tools.notFound([input.name]);
        throw configurationError(
          context,
          { ...missingNames("tool", [input.name], tools.names()), wait_ms },
          input.blocked_ms,
        );
      }
      const call = {
        idempotencyKey: input.idempotency_key,
        signal: context.cancellationSignal,
        heartbeat: () => context.heartbeat(),
        attempt: context.info.attempt,
        task: input.task,
        agent: input.agent,
        turn: input.turn,
        token: context.info.base64TaskToken,
      };
      await limits.turn(input.name, tool.spec.rate_limit, context.cancellationSignal);
      try {
        return await invokeTool(tool, input.args, call, isRetryableFailure);
      } catch (error) {
        if (completesLater(error)) throw new CompleteAsyncError();
        if (input.blocked_ms !== undefined) throw final(error);
        if (!isToolRetry(error)) throw error;
        throw ApplicationFailure.create({
          type: "tool_retry",
          message: error.message,
          ...defined({ nextRetryDelay: error.after_ms }),
        });
      }
    });
}

/** Temporal would try the call again without end: it waits for a worker, not for the tool. */
function final(error: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: (error instanceof ApplicationFailure ? error.type : undefined) ?? "tool_retry",
    message: error instanceof Error ? error.message : String(error),
    nonRetryable: true,
  });
}

const isRetryableFailure = (error: unknown): boolean =>
  completesLater(error) || (error instanceof ApplicationFailure && !error.nonRetryable);

/**
 * The specs of tools by name. It is also how a run waits for tools: Temporal asks again until a worker has all of them.
 *
 * @param wait_ms as for `callTool`
 */
export function describeTools(tools: ToolRegistry, wait_ms = 0): NavigatorActivities["describeTools"] {
  return async (names) => {
    const specs = tools.describe(names);
    if (specs.ok || wait_ms === 0) return specs;
    const unknown = names.filter((name) => !tools.get(name));
    throw configurationError(Context.current(), { ...missingNames("tool", unknown, tools.names()), wait_ms });
  };
}
