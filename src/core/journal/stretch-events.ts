import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { decodePayloads, type HistoryEvent, jsonPayloads } from "./history-event";
import {
  type BegunCall,
  innerCallId,
  STRETCH_ACTIVITY,
  STRETCH_REPORTED,
  type StretchCall,
  type StretchJournal,
} from "./stretch";

/**
 * The events of a history with the calls that were made in stretches (engine reference, section 16): before the event that tells of
 * them stands, for each call, what an activity of its own would have left. So whoever reads calls reads those, too.
 */
export function withStretches(events: HistoryEvent[]): HistoryEvent[] {
  const stretches = new Set<string>();
  let last: ToldStretch | undefined;
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" && nameOf(event) === STRETCH_ACTIVITY) {
      stretches.add(String(event.id));
      last = new ToldStretch(event);
    }
    if (last === undefined) return [event];
    if (isReport(event)) return [...(numberIn(event) === last.n ? last.told(event) : []), event];
    const isOver = stretches.has(String(event.attributes.scheduledEventId)) && ENDS.includes(event.type);
    if (!isOver && event.type !== "WorkflowExecutionTerminated") return [event];
    const told = last.told(event);
    // A report that comes later says nothing new.
    last = undefined;
    return [...told, event];
  });
}

/** What a history has told of a stretch so far. */
class ToldStretch {
  private calls = 0;
  /** The event of the call that was told before it had an answer. */
  private open: number | undefined;

  readonly n: Json | undefined;

  constructor(private readonly activity: HistoryEvent) {
    this.n = numberIn(activity);
  }

  /** What an event tells that none before it has told. */
  told(event: HistoryEvent): HistoryEvent[] {
    const { stretch, under_way } = madeIn(event);
    const told: Told[] = stretch.slice(this.calls);
    const goesOn = event.type === "WorkflowExecutionSignaled" || event.type === "WorkflowExecutionTerminated";
    const { open } = this;
    const isOpenStill = open !== undefined && told.length === 0;
    if (under_way !== undefined && !isOpenStill) told.push(under_way);
    const before = this.calls;
    this.calls = Math.max(before, stretch.length);
    // Between the event before and this one: ids are in the order of the events.
    const id = (place: number): number => event.id - 1 + place / (3 * told.length + 2);
    if (isOpenStill && !goesOn) {
      this.open = undefined;
      return [{ id: id(1), type: "ActivityTaskCanceled", at: event.at, attributes: { scheduledEventId: open } }];
    }
    return told.flatMap((call, index) => {
      const known = index === 0 ? open : undefined;
      const scheduledEventId = known ?? id(3 * index + 1);
      this.open = call.answer === undefined && goesOn ? scheduledEventId : undefined;
      return [
        ...(known === undefined ? this.begun(call, before + index + 1, scheduledEventId, id(3 * index + 2)) : []),
        ...(this.open === undefined ? [ended(call, scheduledEventId, id(3 * index + 3), event.at)] : []),
      ];
    });
  }

  private begun({ input, began, attempts = 1 }: Told, n: number, scheduledEventId: number, started: number) {
    const { activityId, header } = this.activity.attributes;
    const attributes = {
      activityId: innerCallId(String(activityId), n),
      activityType: { name: "callTool" },
      input: jsonPayloads(input as unknown as Json),
      ...(header === undefined ? {} : { header }),
    };
    const summary = `${input.task === null ? `turn ${input.turn}` : `task ${input.task}`}: ${input.name}`;
    return [
      { id: scheduledEventId, type: "ActivityTaskScheduled", at: began, attributes, summary },
      { id: started, type: "ActivityTaskStarted", at: began, attributes: { scheduledEventId, attempt: attempts } },
    ];
  }
}

/** A call, which may have no answer. */
type Told = BegunCall & Partial<StretchCall>;

function ended({ answer, at }: Told, scheduledEventId: number, id: number, end: number): HistoryEvent {
  if (answer === undefined) return { id, type: "ActivityTaskCanceled", at: end, attributes: { scheduledEventId } };
  const result = jsonPayloads(answer as unknown as Json);
  return { id, type: "ActivityTaskCompleted", at: at ?? end, attributes: { scheduledEventId, result } };
}

const ENDS = ["ActivityTaskCompleted", "ActivityTaskTimedOut", "ActivityTaskCanceled", "ActivityTaskFailed"];

const isReport = ({ type, attributes }: HistoryEvent): boolean =>
  type === "WorkflowExecutionSignaled" && attributes.signalName === STRETCH_REPORTED;

function numberIn({ attributes: { input } }: HistoryEvent): Json | undefined {
  const value = decodePayloads(input);
  return isObject(value) ? value.n : undefined;
}

const NOTHING: StretchJournal = { stretch: [] };

/**
 * What it gave at its end, or had reported, or had kept when it was lost for good, or when its workflow was terminated. What was under
 * way when it was lost is made again by its run.
 */
function madeIn({ type, attributes }: HistoryEvent): StretchJournal {
  if (type === "ActivityTaskCompleted") return stretchIn(decodePayloads(attributes.result));
  if (type === "WorkflowExecutionSignaled") return stretchIn(decodePayloads(attributes.input));
  if (type === "WorkflowExecutionTerminated") return stretchIn(decodePayloads(attributes.details));
  if (type !== "ActivityTaskTimedOut") return NOTHING;
  const timeout = timeoutOf(attributes.failure);
  return timeout === undefined ? NOTHING : { stretch: stretchIn(decodePayloads(timeout.lastHeartbeatDetails)).stretch };
}

function timeoutOf(failure: Json | undefined): JsonObject | undefined {
  for (let inner = failure; isObject(inner); inner = inner.cause)
    if (isObject(inner.timeoutFailureInfo)) return inner.timeoutFailureInfo;
  return undefined;
}

const stretchIn = (value: Json | undefined): StretchJournal =>
  isObject(value) && Array.isArray(value.stretch) ? (value as unknown as StretchJournal) : NOTHING;

const nameOf = ({ attributes: { activityType } }: HistoryEvent): Json | undefined =>
  isObject(activityType) ? activityType.name : undefined;
