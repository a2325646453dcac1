import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
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
  sharedCallId,
} from "../../calls/run-calls";
import type { FactOf, HistoryFact } from "./facts";

type Scheduled = FactOf<"activity_scheduled">;
type Moment = Pick<HistoryFact, "id" | "at">;

/**
 * The facts of a history, with the calls that share an activity (engine reference, section 16): for each of them stand the facts of a
 * separate activity. The model of such an activity reads as a model call. So the readers of calls see one form only.
 */
export function withSharedCalls(facts: HistoryFact[]): HistoryFact[] {
  const programs = new ProgramCalls(facts);
  const lists = new Map<number, ListedCalls>();
  return facts.flatMap((fact, place) => {
    if (isRunCalls(fact)) {
      const input = inputOf(fact);
      if (input.calls === undefined) return programs.scheduled(fact, input);
      const list = new ListedCalls(fact, input.calls);
      lists.set(fact.id, list);
      return [fact, ...list.begun()];
    }
    if (isTerminated(fact)) {
      const kept = [...lists.values()].flatMap((list) => list.keptAt(fact));
      return [...programs.terminated(fact, place), ...before(fact, kept)];
    }
    const list = fact.kind === "activity_ended" ? lists.get(fact.call) : undefined;
    if (fact.kind !== "activity_ended" || list === undefined) return programs.other(fact, place);
    lists.delete(fact.call);
    return before(fact, list.endedAt(fact));
  });
}

const isRunCalls = (fact: HistoryFact): fact is Scheduled =>
  fact.kind === "activity_scheduled" && fact.activity === RUN_CALLS;

const isTerminated = (fact: HistoryFact): fact is FactOf<"ended"> =>
  fact.kind === "ended" && fact.state === "terminated";

const inputOf = ({ input = {} }: Scheduled): Partial<RunCallsInput> => input as Partial<RunCallsInput>;

// --- calls of a program ----------------------------------------------------------------------------------------------

/** What a run knew when the server reported the end of an activity. */
interface Known {
  /** The run was being cancelled. */
  isCancelled: boolean;
  /** The run made nothing more, not even the call that its program stood at. */
  isOver: boolean;
}

const NOTHING_KNOWN: Known = { isCancelled: false, isOver: false };

/** The activities of a history that make calls of programs. One follows the other. */
class ProgramCalls {
  /** The ids of the facts that scheduled them. */
  private readonly ids = new Set<number>();
  private readonly lost: LostActivities;
  private last: ProgramActivity | undefined;

  constructor(facts: readonly HistoryFact[]) {
    this.lost = new LostActivities(facts);
  }

  scheduled(fact: Scheduled, { n, model }: Partial<RunCallsInput>): HistoryFact[] {
    this.ids.add(fact.id);
    if (this.last?.continuesIn(fact, n) === true) return [fact];
    this.last = new ProgramActivity(fact, n);
    return [model === undefined && !readsAsModel(fact) ? fact : asModelCall(fact)];
  }

  terminated(fact: HistoryFact, place: number): HistoryFact[] {
    if (this.last === undefined) return [];
    const shown = this.last.shownAt(fact, this.lost.knownAt(place));
    this.last = undefined;
    return shown;
  }

