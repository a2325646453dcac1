import { decodePayloads, type HistoryEvent, jsonPayloads } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import {
  type BegunCall,
  STRETCH_ACTIVITY,
  STRETCH_REPORTED,
  type StretchCall,
  type StretchJournal,
  type StretchReply,
  TURN_ACTIVITY,
} from "../../journal/stretch";
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
 * them stands, for each call, what an activity of its own would have left. So whoever reads calls reads those, too. Where a stretch
 * begins with the reply of a model, the reply stands before its calls, as the end of the model call.
 */
export function withStretches(events: HistoryEvent[]): HistoryEvent[] {
  const stretches = new Set<string>();
  const again = new LostStretches(events);
  let last: ToldStretch | undefined;
  return events.flatMap((event, place) => {
    const n = event.type === "ActivityTaskScheduled" ? stretchOf(event) : undefined;
    if (n !== undefined) {
      stretches.add(String(event.id));
      const goesOn = last?.goesOn(event, n) === true;
      if (!goesOn) last = new ToldStretch(event, n);
      return [activityNameOf(event) === TURN_ACTIVITY && !goesOn ? asModelCall(event) : event];
    }
    if (last === undefined) return [event];
    if (isReport(event)) return [...(inputIn(event)?.n === last.n ? last.told(event) : []), event];
    const isOver = stretches.has(String(event.attributes.scheduledEventId)) && ENDS_OF_ACTIVITIES.includes(event.type);
    if (!isOver && event.type !== "WorkflowExecutionTerminated") return [event];
    const isMadeAgain = isOver && isUnanswered(event) && again.isMadeAgain(last.n, place);
    const told = isMadeAgain ? [] : last.told(event, again.heardOf(place));
    const isReply = isOver && last.endsAsReply;
    // A report that comes later says nothing new. Of a turn that had reported, the next activity tells what is left.
    if (!isMadeAgain || !last.hasReplied) last = undefined;
    return isReply ? told : [...told, event];
  });
}

/** What a run had heard when it was told that a stretch has ended. */
interface Heard {
  /** It was being cancelled. */
  isCancelled: boolean;
  /** It made nothing any more, not even the call that its program stood at. */
  isOver: boolean;
}

const NOTHING_YET: Heard = { isCancelled: false, isOver: false };

/** Stretches whose worker was lost: the run has another activity go on behind what was kept, or goes on by itself, or is over. */
class LostStretches {
  /** The place of the last activity of each turn. */
  private readonly lastOf = new Map<Json, number>();
  /** The places at which the run has decided what it does, or can decide nothing more. */
  private readonly decided: number[] = [];
  private cancelled = Number.POSITIVE_INFINITY;
  private terminated = Number.POSITIVE_INFINITY;

  constructor(events: readonly HistoryEvent[]) {
    for (const [place, event] of events.entries()) {
      if (event.type === "WorkflowExecutionCancelRequested") this.cancelled = Math.min(this.cancelled, place);
      if (event.type === "WorkflowExecutionTerminated") this.terminated = place;
      if (event.type === "WorkflowTaskCompleted" || place === this.terminated) this.decided.push(place);
      const n = activityNameOf(event) === TURN_ACTIVITY ? stretchOf(event) : undefined;
      if (n !== undefined) this.lastOf.set(n, place);
    }
  }

  /** Whether the end at this place is not the last one, so that a later one tells of its calls. */
  isMadeAgain(n: Json, place: number): boolean {
    const last = this.lastOf.get(n);
    return last !== undefined && (last > place || (this.decided.at(-1) ?? 0) < place);
  }

  heardOf(place: number): Heard {
    const decided = this.decided.find((at) => at > place);
    if (decided === undefined) return NOTHING_YET;
    // What comes while a workflow task runs stands behind its end.
    const isCancelled = this.cancelled < decided;
    return { isCancelled, isOver: isCancelled || decided === this.terminated };
  }
}

/** Which one of its workflow begins with this activity; undefined: it is none. */
function stretchOf(event: HistoryEvent): Json | undefined {
  const name = activityNameOf(event);
  if (name === STRETCH_ACTIVITY) return inputIn(event)?.n ?? null;
  const { stretch } = (name === TURN_ACTIVITY ? inputIn(event) : undefined) ?? {};
  return isObject(stretch) ? stretch.n : undefined;
}

const asModelCall = (event: HistoryEvent): HistoryEvent => ({
  ...event,
  attributes: { ...event.attributes, activityType: { name: "callModel" } },
});

/** What a history has told of a stretch so far. */
class ToldStretch {
  private calls = 0;
  /** The event of the call that was told before it had an answer. */
  private open: number | undefined;
  /** The reply with which it begins was told. */
  hasReplied = false;
  /** To readers its activity is the call of the model. */
  private isModelCall: boolean;

  constructor(
    private activity: HistoryEvent,
    readonly n: Json,
  ) {
    this.isModelCall = activityNameOf(activity) === TURN_ACTIVITY;
  }

  /** Its reply is the end of its activity. */
  get endsAsReply(): boolean {
    return this.hasReplied && this.isModelCall;
  }

  /** Whether this activity makes what is left of it: it had told its reply before its worker was lost. */
  goesOn(activity: HistoryEvent, n: Json): boolean {
    if (!this.hasReplied || n !== this.n) return false;
    this.activity = activity;
    this.isModelCall = false;
    return true;
  }

