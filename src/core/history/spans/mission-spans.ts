import { isObject } from "../../base/is-object";
import { readShortReviews } from "../../review/inbox/short-review";
import { type EndState, type FactFailure, type FactOf, type FactReaders, readFact } from "../read/facts";
import { readHistory } from "../read/history";
import { nameInSummary, showsParked } from "../trace/event-facts";
import type { MissionHistories } from "../trace/read-mission";
import type { ContentOptions } from "./content";
import { answerOfCall, callFacts, isTraced, resultOfRun, runFacts, waitFacts } from "./gen-ai";
import type { PlainSpan, SpanError } from "./plain-span";
import { errorOf, runError, thrownError } from "./span-error";
import { callKey, parkedKey, RUN_KEY, reviewKey, spanIdOf, traceIdOf, turnOfCall } from "./span-ids";
import { contextOfCarrier, TRACE_HEADER, type TraceContext } from "./trace-context";
import { TurnSpans } from "./turn-spans";

/**
 * The spans of a mission and of all runs below it, from their histories alone: the same ids and names that workers
 * report while it runs. Works for missions that still run: then spans that have not ended are left out, and a later
 * call gives them the same ids.
 *
 * @throws HistoryFormatError for input that is no history
 */
export function missionSpans(mission: MissionHistories, options: ContentOptions = { content: false }): PlainSpan[] {
  return spansOf(mission, null, options);
}

function spansOf(mission: MissionHistories, above: TraceContext | null, options: ContentOptions): PlainSpan[] {
  const reader = new SpanReader(mission.workflow_id, above, options);
  for (const run of mission.runs) reader.readRun(run);
  const below = mission.children.map((child) => spansOf(child, reader.contextOf(child.workflow_id), options));
  const undos = (mission.undos ?? []).map((undo) => {
    const undone = new SpanReader("", reader.contextOf(""), options);
    undone.readRun(undo);
    return undone.result();
  });
  return [...reader.result(), ...below.flat(), ...undos.flat()];
}

/** Reads the spans of one workflow from the histories of its runs, the oldest first. */
class SpanReader {
  private readonly spans: PlainSpan[] = [];
  /** By the id of the fact that asked for it. */
  private readonly open = new Map<number, { span: PlainSpan; activity: string; id: string }>();
  private readonly waits = new Map<string, PlainSpan>();
  private readonly turns = new TurnSpans();
  /** The turns in which runs below this one were asked for, by the workflow ids of those. */
  private readonly children = new Map<string, string>();
  private run: PlainSpan | null = null;
  /** The first run, whose id all ids of spans are made of. */
  private first = "";
  /** The run whose worker makes the calls. */
  private runId = "";
  private parent: TraceContext | null;
  private type = "";

  /** @param above where a run stands whose history does not state it, because no worker has reported spans */
  constructor(
    private readonly workflowId: string,
    above: TraceContext | null,
    private readonly options: ContentOptions,
  ) {
    this.parent = above;
  }

  readRun(history: unknown): void {
    this.open.clear();
    for (const fact of readHistory(history)) readFact(this.readers, fact);
  }

  /** The spans of the workflow, its own first. */
  result(): PlainSpan[] {
    if (this.run === null) return [];
    return [this.run, ...this.turns.all(), ...this.spans];
  }

  /** What a run below this one inherits, unless its own history has it. */
  contextOf(child: string): TraceContext | null {
    if (this.run === null) return this.parent;
    const { trace_id, span_id, sampling } = this.run;
    return { trace_id, span_id: this.children.get(child) ?? span_id, sampling };
  }

  private readonly readers: FactReaders<void> = {
    started: (fact) => this.started(fact),
    activity_scheduled: (fact) => this.scheduled(fact),
    activity_started: (fact) => this.begun(fact),
    activity_ended: (fact) => this.answered(fact),
    local_activity: (fact) => this.local(fact),
    child_asked: ({ workflow_id }) => {
      const turn = this.turns.span;
      if (turn !== null) this.children.set(workflow_id, turn.span_id);
    },
    attributes_changed: (fact) => {
      if (showsParked(fact)) this.turns.parked();
    },
    // Somebody has reset the workflow: the facts before this one are those of the run that it was.
    workflow_task_failed: ({ new_run_id }) => {
      this.runId = new_run_id || this.runId;
    },
    memo_changed: (fact) => this.asked(fact),
    ended: (fact) => this.ended(fact),
  };

  private started({ workflow_type, workflow_id, run_id, first_run_id, input, header, at }: FactOf<"started">): void {
    this.runId = run_id;
    this.turns.started(input);
    if (this.run !== null || !isTraced(workflow_type)) return;
    this.type = workflow_type;
    const id = workflow_id || this.workflowId;
    this.first = first_run_id || this.runId || id;
    this.parent = contextOfCarrier(header[TRACE_HEADER]) ?? this.parent;
    this.run = {
      ...this.place(RUN_KEY, this.parent?.span_id),
      ...runFacts(workflow_type, id, input),
      start_ms: at,
      end_ms: null,
    };
  }

  private place(key: string, parent = this.run?.span_id) {
    return {
      trace_id: this.parent?.trace_id ?? traceIdOf(this.first),
      span_id: spanIdOf(this.first, key),
      ...(parent === undefined ? {} : { parent_span_id: parent }),
      sampling: this.parent?.sampling ?? ("open" as const),
    };
  }

