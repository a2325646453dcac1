import { isObject } from "../base/is-object";
import type { Json } from "../base/json";
import { decodePayloads, type HistoryEvent } from "./history-event";
import { type BegunCall, STRETCH_ACTIVITY, STRETCH_REPORTED, type StretchCall, type StretchJournal } from "./stretch";
import {
  activityNameOf,
  ENDS_OF_ACTIVITIES,
  innerEnded,
  innerScheduled,
  innerStarted,
  keptInHeartbeat,
  payloadsIn,
} from "./told-calls";

/**
 * The events of a history with the calls that were made in stretches (engine reference, section 16): before the event that tells of
 * them stands, for each call, what an activity of its own would have left. So whoever reads calls reads those, too.
 */
export function withStretches(events: HistoryEvent[]): HistoryEvent[] {
  const stretches = new Set<string>();
  let last: ToldStretch | undefined;
  return events.flatMap((event) => {
    if (event.type === "ActivityTaskScheduled" && activityNameOf(event) === STRETCH_ACTIVITY) {
      stretches.add(String(event.id));
      last = new ToldStretch(event);
    }
    if (last === undefined) return [event];
    if (isReport(event)) return [...(numberIn(event) === last.n ? last.told(event) : []), event];
    const isOver = stretches.has(String(event.attributes.scheduledEventId)) && ENDS_OF_ACTIVITIES.includes(event.type);
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
      return [innerEnded(open, undefined, { id: id(1), at: event.at })];
    }
    return told.flatMap((call, index) => {
      const known = index === 0 ? open : undefined;
      const scheduledEventId = known ?? id(3 * index + 1);
      this.open = call.answer === undefined && goesOn ? scheduledEventId : undefined;
      return [
        ...(known === undefined ? this.begun(call, before + index + 1, scheduledEventId, id(3 * index + 2)) : []),
        ...(this.open === undefined ? [ended(call, scheduledEventId, id(3 * index + 3), event)] : []),
      ];
    });
  }

  private begun({ input, began, attempts = 1 }: Told, n: number, scheduledEventId: number, started: number) {
    return [
      innerScheduled(this.activity, input, n, { id: scheduledEventId, at: began }),
      innerStarted(scheduledEventId, { id: started, at: began }, attempts),
    ];
  }
}

/** A call, which may have no answer. */
type Told = BegunCall & Partial<StretchCall>;

const ended = ({ answer, at }: Told, scheduledEventId: number, id: number, end: HistoryEvent): HistoryEvent =>
  innerEnded(scheduledEventId, answer, { id, at: answer === undefined ? end.at : (at ?? end.at) });

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
function madeIn(event: HistoryEvent): StretchJournal {
  const { type, attributes } = event;
  if (type === "ActivityTaskCompleted") return stretchIn(decodePayloads(attributes.result));
  if (type === "WorkflowExecutionSignaled") return stretchIn(decodePayloads(attributes.input));
  if (type === "WorkflowExecutionTerminated") return stretchIn(payloadsIn(attributes.details).find(isStretch));
  return { stretch: stretchIn(keptInHeartbeat(event)).stretch };
}

const isStretch = (value: Json | undefined): boolean => isObject(value) && Array.isArray(value.stretch);

const stretchIn = (value: Json | undefined): StretchJournal =>
  isStretch(value) ? (value as unknown as StretchJournal) : NOTHING;
