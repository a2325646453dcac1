import { Context } from "@temporalio/activity";
import type { Json } from "../core/base/json";
import { BLOCKED_TIMEOUT_MS } from "../core/base/limits";
import type { EscalationNotification, NavigatorActivities, Notification } from "../core/calls/activities";
import { missingNames } from "../core/calls/missing";
import { invokeTool, type ToolRegistry } from "../tools";
import { configurationError } from "./missing";

const PATIENCE_MS = 10_000;

/** Tools that an end with `alert` or `ticket` calls, by name. */
export interface EscalationTools {
  alert?: string | undefined;
  ticket?: string | undefined;
}

/**
 * Writes one line to the worker's log, posts the same as JSON to the webhook if there is one, and calls the project's
 * tool for an escalation. Temporal retries on an error.
 */
export function notify(
  url: string | undefined,
  tools: ToolRegistry,
  escalations: EscalationTools,
): NavigatorActivities["notify"] {
  return async (input) => {
    const { event, workflow_id } = input;
    const about =
      "review" in input
        ? { review: input.review.id, title: input.review.title }
        : { task: input.task.id, issue: input.task.issue, step: input.task.step };
    Context.current().log.info(event, { workflow_id, ...about });
    if (url !== undefined) await post(url, input);
    if ("review" in input) return;
    const tool = event === "task_alert" ? escalations.alert : escalations.ticket;
    if (tool !== undefined) await call(tool, input, tools);
  };
}

async function post(url: string, input: Notification): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

async function call(name: string, input: EscalationNotification, tools: ToolRegistry): Promise<void> {
  const tool = tools.get(name);
  // A lost alert is worse than a late one: the next attempt may reach a worker that has the tool.
  if (!tool)
    throw configurationError(Context.current(), {
      ...missingNames("tool", [name], tools.names()),
      wait_ms: BLOCKED_TIMEOUT_MS,
    });
  const { cancellationSignal, info } = Context.current();
  const result = await invokeTool(
    tool,
    { ...input.task, last_output: input.task.last_output as Json },
    {
      idempotencyKey: input.idempotency_key,
      signal: cancellationSignal,
      heartbeat: () => Context.current().heartbeat(),
      attempt: info.attempt,
      task: null,
      agent: null,
      turn: 0,
      token: info.base64TaskToken,
    },
    () => false,
  );
  if (!result.ok) throw new Error(`${name}: ${result.fail.message}`);
}
