import type { WorkflowHandle } from "@temporalio/client";
import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { WORKER_LOST } from "../../../src/core/base/error-codes";
import { RUN_CALLS, type RunCallsInput } from "../../../src/core/calls/run-calls";

/** What the history of a run has, as the server keeps it. */

interface OfWorkflow {
  workflow: Pick<WorkflowHandle, "fetchHistory">;
}

export async function eventsOf({ workflow }: OfWorkflow) {
  return (await workflow.fetchHistory()).events ?? [];
}

/**
 * The types of the activities that the server was asked for, in order. `runCalls` with what it does: `runCalls:model` asks a model (and
 * may make calls after it), `runCalls:program` makes calls of a program, `runCalls:listed` makes calls side by side.
 */
export const activitiesOf = async (run: OfWorkflow): Promise<string[]> =>
  (await eventsOf(run)).flatMap(({ activityTaskScheduledEventAttributes: one }) => {
    const name = one?.activityType?.name;
    if (name === undefined || name === null) return [];
    return name === RUN_CALLS ? [`${name}:${formOf(one?.input?.payloads?.[0] as Payload)}`] : [name];
  });

function formOf(payload: Payload): "model" | "program" | "listed" {
  const { model, calls } = defaultPayloadConverter.fromPayload<RunCallsInput>(payload);
  return model !== undefined ? "model" : calls !== undefined ? "listed" : "program";
}

/** Attempts of activities that were lost, also those of which only Temporal knows. */
export const lossesOf = async (run: OfWorkflow): Promise<number> =>
  (await eventsOf(run)).reduce((losses, event) => {
    const { activityTaskTimedOutEventAttributes: out, activityTaskFailedEventAttributes: ended } = event;
    const isLost = out || ended?.failure?.applicationFailureInfo?.type === WORKER_LOST;
    return losses + (isLost ? 1 : 0) + Math.max(0, (event.activityTaskStartedEventAttributes?.attempt ?? 1) - 1);
  }, 0);

/** The names of the signals that reached it, in order. */
export const signalsOf = async (run: OfWorkflow): Promise<string[]> =>
  (await eventsOf(run)).flatMap(({ workflowExecutionSignaledEventAttributes: one }) => one?.signalName ?? []);