  /** What an event tells that none before it has told. */
  told(event: HistoryEvent, heard = NOTHING_YET): HistoryEvent[] {
    const made = madeIn(event);
    const { reply, replied_at, stretch, ...last } = made === NOTHING && this.hasKept(event, heard) ? this.kept() : made;
    // What was under way when its worker was lost is made again by the run, unless that makes nothing any more.
    const under_way = isUnanswered(event) && !heard.isOver ? undefined : last.under_way;
    const isReplied = reply !== undefined && !this.hasReplied;
    this.hasReplied ||= isReplied;
    const told: Told[] = stretch.slice(this.calls);
    const goesOn = event.type === "WorkflowExecutionSignaled" || event.type === "WorkflowExecutionTerminated";
    const { open } = this;
    const isOpenStill = open !== undefined && told.length === 0;
    if (under_way !== undefined && !isOpenStill) told.push(under_way);
    const before = this.calls;
    this.calls = Math.max(before, stretch.length);
    // Between the event before and this one: ids are in the order of the events.
    const first = isReplied ? 1 : 0;
    const id = (place: number): number => event.id - 1 + (first + place) / (3 * told.length + 2 + first);
    const replied = isReplied
      ? [this.replied(reply, { id: id(0), at: Math.max(replied_at ?? event.at, this.activity.at) })]
      : [];
    if (isOpenStill && !goesOn) {
      this.open = undefined;
      return [...replied, innerEnded(open, undefined, { id: id(1), at: event.at })];
    }
    const calls = told.flatMap((call, index) => {
      const known = index === 0 ? open : undefined;
      const scheduledEventId = known ?? id(3 * index + 1);
      this.open = call.answer === undefined && goesOn ? scheduledEventId : undefined;
      return [
        ...(known === undefined ? this.begun(call, before + index + 1, scheduledEventId, id(3 * index + 2)) : []),
        ...(this.open === undefined ? [ended(call, scheduledEventId, id(3 * index + 3), event)] : []),
      ];
    });
    return [...replied, ...calls];
  }

  /**
   * Whether the run takes what an activity before this one has kept: this one was lost before it had kept anything. Of one that was
   * cancelled with its mission it takes nothing.
   */
  private hasKept(event: HistoryEvent, heard: Heard): boolean {
    if (event.type === "WorkflowExecutionTerminated") return true;
    if (event.type !== "ActivityTaskCanceled") return isUnanswered(event);
    const { now, left_ms } = this.asked;
    const due = typeof now === "number" && typeof left_ms === "number" ? now + left_ms : Number.POSITIVE_INFINITY;
    return !heard.isCancelled && event.at < due;
  }

  /** What was made by an activity before this one, whose worker was lost. */
  private kept(): StretchJournal {
    return stretchIn(this.asked.kept);
  }

  /** The stretch that the run asked for, or asked its turn for. */
  private get asked(): JsonObject {
    const input = inputIn(this.activity) ?? {};
    if (activityNameOf(this.activity) === STRETCH_ACTIVITY) return input;
    return isObject(input.stretch) ? (input.stretch as JsonObject) : {};
  }

  private replied(reply: StretchReply["reply"], { id, at }: Pick<HistoryEvent, "id" | "at">): HistoryEvent {
    const attributes = { scheduledEventId: this.activity.id, result: jsonPayloads(reply as Json) };
    return { id, type: "ActivityTaskCompleted", at, attributes };
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

const isUnanswered = ({ type }: HistoryEvent): boolean =>
  ENDS_OF_ACTIVITIES.includes(type) && type !== "ActivityTaskCompleted";

const isReport = ({ type, attributes }: HistoryEvent): boolean =>
  type === "WorkflowExecutionSignaled" && attributes.signalName === STRETCH_REPORTED;

function inputIn({ attributes: { input } }: HistoryEvent): JsonObject | undefined {
  const value = decodePayloads(input);
  return isObject(value) ? (value as JsonObject) : undefined;
}

const NOTHING: StretchJournal = { stretch: [] };

/** What it gave at its end, or had reported, or had kept when it was lost for good, or when its workflow was terminated. */
function madeIn(event: HistoryEvent): StretchJournal {
  const { type, attributes } = event;
  if (type === "ActivityTaskCompleted") return stretchIn(behindReply(decodePayloads(attributes.result)));
  if (type === "WorkflowExecutionSignaled") return stretchIn(decodePayloads(attributes.input));
  if (type === "WorkflowExecutionTerminated") return stretchIn(payloadsIn(attributes.details).find(isStretch));
  return stretchIn(keptInHeartbeat(event));
}

/** The answer of a model call has the stretch beside the reply. */
function behindReply(answer: Json | undefined): Json | undefined {
  if (!isObject(answer) || !isObject(answer.ahead)) return answer;
  const { ahead, ...reply } = answer;
  return { ...ahead, reply } as Json;
}

const isStretch = (value: Json | undefined): boolean => isObject(value) && Array.isArray(value.stretch);

const stretchIn = (value: Json | undefined): StretchJournal =>
  isStretch(value) ? (value as unknown as StretchJournal) : NOTHING;