  private scheduled(fact: FactOf<"activity_scheduled">): void {
    const { id, at, activity, activity_id, input, header } = fact;
    const facts = callFacts(activity, input, this.options, nameInSummary(fact));
    if (facts === null || this.run === null) return;
    const turn = turnOfCall(this.type, activity, input);
    if (turn !== null) this.turns.called(turn, at, (key) => this.place(key));
    const caller = turn !== null || activity === "undoEffect" ? this.turns.span : null;
    const place = this.placeOfCall(callKey(activity_id, 1), caller, contextOfCarrier(header[TRACE_HEADER]));
    const span = { ...place, ...facts, start_ms: at, end_ms: null };
    this.keep(span);
    this.open.set(id, { span, activity, id: activity_id });
  }

  /** A call stands where its header places it: an interceptor of the user may have added a span between. */
  private placeOfCall(key: string, caller: PlainSpan | null, given: TraceContext | null = null) {
    const place = this.place("", caller?.span_id);
    const stated = given && { trace_id: given.trace_id, parent_span_id: given.span_id, sampling: given.sampling };
    return { ...place, ...stated, span_id: spanIdOf(this.runId, key) };
  }

  private keep(call: PlainSpan): void {
    this.spans.push(call);
    this.turns.add(call);
  }

  private begun({ call: id, attempt, at }: FactOf<"activity_started">): void {
    const call = this.open.get(id);
    if (call === undefined) return;
    call.span.span_id = spanIdOf(this.runId, callKey(call.id, attempt));
    call.span.start_ms = at;
    if (attempt > 1) call.span.attributes["navigator.attempt"] = attempt;
  }

  private answered(fact: FactOf<"activity_ended">): void {
    const call = this.open.get(fact.call);
    if (call === undefined) return;
    if (fact.outcome !== "completed") return end(call.span, fact.at, this.errorOfCall(fact));
    const { attributes: more, error } = answerOfCall(call.activity, fact.result, this.options);
    end(call.span, fact.at, error);
    Object.assign(call.span.attributes, more);
  }

  private errorOfCall({ outcome, failure }: Pick<FactOf<"activity_ended">, "outcome" | "failure">): SpanError {
    const { type, ending = "failed", message } = failure ?? {};
    if (type) return thrownError(type, message, this.options);
    const isTimedOut = ending === "timed_out" || outcome === "timed_out";
    return errorOf(isTimedOut ? "timed_out" : outcome === "cancelled" ? outcome : ending, message, this.options);
  }

  /** A local activity: its marker has neither the arguments nor the turn. */
  private local(fact: FactOf<"local_activity">): void {
    const { activity, activity_id, attempt, answer, failure, completed_at = fact.at } = fact;
    const facts = callFacts(activity, {}, this.options, nameInSummary(fact));
    if (facts === null || this.run === null) return;
    const { attributes, error } = answerOfCall(activity, answer, this.options);
    const { scheduled_at: start_ms = completed_at } = fact;
    const span: PlainSpan = {
      ...this.placeOfCall(callKey(activity_id, attempt), this.turns.span),
      ...facts,
      attributes: { ...facts.attributes, ...attributes },
      start_ms,
      end_ms: null,
    };
    end(span, completed_at, failure ? this.errorOfCall({ outcome: "failed", failure }) : error);
    this.keep(span);
  }

  /** The memo lists the open reviews: one that is no longer in it has been decided. */
  private asked({ memo: { reviews, parked }, at }: FactOf<"memo_changed">): void {
    if (this.run === null) return;
    if (reviews !== undefined) {
      const now = readShortReviews(reviews).open;
      for (const { id, kind, createdAt } of now) this.waiting(reviewKey(id), kind, createdAt, id);
      this.decided("review/", new Set(now.map(({ id }) => reviewKey(id))), at);
    }
    if (parked === undefined) return;
    const since = isObject(parked) && typeof parked.since === "number" ? parked.since : null;
    if (since !== null) this.waiting(parkedKey(since), "parked", since);
    this.decided("parked/", new Set(since === null ? [] : [parkedKey(since)]), at);
  }

  private waiting(key: string, kind: string, since: number, review?: string): void {
    if (this.waits.has(key)) return;
    const place = this.place(key);
    const span = { ...place, ...waitFacts(kind, review), start_ms: since, end_ms: null };
    this.waits.set(key, span);
    this.spans.push(span);
  }

  private decided(begin: string, open: ReadonlySet<string>, at: number): void {
    for (const [key, span] of this.waits) if (key.startsWith(begin) && !open.has(key)) end(span, at);
  }

  private ended({ at, state, result, failure }: FactOf<"ended">): void {
    if (this.run === null) return;
    const { attributes, error } = resultOfRun(result, this.options);
    Object.assign(this.run.attributes, attributes);
    end(this.run, at, error ?? this.errorOfEnd(state, failure));
    // Nobody waits for them any more.
    for (const span of this.spans) end(span, at, { type: "given_up" });
  }

  /** The error of a run whose result does not show it. */
  private errorOfEnd(state: EndState, failure: FactFailure | undefined): SpanError | undefined {
    if (state === "completed") return undefined;
    return state === "failed" ? runError(failure?.type, failure?.message, this.options) : { type: state };
  }
}

/** Ends a span once. */
function end(span: PlainSpan, at: number, error?: SpanError): void {
  if (span.end_ms !== null) return;
  span.end_ms = Math.max(at, span.start_ms);
  if (error !== undefined) span.error = error;
}
