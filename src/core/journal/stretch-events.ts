import { defined } from "../base/defined";
import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { STRETCH_ACTIVITY, STRETCH_REPORTED, type StretchCall, type StretchJournal } from "../calls/stretch";
import { decodePayloads, type HistoryEvent, jsonPayloads } from "./history-event";

/**
 * The events of a history with the calls that were made in stretches (engine reference, section 16): before the event that tells of
 * them stands, for each call, what an activity of its own would have left. So whoever reads calls reads those, too.
 */
export function withStretches(events: HistoryEvent[]): HistoryEvent[] {
  const stretches = new Set<string>();
  /** Of the stretch that goes on: which one it is, and how many of its calls were told. */
  let n: Json | undefined;
  let told = 0;
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" && nameOf(event) === STRETCH_ACTIVITY) {
      stretches.add(String(event.id));
      n = numberIn(decodePayloads(event.attributes.input));
      told = 0;
    }
    const isReport = event.type === "WorkflowExecutionSignaled" && event.attributes.signalName === STRETCH_REPORTED;
    if (isReport ? n === undefined || numberIn(decodePayloads(event.attributes.input)) !== n : !isEnd(event, stretches))
      return [event];
    const { stretch, under_way } = madeIn(event);
    const calls: Told[] = [...stretch.slice(told), ...(under_way === undefined ? [] : [under_way])];
    told = Math.max(told, stretch.length);
    return [...calls.flatMap((call, index) => eventsOf(call, event.id, index, calls.length)), event];
  });
}

const isEnd = ({ type, attributes }: HistoryEvent, stretches: ReadonlySet<string>): boolean =>
  type === "WorkflowExecutionTerminated" || stretches.has(String(attributes.scheduledEventId));

const numberIn = (value: Json | undefined): Json | undefined => (isObject(value) ? value.n : undefined);

/** A call, which may have no answer. */
type Told = Pick<StretchCall, "input" | "began"> & Partial<StretchCall>;

function eventsOf({ input, began, at, answer, attempts }: Told, before: number, index: number, calls: number) {
  // Between the event before and this one: ids are in the order of the events.
  const id = (place: number): number => before - 1 + (3 * index + place) / (3 * calls + 1);
  const scheduledEventId = id(1);
  const events: HistoryEvent[] = [
    {
      id: scheduledEventId,
      type: "ActivityTaskScheduled",
      at: began,
      attributes: { activityType: { name: "callTool" }, input: jsonPayloads(input as unknown as Json) },
      summary: `${input.task === null ? `turn ${input.turn}` : `task ${input.task}`}: ${input.name}`,
    },
    { id: id(2), type: "ActivityTaskStarted", at: began, attributes: { scheduledEventId, attempt: attempts ?? 1 } },
  ];
  if (answer !== undefined)
    events.push({
      id: id(3),
      type: "ActivityTaskCompleted",
      at: at ?? began,
      attributes: { scheduledEventId, result: jsonPayloads(answer as unknown as Json) },
    });
  return events;
}

const NOTHING: StretchJournal = { stretch: [] };

/** What it gave at its end, or had reported, or had kept when it was lost for good, or when its workflow was terminated. */
function madeIn({ type, attributes }: HistoryEvent): StretchJournal {
  if (type === "ActivityTaskCompleted") return stretchIn(decodePayloads(attributes.result));
  if (type === "WorkflowExecutionSignaled") return stretchIn(decodePayloads(attributes.input));
  if (type === "WorkflowExecutionTerminated") return stretchIn(decodePayloads(attributes.details), true);
  if (type !== "ActivityTaskTimedOut") return NOTHING;
  const timeout = timeoutOf(attributes.failure);
  return timeout === undefined ? NOTHING : stretchIn(decodePayloads(timeout.lastHeartbeatDetails));
}

function timeoutOf(failure: Json | undefined): JsonObject | undefined {
  for (let inner = failure; isObject(inner); inner = inner.cause)
    if (isObject(inner.timeoutFailureInfo)) return inner.timeoutFailureInfo;
  return undefined;
}

/** The call that was under way is told where nothing follows; else its run has made it again. */
function stretchIn(value: Json | undefined, isLast = false): StretchJournal {
  if (!isObject(value) || !Array.isArray(value.stretch)) return NOTHING;
  const { stretch, under_way } = value as unknown as StretchJournal;
  return { stretch, ...(isLast ? defined({ under_way }) : {}) };
}

const nameOf = ({ attributes: { activityType } }: HistoryEvent): Json | undefined =>
  isObject(activityType) ? activityType.name : undefined;
