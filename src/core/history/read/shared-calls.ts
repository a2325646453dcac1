import { defined } from "../../base/defined";
import { decodePayloads, type HistoryEvent, jsonPayloads } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import {
  type BegunCall,
  type CallsJournal,
  type ListedCall,
  type MadeCall,
  type ModelReplied,
  RUN_CALLS,
  type RunCallsInput,
  type SharedCall,
} from "../../calls/run-calls";
import { localCallOf } from "./local-call";
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
 * The events of a history, with the calls that share an activity (engine reference, section 16): for each of them stand the events that a
 * separate activity would have left. The model of such an activity reads as a model call. So the readers of calls know two forms, and see
 * one.
 */
export function withSharedCalls(events: HistoryEvent[]): HistoryEvent[] {
  const programs = new ProgramCalls(events);
  const lists = new Map<string, ListedCalls>();
  return events.flatMap((event, place) => {
    if (event.type === "ActivityTaskScheduled" && activityNameOf(event) === RUN_CALLS) {
      const input = inputOf(event);
      if (input.calls === undefined) return programs.scheduled(event, input);
      const list = new ListedCalls(event, input.calls);
      lists.set(String(event.id), list);
      return [event, ...list.begun()];
    }
    if (event.type === "WorkflowExecutionTerminated") {
      const kept = [...lists.values()].flatMap((list) => list.keptAt(event));
      return [...programs.terminated(event, place), ...before(event, kept)];
    }
    const id = String(event.attributes.scheduledEventId);
    const list = lists.get(id);
    if (list === undefined || !ENDS_OF_ACTIVITIES.includes(event.type)) return programs.other(event, place);
    lists.delete(id);
    return before(event, list.endedAt(event));
  });
}

const inputOf = ({ attributes }: HistoryEvent): Partial<RunCallsInput> => {
  const input = decodePayloads(attributes.input);
  return isObject(input) ? (input as Partial<RunCallsInput>) : {};
};

// --- calls of a program ----------------------------------------------------------------------------------------------

/** What a run knew when it was told that an activity has ended. */
interface Known {
  /** The run was being cancelled. */
  isCancelled: boolean;
  /** The run made nothing more, not even the call that its program stood at. */
  isOver: boolean;
}

const NOTHING_KNOWN: Known = { isCancelled: false, isOver: false };

/** The activities of a history that make calls of programs. One follows the other. */
class ProgramCalls {
  /** The ids of their scheduled events. */
  private readonly ids = new Set<string>();
  private readonly lost: LostActivities;
  private last: ProgramActivity | undefined;

  constructor(events: readonly HistoryEvent[]) {
    this.lost = new LostActivities(events);
  }

  scheduled(event: HistoryEvent, { n, model }: Partial<RunCallsInput>): HistoryEvent[] {
    this.ids.add(String(event.id));
    if (this.last?.continuesIn(event, n) === true) return [event];
    this.last = new ProgramActivity(event, n);
    return [model === undefined && !readsAsModel(event) ? event : asModelCall(event)];
  }

  terminated(event: HistoryEvent, place: number): HistoryEvent[] {
    if (this.last === undefined) return [];
    const shown = this.last.shownAt(event, this.lost.knownAt(place));
    this.last = undefined;
    return shown;
  }

  other(event: HistoryEvent, place: number): HistoryEvent[] {
    const { last } = this;
    if (last === undefined) return [event];
    const report = reportIn(event);
    if (report !== undefined) return report.n === last.n ? [...last.shownAt(event), event] : [event];
    const isEnd = this.ids.has(String(event.attributes.scheduledEventId)) && ENDS_OF_ACTIVITIES.includes(event.type);
    if (!isEnd) return [event];
    const isMadeAgain = isUnanswered(event) && this.lost.isMadeAgain(last.n, place);
    const shown = isMadeAgain ? [] : last.shownAt(event, this.lost.knownAt(place));
    const isReply = last.endsAsReply;
    // A report after the end shows nothing new. Of a model call that was reported, the next activity shows the rest.
    if (!isMadeAgain || !last.hasReplied) this.last = undefined;
    return isReply ? shown : [...shown, event];
  }
}

