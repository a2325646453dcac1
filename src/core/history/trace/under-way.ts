import { decodePayloads, type HistoryEvent } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import { RUN_CALLS } from "../../calls/run-calls";
import { writtenEvents } from "../read/history";
import { activityNameOf, ENDS_OF_ACTIVITIES } from "../read/told-calls";
import { historyEnd } from "../read/workflow-end";
import type { MissionHistories } from "./read-mission";

/** An activity that may have made calls of which the history does not tell yet (engine reference, section 16). */
export interface ActivityUnderWay {
  /** The workflow id of the run. */
  run: string;
  /** As in the Web UI: `turn 1: model`. */
  what: string;
  /** Ms since 1970. */
  since: number;
}

/**
 * The activities of a mission whose calls may be missing from its effects: a run that was terminated, or whose worker is lost, has not heard of
 * them. A run that has ended by itself has.
 */
export function activitiesUnderWay({ workflow_id, runs, children }: MissionHistories): ActivityUnderWay[] {
  const events = writtenEvents(runs.at(-1) ?? []);
  const below = children.flatMap(activitiesUnderWay);
  const state = historyEnd(events)?.state;
  if (state !== undefined && state !== "terminated" && state !== "timed_out") return below;
  const heard = events.findLast(({ type }) => type === "WorkflowTaskCompleted")?.id ?? 0;
  // A lost one that the run has not heard of tells nothing yet.
  const hasTold = ({ id, type }: HistoryEvent) =>
    ENDS_OF_ACTIVITIES.includes(type) && (id < heard || type === "ActivityTaskCompleted");
  const ended = new Set(events.filter(hasTold).map(({ attributes }) => Number(attributes.scheduledEventId)));
  const open = events.filter(
    (event) =>
      event.type === "ActivityTaskScheduled" &&
      activityNameOf(event) === RUN_CALLS &&
      makesCalls(event) &&
      !ended.has(event.id),
  );
  return [
    ...open.map((event) => ({
      run: workflow_id,
      what: event.summary ?? String(activityNameOf(event)),
      since: event.at,
    })),
    ...below,
  ];
}

/** Of a model that is asked alone the history has the reply. */
function makesCalls({ attributes }: HistoryEvent): boolean {
  const input = decodePayloads(attributes.input);
  return isObject(input) && ("run" in input || "calls" in input);
}
