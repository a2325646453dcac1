import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { STRETCH_ACTIVITY, type StretchCall } from "../calls/stretch";
import { decodePayloads, type HistoryEvent, jsonPayloads } from "./history-event";

/**
 * The events of a history with the calls that were made in stretches (engine reference, section 16): before the answer of such an
 * activity stands, for each of its calls, what an activity of its own would have left. So whoever reads calls reads those, too.
 */
export function withStretches(events: HistoryEvent[]): HistoryEvent[] {
  const stretches = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" && nameOf(event) === STRETCH_ACTIVITY) stretches.add(String(event.id));
    const isEnd =
      event.type === "WorkflowExecutionTerminated" || stretches.has(String(event.attributes.scheduledEventId));
    return isEnd ? [...callsIn(event), event] : [event];
  });
}

function callsIn(event: HistoryEvent): HistoryEvent[] {
  const calls = madeIn(event);
  // Between the event before and this one: ids are in the order of the events.
  const id = (place: number): number => event.id - 1 + place / (3 * calls.length + 1);
  return calls.flatMap(({ input, began, at, answer, attempts }, index): HistoryEvent[] => {
    const scheduled = id(3 * index + 1);
    const scheduledEventId = scheduled;
    return [
      {
        id: scheduled,
        type: "ActivityTaskScheduled",
        at: began,
        attributes: { activityType: { name: "callTool" }, input: jsonPayloads(input as unknown as Json) },
        summary: `${input.task === null ? `turn ${input.turn}` : `task ${input.task}`}: ${input.name}`,
      },
      {
        id: id(3 * index + 2),
        type: "ActivityTaskStarted",
        at: began,
        attributes: { scheduledEventId, attempt: attempts ?? 1 },
      },
      {
        id: id(3 * index + 3),
        type: "ActivityTaskCompleted",
        at,
        attributes: { scheduledEventId, result: jsonPayloads(answer as unknown as Json) },
      },
    ];
  });
}

/** What it gave at its end, or had kept when it was lost for good, or when its workflow was terminated. */
function madeIn({ type, attributes }: HistoryEvent): StretchCall[] {
  if (type === "ActivityTaskCompleted") return stretchIn(decodePayloads(attributes.result));
  if (type === "WorkflowExecutionTerminated") return stretchIn(decodePayloads(attributes.details));
  if (type !== "ActivityTaskTimedOut") return [];
  const timeout = timeoutOf(attributes.failure);
  return timeout === undefined ? [] : stretchIn(decodePayloads(timeout.lastHeartbeatDetails));
}

function timeoutOf(failure: Json | undefined): JsonObject | undefined {
  for (let inner = failure; isObject(inner); inner = inner.cause)
    if (isObject(inner.timeoutFailureInfo)) return inner.timeoutFailureInfo;
  return undefined;
}

const stretchIn = (value: Json | undefined): StretchCall[] =>
  isObject(value) && Array.isArray(value.stretch) ? (value.stretch as unknown as StretchCall[]) : [];

const nameOf = ({ attributes: { activityType } }: HistoryEvent): Json | undefined =>
  isObject(activityType) ? activityType.name : undefined;