/** Activities whose worker was lost: the run schedules another one, or makes the calls alone, or is over. */
class LostActivities {
  /** The place of the last activity with a number. */
  private readonly lastOf = new Map<unknown, number>();
  /** The places at which the run has decided what it does, or can decide nothing more. */
  private readonly decided: number[] = [];
  private cancelled = Number.POSITIVE_INFINITY;
  private terminated_at = Number.POSITIVE_INFINITY;

  constructor(events: readonly HistoryEvent[]) {
    for (const [place, event] of events.entries()) {
      if (event.type === "WorkflowExecutionCancelRequested") this.cancelled = Math.min(this.cancelled, place);
      if (event.type === "WorkflowExecutionTerminated") this.terminated_at = place;
      if (event.type === "WorkflowTaskCompleted" || place === this.terminated_at) this.decided.push(place);
      if (activityNameOf(event) !== RUN_CALLS) continue;
      const { n, model } = inputOf(event);
      if (model !== undefined) this.lastOf.set(n, place);
    }
  }

  /** Whether a later end shows the calls of the activity that ends here. */
  isMadeAgain(n: unknown, place: number): boolean {
    const last = this.lastOf.get(n);
    return last !== undefined && (last > place || (this.decided.at(-1) ?? 0) < place);
  }

  knownAt(place: number): Known {
    const decided = this.decided.find((at) => at > place);
    if (decided === undefined) return NOTHING_KNOWN;
    // Messages that arrive during a workflow task stand after its end.
    const isCancelled = this.cancelled < decided;
    return { isCancelled, isOver: isCancelled || decided === this.terminated_at };
  }
}

/** What a history has shown of an activity so far. */
class ProgramActivity {
  private calls = 0;
  /** The event of the call that was shown before it had an answer. */
  private open: number | undefined;
  /** The reply of the model was shown. */
  hasReplied = false;
  /** It reads as a model call. */
  private isModelCall: boolean;

  constructor(
    private activity: HistoryEvent,
    readonly n: unknown,
  ) {
    this.isModelCall = inputOf(activity).model !== undefined;
  }

  /** Its reply is the end of its activity. */
  get endsAsReply(): boolean {
    return this.hasReplied && this.isModelCall;
  }

  /** Whether this activity makes the rest: the one before had shown its reply before its worker was lost. */
  continuesIn(activity: HistoryEvent, n: unknown): boolean {
    if (!this.hasReplied || n !== this.n) return false;
    this.activity = activity;
    this.isModelCall = false;
    return true;
  }

  /** What an event shows that no event before it has shown. */
  shownAt(event: HistoryEvent, known = NOTHING_KNOWN): HistoryEvent[] {
    const found = this.madeIn(event);
    const { reply, replied_at, made, ...last } = found ?? (this.hasKept(event, known) ? this.kept() : NOTHING);
    // The run makes the call again that was under way when the worker was lost, unless it makes nothing more.
    const under_way = isUnanswered(event) && !known.isOver ? undefined : last.under_way;
    const isReplied = reply !== undefined && !this.hasReplied;
    this.hasReplied ||= isReplied;
    const shown: Shown[] = made.slice(this.calls);
    const goesOn = reportIn(event) !== undefined || event.type === "WorkflowExecutionTerminated";
    const { open } = this;
    const isOpenStill = open !== undefined && shown.length === 0;
    if (under_way !== undefined && !isOpenStill) shown.push(under_way);
    const earlier = this.calls;
    this.calls = Math.max(earlier, made.length);
    // Between the event before and this one: ids are in the order of the events.
    const first = isReplied ? 1 : 0;
    const id = (place: number): number => event.id - 1 + (first + place) / (3 * shown.length + 2 + first);
    const replied = isReplied
      ? [
          this.replied(
            reply,
            { id: id(0), at: Math.max(replied_at ?? event.at, this.activity.at) },
            found?.ledger_signature,
          ),
        ]
      : [];
    if (isOpenStill && !goesOn) {
      this.open = undefined;
      return [...replied, innerEnded(open, undefined, { id: id(1), at: event.at })];
    }
    const calls = shown.flatMap((call, index) => {
      const known = index === 0 ? open : undefined;
      const scheduledEventId = known ?? id(3 * index + 1);
      this.open = call.answer === undefined && goesOn ? scheduledEventId : undefined;
      return [
        ...(known === undefined ? this.begun(call, earlier + index + 1, scheduledEventId, id(3 * index + 2)) : []),
        ...(this.open === undefined ? [ended(call, scheduledEventId, id(3 * index + 3), event)] : []),
      ];
    });
    return [...replied, ...calls];
  }

