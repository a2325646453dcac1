import { decodePayloads, endResultOf, type HistoryEvent, memoFieldOf } from "../../base/history-event";
import { isObject } from "../../base/is-object";
import { readShortReviews } from "../../review/inbox/short-review";
import { readHistory } from "../read/history";
import { nameInSummary, saysParked } from "../trace/event-facts";
import type { ContentOptions } from "./content";
import { answerOfCall, callFacts, isTraced, resultOfRun, runFacts, waitFacts } from "./gen-ai";
import type { PlainSpan, SpanError } from "./plain-span";
import { callError, contextIn, endError, timeOf } from "./span-events";
import { callKey, parkedKey, RUN_KEY, reviewKey, spanIdOf, traceIdOf, turnOfCall } from "./span-ids";
import type { TraceContext } from "./trace-context";
import { TurnSpans } from "./turn-spans";

/** Reads the spans of one workflow from the histories of its runs, the oldest first. */
export class SpanReader {
  private readonly spans: PlainSpan[] = [];
  /** By the id of the event that asked for it. */
  private readonly open = new Map<string, { span: PlainSpan; activity: string; id: string }>();
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
    for (const event of readHistory(history)) this.readers[event.type]?.(event);
  }

  /** The spans of the workflow, its own first. */
  result(): PlainSpan[] {
    if (this.run === null) return [];
    return [this.run, ...this.turns.all(), ...this.spans];
  }

  /** What a run below this one inherits, unless its own history tells it. */
  contextOf(child: string): TraceContext | null {
    if (this.run === null) return this.parent;
    const { trace_id, span_id, sampling } = this.run;
    return { trace_id, span_id: this.children.get(child) ?? span_id, sampling };
  }

  private readonly readers: { [type: string]: (event: HistoryEvent) => void } = {
    WorkflowExecutionStarted: (e) => this.started(e),
    ActivityTaskScheduled: (e) => this.scheduled(e),
    ActivityTaskStarted: (e) => this.begun(e),
    ActivityTaskCompleted: (e) => this.answered(e),
    ActivityTaskFailed: (e) => this.failed(e),
    ActivityTaskTimedOut: (e) => this.failed(e),
    ActivityTaskCanceled: (e) => this.failed(e),
    MarkerRecorded: (e) => this.local(e),
    StartChildWorkflowExecutionInitiated: ({ attributes }) => {
      const turn = this.turns.span;
      if (turn !== null) this.children.set(String(attributes.workflowId), turn.span_id);
    },
    UpsertWorkflowSearchAttributes: (e) => {
      if (saysParked(e)) this.turns.parked();
    },
    WorkflowTaskFailed: ({ attributes: { newRunId } }) => {
      // Somebody has reset the workflow: the events before this one are those of the run that it was.
      if (typeof newRunId === "string" && newRunId !== "") this.runId = newRunId;
    },
    WorkflowPropertiesModified: (e) => this.asked(e),
    WorkflowExecutionCompleted: (e) => this.ended(e, null),
    WorkflowExecutionFailed: (e) => this.ended(e, endError(e, this.options)),
    WorkflowExecutionCanceled: (e) => this.ended(e, { type: "cancelled" }),
    WorkflowExecutionTerminated: (e) => this.ended(e, { type: "terminated" }),
    WorkflowExecutionTimedOut: (e) => this.ended(e, { type: "timed_out" }),
  };

  private started({ attributes, at }: HistoryEvent): void {
    const { workflowType, workflowId, firstExecutionRunId, originalExecutionRunId, input, header } = attributes;
    this.runId = String(originalExecutionRunId ?? "");
    const given = decodePayloads(input);
    this.turns.started(given);
    if (this.run !== null) return;
    const type = isObject(workflowType) ? String(workflowType.name) : "";
    if (!isTraced(type)) return;
    this.type = type;
    const id = typeof workflowId === "string" ? workflowId : this.workflowId;
    this.first = String(firstExecutionRunId || this.runId || id);
    this.parent = contextIn(header) ?? this.parent;
    this.run = {
      ...this.place(RUN_KEY, this.parent?.span_id),
      ...runFacts(type, id, given),
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

  private scheduled(event: HistoryEvent): void {
    const { attributes, at } = event;
    const activity = isObject(attributes.activityType) ? String(attributes.activityType.name) : "";
    const input = decodePayloads(attributes.input);
    const facts = callFacts(activity, input, this.options, nameInSummary(event));
    if (facts === null || this.run === null) return;
    const turn = turnOfCall(this.type, activity, input);
    if (turn !== null) this.turns.called(turn, at, (key) => this.place(key));
    const caller = turn !== null || activity === "undoEffect" ? this.turns.span : null;
    const id = String(attributes.activityId);
    const place = this.placeOfCall(callKey(id, 1), caller, contextIn(attributes.header));
    const span = { ...place, ...facts, start_ms: at, end_ms: null };
    this.keep(span);
    this.open.set(String(event.id), { span, activity, id });
  }

  /** A call stands where its header says, whoever wrote it: an interceptor of the user's own may have put a span between. */
  private placeOfCall(key: string, caller: PlainSpan | null, given: TraceContext | null = null) {
    const place = this.place("", caller?.span_id);
    const stated = given && { trace_id: given.trace_id, parent_span_id: given.span_id, sampling: given.sampling };
    return { ...place, ...stated, span_id: spanIdOf(this.runId, key) };
  }

  private keep(call: PlainSpan): void {
    this.spans.push(call);
    this.turns.add(call);
  }

  private begun({ attributes, at }: HistoryEvent): void {
    const call = this.open.get(String(attributes.scheduledEventId));
    if (call === undefined) return;
    const attempt = Number(attributes.attempt ?? 1);
    call.span.span_id = spanIdOf(this.runId, callKey(call.id, attempt));
    call.span.start_ms = at;
    if (attempt > 1) call.span.attributes["navigator.attempt"] = attempt;
  }

  private answered({ attributes, at }: HistoryEvent): void {
    const call = this.open.get(String(attributes.scheduledEventId));
    if (call === undefined) return;
    const { attributes: more, error } = answerOfCall(call.activity, decodePayloads(attributes.result), this.options);
    end(call.span, at, error);
    Object.assign(call.span.attributes, more);
  }

  private failed(event: HistoryEvent): void {
    const call = this.open.get(String(event.attributes.scheduledEventId));
    if (call !== undefined) end(call.span, event.at, callError(event, this.options));
  }

  /** A local activity: its marker has neither the arguments nor the turn. */
  private local(event: HistoryEvent): void {
    const { markerName, details, failure } = event.attributes;
    if (this.run === null || markerName !== "core_local_activity" || !isObject(details)) return;
    const data = decodePayloads(details.data);
    if (!isObject(data)) return;
    const activity = String(data.activity_type);
    const facts = callFacts(activity, {}, this.options, nameInSummary(event));
    if (facts === null) return;
    const { attributes, error } = answerOfCall(activity, decodePayloads(details.result), this.options);
    const place = this.placeOfCall(callKey(String(data.activity_id), Number(data.attempt ?? 1)), this.turns.span);
    const ended = timeOf(data.complete_time) ?? event.at;
    const started = timeOf(data.original_schedule_time) ?? ended;
    const span: PlainSpan = {
      ...place,
      ...facts,
      attributes: { ...facts.attributes, ...attributes },
      start_ms: started,
      end_ms: null,
    };
    end(span, Math.max(started, ended), failure ? callError(event, this.options) : error);
    this.keep(span);
  }

  /** What waits for people stands in the memo: what is no longer in it has been decided. */
  private asked(event: HistoryEvent): void {
    if (this.run === null) return;
    const reviews = memoFieldOf(event, "reviews");
    if (reviews !== undefined) {
      const now = readShortReviews(reviews).open;
      for (const { id, kind, createdAt } of now) this.waiting(reviewKey(id), kind, createdAt, id);
      this.decided("review/", new Set(now.map(({ id }) => reviewKey(id))), event.at);
    }
    const parked = memoFieldOf(event, "parked");
    if (parked === undefined) return;
    const since = isObject(parked) && typeof parked.since === "number" ? parked.since : null;
    if (since !== null) this.waiting(parkedKey(since), "parked", since);
    this.decided("parked/", new Set(since === null ? [] : [parkedKey(since)]), event.at);
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

  private ended(event: HistoryEvent, failure: SpanError | null): void {
    if (this.run === null) return;
    const { attributes, error } = resultOfRun(endResultOf(event), this.options);
    Object.assign(this.run.attributes, attributes);
    end(this.run, event.at, error ?? failure ?? undefined);
    // Nobody waits for them any more.
    for (const span of this.spans) end(span, event.at, { type: "given_up" });
  }
}

/** Ends a span once. */
function end(span: PlainSpan, at: number, error?: SpanError): void {
  if (span.end_ms !== null) return;
  span.end_ms = Math.max(at, span.start_ms);
  if (error !== undefined) span.error = error;
}
