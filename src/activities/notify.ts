import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { missingNames } from "../core/base/input/missing";
import type { Json } from "../core/base/json";
import { BLOCKED_TIMEOUT_MS } from "../core/base/limits";
import type { NavigatorActivities } from "../core/calls/activities";
import type { Delivery, DeliveryPlan } from "../core/review/delivery";
import type { EscalationNotification, Notification } from "../core/review/notification";
import { invokeTool, type ToolRegistry } from "../tools";
import { sendHeartbeat, withHeartbeat } from "./heartbeat";
import { configurationError } from "./missing";
import { DeliveryError } from "./notify/channel";
import type { Notifier } from "./notify/notifier";
import { retryPause } from "./retry-pause";

/** Tools that an end with `alert` or `ticket` calls, by name. */
export interface EscalationTools {
  alert?: string | undefined;
  ticket?: string | undefined;
}

const TOOL = "tool";

/** The activities that notify people of reviews, alerts and tickets (approvals reference, section 8). */
export function notifyActivities(
  notifier: Notifier,
  tools: ToolRegistry,
  escalations: EscalationTools,
): Pick<NavigatorActivities, "planDeliveries" | "deliver"> {
  const toolFor = (notification: Notification): string | undefined =>
    "review" in notification ? undefined : escalations[notification.event === "task_alert" ? "alert" : "ticket"];
  const planOf = (notification: Notification): DeliveryPlan => {
    const plan = notifier.plan(notification);
    const tool = toolFor(notification);
    const calls = tool === undefined ? [] : [{ channel: TOOL, to: tool }];
    return { ...plan, deliveries: [...plan.deliveries, ...calls] };
  };
  return {
    async planDeliveries(notification) {
      log(notification);
      return planOf(notification);
    },

    deliver: (input) =>
      withHeartbeat(async ({ cancellationSignal }) => {
        const { notification } = input;
        if (!planOf(notification).deliveries.some((planned) => isSameDelivery(planned, input))) throw notPlanned(input);
        if (input.channel === TOOL) return call(input.to, notification as EscalationNotification, tools);
        try {
          await notifier.deliver(input, cancellationSignal);
        } catch (error) {
          throw error instanceof DeliveryError ? deliveryFailure(error) : error;
        }
      }),
  };
}

function log(notification: Notification): void {
  const { event, workflow_id } = notification;
  const about =
    "review" in notification
      ? { review: notification.review.id, title: notification.review.title }
      : { task: notification.task.id, issue: notification.task.issue, step: notification.task.step };
  Context.current().log.info(event, { workflow_id, ...about });
}

const isSameDelivery = (planned: Delivery, { channel, to, person }: Delivery): boolean =>
  planned.channel === channel && planned.to === to && planned.person === person;

/**
 * Everybody who can write to the namespace can ask for any delivery: a link of a person to somebody else's address, or
 * the call of a tool that people must approve. So the worker sends only a delivery that it would plan itself. A
 * recipient that the settings, or the people of the project, no longer have is given up.
 */
const notPlanned = ({ channel, to }: Delivery): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `The settings of this worker send nothing to ${to} by ${channel}.`,
    "delivery_refused",
  );

/** A receiver that asks for a shorter pause would get hundreds of attempts a second. */
const LEAST_PAUSE_MS = 1_000;

function deliveryFailure({ message, final, retryAfterMs }: DeliveryError): ApplicationFailure {
  return ApplicationFailure.create({
    type: "delivery_failed",
    message,
    nonRetryable: final,
    ...retryPause(retryAfterMs && Math.max(retryAfterMs, LEAST_PAUSE_MS)),
  });
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
      heartbeat: () => sendHeartbeat(Context.current()),
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