  /** What it gave at its end, had reported, or had kept when it was lost for good or its workflow was terminated. */
  private madeIn(event: HistoryEvent): CallsJournal | undefined {
    const { type, attributes } = event;
    if (type === "ActivityTaskCompleted") return journalIn(decodePayloads(attributes.result));
    if (type === "WorkflowExecutionTerminated") {
      const { activityId } = this.activity.attributes;
      return journalIn(payloadsIn(attributes.details).find((kept) => isObject(kept) && kept.activity === activityId));
    }
    return reportIn(event) ?? journalIn(keptInHeartbeat(event));
  }

  /**
   * Whether the run takes what an earlier activity has kept: this one was lost before it had kept anything. Of an activity that was
   * cancelled with its mission it takes nothing.
   */
  private hasKept(event: HistoryEvent, known: Known): boolean {
    if (event.type === "WorkflowExecutionTerminated") return true;
    if (event.type !== "ActivityTaskCanceled") return isUnanswered(event);
    const { now, left_ms } = inputOf(this.activity);
    const due = typeof now === "number" && typeof left_ms === "number" ? now + left_ms : Number.POSITIVE_INFINITY;
    return !known.isCancelled && event.at < due;
  }

  /** What was made by an earlier activity, whose worker was lost. */
  private kept(): CallsJournal {
    return journalIn(inputOf(this.activity).kept as unknown as Json) ?? NOTHING;
  }

  /** The signature of the ledger's head comes with the reply. */
  private replied(
    reply: ModelReplied["reply"],
    { id, at }: Pick<HistoryEvent, "id" | "at">,
    ledger_signature: string | undefined,
  ): HistoryEvent {
    const given = { ...reply, ...defined({ ledger_signature }) } as unknown as JsonObject;
    const of = { scheduledEventId: this.activity.id, result: jsonPayloads(given) };
    return { id, type: "ActivityTaskCompleted", at, attributes: of };
  }

  private begun({ input, began, attempts = 1 }: Shown, n: number, scheduledEventId: number, started: number) {
    return [
      innerScheduled(this.activity, input as SharedCall, n, { id: scheduledEventId, at: began }),
      innerStarted(scheduledEventId, { id: started, at: began }, attempts),
    ];
  }
}

/** A call, which may have no answer. */
type Shown = BegunCall & Partial<MadeCall>;

const ended = ({ answer, at }: Shown, scheduledEventId: number, id: number, end: HistoryEvent): HistoryEvent =>
  innerEnded(scheduledEventId, answer, { id, at: answer === undefined ? end.at : (at ?? end.at) });

const isUnanswered = ({ type }: HistoryEvent): boolean =>
  ENDS_OF_ACTIVITIES.includes(type) && type !== "ActivityTaskCompleted";