  other(fact: HistoryFact, place: number): HistoryFact[] {
    const { last } = this;
    if (last === undefined) return [fact];
    if (fact.kind === "activity_started" && this.ids.has(fact.call)) last.began_at = fact.at;
    const report = reportIn(fact);
    if (report !== undefined) return report.n === last.n ? [...last.shownAt(fact), fact] : [fact];
    if (fact.kind !== "activity_ended" || !this.ids.has(fact.call)) return [fact];
    const isMadeAgain = isUnanswered(fact) && this.lost.isMadeAgain(last.n, place);
    const shown = isMadeAgain ? [] : last.shownAt(fact, this.lost.knownAt(place));
    const isReply = last.endsAsReply;
    // A report after the end shows nothing new. Of a model call that was reported, the next activity shows the rest.
    if (!isMadeAgain || !last.hasReplied) this.last = undefined;
    return isReply ? shown : [...shown, fact];
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

  constructor(facts: readonly HistoryFact[]) {
    for (const [place, fact] of facts.entries()) {
      if (fact.kind === "cancel_requested") this.cancelled = Math.min(this.cancelled, place);
      if (isTerminated(fact)) this.terminated_at = place;
      if (fact.kind === "workflow_task_completed" || place === this.terminated_at) this.decided.push(place);
      if (!isRunCalls(fact)) continue;
      const { n, model } = inputOf(fact);
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
  /** The id of the call that was shown before it had an answer. */
  private open: number | undefined;
  /** The reply of the model was shown. */
  hasReplied = false;
  /** When the server started its attempt, ms since 1970: its calls begin later, whatever the worker's clock shows. */
  began_at = 0;
  /** It reads as a model call. */
  private isModelCall: boolean;

  constructor(
    private activity: Scheduled,
    readonly n: unknown,
  ) {
    this.isModelCall = inputOf(activity).model !== undefined;
  }

  /** Its reply is the end of its activity. */
  get endsAsReply(): boolean {
    return this.hasReplied && this.isModelCall;
  }

  /** Whether this activity makes the rest: the one before had shown its reply before its worker was lost. */
  continuesIn(activity: Scheduled, n: unknown): boolean {
    if (!this.hasReplied || n !== this.n) return false;
    this.activity = activity;
    this.isModelCall = false;
    return true;
  }

  /** What a fact shows that no fact before it has shown. */
  shownAt(fact: HistoryFact, known = NOTHING_KNOWN): HistoryFact[] {
    const found = this.madeIn(fact);
    const { reply, replied_at, made, ...last } = found ?? (this.hasKept(fact, known) ? this.kept() : NOTHING);
    // The run makes the call again that was under way when the worker was lost, unless it makes nothing more.
    const under_way = isUnanswered(fact) && !known.isOver ? undefined : last.under_way;
    const isReplied = reply !== undefined && !this.hasReplied;
    this.hasReplied ||= isReplied;
    const shown: Shown[] = made.slice(this.calls);
    const goesOn = reportIn(fact) !== undefined || isTerminated(fact);
    const { open } = this;
    const isOpenStill = open !== undefined && shown.length === 0;
    if (under_way !== undefined && !isOpenStill) shown.push(under_way);
    const earlier = this.calls;
    this.calls = Math.max(earlier, made.length);
    // Between the fact before and this one: ids are in the order of the facts.
    const first = isReplied ? 1 : 0;
    const id = (place: number): number => fact.id - 1 + (first + place) / (3 * shown.length + 2 + first);
    const at = Math.max(replied_at ?? fact.at, this.activity.at);
    const replied = isReplied ? [this.replied(reply, { id: id(0), at }, found?.ledger_signature)] : [];
    if (isOpenStill && !goesOn) {
      this.open = undefined;
      return [...replied, innerEnded(open, undefined, { id: id(1), at: fact.at })];
    }
    const calls = shown.flatMap((call, index) => {
      const known = index === 0 ? open : undefined;
      const of = known ?? id(3 * index + 1);
      this.open = call.answer === undefined && goesOn ? of : undefined;
      return [
        ...(known === undefined ? this.begun(call, earlier + index + 1, of, id(3 * index + 2)) : []),
        ...(this.open === undefined ? [ended(call, of, id(3 * index + 3), fact)] : []),
      ];
    });
    return [...replied, ...calls];
  }

  /** What it gave at its end, had reported, or had kept when it was lost for good or its workflow was terminated. */
  private madeIn(fact: HistoryFact): CallsJournal | undefined {
    if (fact.kind === "activity_ended" && fact.outcome === "completed") return journalIn(fact.result);
    if (isTerminated(fact)) return journalIn(keptOf(this.activity, fact));
    return reportIn(fact) ?? (fact.kind === "activity_ended" ? journalIn(fact.kept) : undefined);
  }

  /**
   * Whether the run takes what an earlier activity has kept: this one was lost before it had kept anything. Of an activity that was
   * cancelled with its mission it takes nothing.
   */
  private hasKept(fact: HistoryFact, known: Known): boolean {
    if (isTerminated(fact)) return true;
    if (fact.kind !== "activity_ended" || fact.outcome !== "cancelled") return isUnanswered(fact);
    const { now, left_ms } = inputOf(this.activity);
    const due = typeof now === "number" && typeof left_ms === "number" ? now + left_ms : Number.POSITIVE_INFINITY;
    return !known.isCancelled && fact.at < due;
  }

  /** Calls of an earlier activity, whose worker was lost. */
  private kept(): CallsJournal {
    return journalIn(inputOf(this.activity).kept as unknown as Json) ?? NOTHING;
  }

  /** The signature of the ledger's head comes with the reply. */
  private replied(
    reply: ModelReplied["reply"],
    moment: Moment,
    ledger_signature: string | undefined,
  ): FactOf<"activity_ended"> {
    const given = { ...reply, ...defined({ ledger_signature }) } as unknown as JsonObject;
    return activityEnded(this.activity.id, "completed", moment, given);
  }

  private begun({ input, began, attempts = 1 }: Shown, n: number, of: number, started: number): HistoryFact[] {
    const at = Math.max(began, this.began_at);
    return [
      innerScheduled(this.activity, input as SharedCall, n, { id: of, at }),
      innerStarted(of, { id: started, at }, attempts),
    ];
  }
}

/** A call, which may have no answer. */
type Shown = BegunCall & Partial<MadeCall>;

const ended = ({ answer, at }: Shown, of: number, id: number, end: HistoryFact): HistoryFact =>
  innerEnded(of, answer, { id, at: answer === undefined ? end.at : (at ?? end.at) });

const isUnanswered = (fact: HistoryFact): boolean => fact.kind === "activity_ended" && fact.outcome !== "completed";

/** Without its key an input cannot be read: the worker's note names the model call. */
const readsAsModel = ({ input, summary = "" }: Scheduled): boolean =>
  input === undefined && /^turn \d+: model$/.test(summary);

/** With the head that was sent to be signed, and with the journal changes of the second argument. */
function asModelCall(fact: Scheduled): Scheduled {
  const { model, ledger_head } = inputOf(fact);
  const given = model && ({ ...model, ...defined({ ledger_head }) } as unknown as JsonObject);
  return { ...fact, activity: "callModel", input: given };
}

/** What a run has read of an activity that asked for it with the signal `callsReported`. */
function reportIn(fact: HistoryFact): CallsJournal | undefined {
  if (fact.kind !== "local_activity" || fact.activity !== "readKeptCalls") return undefined;
  const kept = journalIn(fact.answer);
  return kept?.reported === true ? kept : undefined;
}

/** What an activity had kept when its workflow was terminated. */
const keptOf = ({ activity_id }: Scheduled, { details }: FactOf<"ended">): Json | undefined =>
  details.find((kept) => isObject(kept) && kept.activity === activity_id);

const NOTHING: CallsJournal = { activity: "", n: 0, made: [] };

const journalIn = (value: Json | undefined): CallsJournal | undefined =>
  isObject(value) && Array.isArray(value.made) ? (value as unknown as CallsJournal) : undefined;

// --- calls side by side ----------------------------------------------------------------------------------------------

/** The listed calls of an activity: they stand after the fact that schedules it, and their ends before the fact that ends it. */
class ListedCalls {
  constructor(
    private readonly scheduled: Scheduled,
    private readonly calls: readonly ListedCall[],
  ) {}

  begun(): HistoryFact[] {
    const { at } = this.scheduled;
    return this.calls.map((call, index) => innerScheduled(this.scheduled, call, index + 1, { id: this.id(index), at }));
  }

  /** What it gave at its end, or had kept when it was lost for good. The run makes a call without an answer alone, or not at all. */
  endedAt(fact: FactOf<"activity_ended">): HistoryFact[] {
    const made = madeByPlace(journalIn(fact.outcome === "completed" ? fact.result : fact.kept));
    return this.calls.flatMap((_, index) => {
      const call = made.get(index + 1);
      return call === undefined ? [innerEnded(this.id(index), undefined, fact)] : this.made(call);
    });
  }

  keptAt(terminated: FactOf<"ended">): HistoryFact[] {
    const made = madeByPlace(journalIn(keptOf(this.scheduled, terminated)));
    return [...made.values()].flatMap((call) => this.made(call));
  }

  private made({ n, began, at, answer, attempts = 1 }: MadeCall): HistoryFact[] {
    const id = this.id(n - 1);
    return [innerStarted(id, { id: 0, at: began }, attempts), innerEnded(id, answer, { id: 0, at })];
  }

  /** Directly after the fact that schedules them: ids are in the order of the facts. */
  private id(index: number): number {
    return this.scheduled.id + (index + 1) / (2 * this.calls.length + 2);
  }
}

const madeByPlace = (journal: CallsJournal | undefined): ReadonlyMap<number, MadeCall> =>
  new Map((journal?.made ?? []).map((call) => [call.n, call]));

/** Facts directly before another one, with ids in their order, and that one. */
function before(fact: HistoryFact, facts: HistoryFact[]): HistoryFact[] {
  const placed = facts.map((one, index) => ({
    ...one,
    id: fact.id - (facts.length - index) / (2 * facts.length + 2),
  }));
  return [...placed, fact];
}

// --- the facts of a separate activity --------------------------------------------------------------------------------

/** @param n its place among the calls of the activity: 1 for the first */
function innerScheduled(
  { activity_id, header }: Scheduled,
  call: SharedCall,
  n: number,
  { id, at }: Moment,
): Scheduled {
  const summary = `${call.task === null ? `turn ${call.turn}` : `task ${call.task}`}: ${call.name}`;
  const input = call as unknown as JsonObject;
  const place = { id, at, summary, activity: "callTool", activity_id: sharedCallId(activity_id, n) };
  return { kind: "activity_scheduled", ...place, input, header, changes: [] };
}

const innerStarted = (call: number, { id, at }: Moment, attempt: number): FactOf<"activity_started"> => ({
  kind: "activity_started",
  ...{ id, at, call, attempt, changes: [] },
});

/** @param answer undefined: there is none */
const innerEnded = (call: number, answer: Result<Json> | undefined, moment: Moment): HistoryFact =>
  activityEnded(call, answer === undefined ? "cancelled" : "completed", moment, answer as unknown as Json | undefined);

function activityEnded(
  call: number,
  outcome: FactOf<"activity_ended">["outcome"],
  { id, at }: Moment,
  result: Json | undefined,
): FactOf<"activity_ended"> {
  return { kind: "activity_ended", id, at, call, outcome, result, failure: undefined, kept: undefined, changes: [] };
}
