import { CompleteAsyncError } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { defined } from "../core/base/defined";
import type { NavigatorActivities } from "../core/calls/effects";
import { completesLater, invokeTool, isToolRetry, RateLimits, type ToolRegistry } from "../tools";
import { withHeartbeat } from "./heartbeat";

/**
 * Runs one tool call. The result or error of the tool is data for the program. Only a ToolRetry, or a retryable
 * ApplicationFailure, is thrown to Temporal, which retries as the policy of the tool's effect says.
 */
export function callTool(tools: ToolRegistry): NavigatorActivities["callTool"] {
  const limits = new RateLimits();
  return (input) =>
    withHeartbeat(async (context) => {
      const tool = tools.get(input.name);
      if (!tool) return tools.notFound([input.name]);
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
        if (!isToolRetry(error)) throw error;
        throw ApplicationFailure.create({
          type: "tool_retry",
          message: error.message,
          ...defined({ nextRetryDelay: error.after_ms }),
        });
      }
    });
}

const isRetryableFailure = (error: unknown): boolean =>
  completesLater(error) || (error instanceof ApplicationFailure && !error.nonRetryable);