/** Without its key an input cannot be read: the worker's note names the model call. */
const readsAsModel = ({ attributes, summary = "" }: HistoryEvent): boolean =>
  decodePayloads(attributes.input) === undefined && /^turn \d+: model$/.test(summary);

/** With the head that was sent to be signed, and with the journal changes of the second argument. */
function asModelCall(event: HistoryEvent): HistoryEvent {
  const { input } = event.attributes;
  const { model, ledger_head } = inputOf(event);
  if (model === undefined)
    return { ...event, attributes: { ...event.attributes, activityType: { name: "callModel" } } };
  const given = { ...model, ...defined({ ledger_head }) } as unknown as Json;
  const [, ...rest] = isObject(input) && Array.isArray(input.payloads) ? input.payloads : [];
  const payloads = [...(jsonPayloads(given).payloads as Json[]), ...rest];
  return { ...event, attributes: { ...event.attributes, activityType: { name: "callModel" }, input: { payloads } } };
}

/** What a run has read of an activity that asked for it with the signal `callsReported`. */
function reportIn(event: HistoryEvent): CallsJournal | undefined {
  const local = localCallOf(event);
  if (local?.activity_type !== "readKeptCalls") return undefined;
  const kept = journalIn(local.answer);
  return kept?.reported === true ? kept : undefined;
}

const NOTHING: CallsJournal = { activity: "", n: 0, made: [] };

const journalIn = (value: Json | undefined): CallsJournal | undefined =>
  isObject(value) && Array.isArray(value.made) ? (value as unknown as CallsJournal) : undefined;

// --- calls side by side ----------------------------------------------------------------------------------------------

/** The listed calls of an activity: they stand after the event that schedules it, and their ends before the event that ends it. */
class ListedCalls {
  constructor(
    private readonly scheduled: HistoryEvent,
    private readonly calls: readonly ListedCall[],
  ) {}

  begun(): HistoryEvent[] {
    const { at } = this.scheduled;
    return this.calls.map((call, index) => innerScheduled(this.scheduled, call, index + 1, { id: this.id(index), at }));
  }

  /** What it gave at its end, or had kept when it was lost for good. The run makes a call without an answer alone, or not at all. */
  endedAt(event: HistoryEvent): HistoryEvent[] {
    const given =
      event.type === "ActivityTaskCompleted" ? decodePayloads(event.attributes.result) : keptInHeartbeat(event);
    const made = madeByPlace(journalIn(given));
    return this.calls.flatMap((_, index) => {
      const call = made.get(index + 1);
      return call === undefined ? [innerEnded(this.id(index), undefined, event)] : this.made(call);
    });
  }

  /** What it had kept when its workflow was terminated. */
  keptAt({ attributes }: HistoryEvent): HistoryEvent[] {
    const { activityId } = this.scheduled.attributes;
    const kept = payloadsIn(attributes.details).find((value) => isObject(value) && value.activity === activityId);
    return [...madeByPlace(journalIn(kept)).values()].flatMap((call) => this.made(call));
  }

  private made({ n, began, at, answer, attempts = 1 }: MadeCall): HistoryEvent[] {
    const id = this.id(n - 1);
    return [innerStarted(id, { id: 0, at: began }, attempts), innerEnded(id, answer, { id: 0, at })];
  }

  /** Directly after the event that schedules them: ids are in the order of the events. */
  private id(index: number): number {
    return this.scheduled.id + (index + 1) / (2 * this.calls.length + 2);
  }
}

const madeByPlace = (journal: CallsJournal | undefined): ReadonlyMap<number, MadeCall> =>
  new Map((journal?.made ?? []).map((call) => [call.n, call]));

/** Events directly before another one, with ids in their order, and that one. */
function before(event: HistoryEvent, events: HistoryEvent[]): HistoryEvent[] {
  const placed = events.map((one, index) => ({
    ...one,
    id: event.id - (events.length - index) / (2 * events.length + 2),
  }));
  return [...placed, event];
}
