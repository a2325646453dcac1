import type { WorkflowHandle } from "@temporalio/client";

/** What the history of a run has, as the server keeps it. */

interface OfWorkflow {
  workflow: Pick<WorkflowHandle, "fetchHistory">;
}

export async function eventsOf({ workflow }: OfWorkflow) {
  return (await workflow.fetchHistory()).events ?? [];
}

/** The types of the activities that the server was asked for, in order. */
export const activitiesOf = async (run: OfWorkflow): Promise<string[]> =>
  (await eventsOf(run)).flatMap(({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name ?? []);

/** The names of the signals that reached it, in order. */
export const signalsOf = async (run: OfWorkflow): Promise<string[]> =>
  (await eventsOf(run)).flatMap(({ workflowExecutionSignaledEventAttributes: one }) => one?.signalName ?? []);
