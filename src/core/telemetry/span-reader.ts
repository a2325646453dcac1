import { isObject } from "../base/is-object";
import { decodePayloads, endResultOf, type HistoryEvent, memoFieldOf, readHistory } from "../journal/history";
import { readShortReviews } from "../review/inbox/short-review";
import { nameInSummary } from "../trace/event-facts";
import {
  answerOfCall,
  type ContentOptions,
  callFacts,
  isTraced,
  resultOfRun,
  runFacts,
  turnFacts,
  waitFacts,
} from "./gen-ai";
import type { PlainSpan, SpanError } from "./plain-span";
import { contextIn, spanErrorOf, timeOf } from "./span-events";
import { callerKey, callKey, parkedKey, RUN_KEY, reviewKey, spanIdOf, traceIdOf, turnKey } from "./span-ids";
import type { TraceContext } from "./trace-context";

/** Reads the spans of one workflow from the histories of its runs, the oldest first. */
export class SpanReader {
  private readonly spans: PlainSpan[] = [];
  /** By the id of the event that asked for it. */
  private readonly open = new Map<string, { span: PlainSpan; activity: string; id: string }>();
  private readonly waits = new Map<string, PlainSpan>();
  private readonly turns = new Map<string, PlainSpan>();
  /** The turns in which runs below this one were asked for, by the workflow ids of those. */
  private readonly children = new Map<string, string>();
  private run: PlainSpan | null = null;
  /** The first run, whose id all ids of spans are made of. */
  private first = "";
  private runId = "";
  private parent: TraceContext | null;
  /** The key of the turn that calls belong to whose event does not tell it. */
  private turn: string | null = null;
  private type = "";

  /** @param above where a run stands that does not tell it: one of before format 12 */
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
    for (const turn of this.turns.values()) this.endTurn(turn);
    return [this.run, ...this.turns.values(), ...this.spans];
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
      if (this.turn !== null) this.children.set(String(attributes.workflowId), this.turn);
    },
    WorkflowPropertiesModified: (e) => this.asked(e),
    WorkflowExecutionCompleted: (e) => this.ended(e, null),
    WorkflowExecutionFailed: (e) => this.ended(e, spanErrorOf(e, this.options)),
    WorkflowExecutionCanceled: (e) => this.ended(e, { type: "cancelled" }),
    WorkflowExecutionTerminated: (e) => this.ended(e, { type: "terminated" }),
    WorkflowExecutionTimedOut: (e) => this.ended(e, { type: "timed_out" }),
  };

  private started({ attributes, at }: HistoryEvent): void {
    const { workflowType, workflowId, firstExecutionRunId, originalExecutionRunId, input, header } = attributes;
    this.runId = String(originalExecutionRunId ?? "");
    if (this.run !== null) return;
    const type = isObject(workflowType) ? String(workflowType.name) : "";
    if (!isTraced(type)) return;
    this.type = type;
    const id = typeof workflowId === "string" ? workflowId : this.workflowId;
    this.first = String(firstExecutionRunId || this.runId || id);
    this.parent = contextIn(header) ?? this.parent;
    this.run = {
      ...this.place(RUN_KEY, this.parent?.span_id),
      ...runFacts(type, id, decodePayloads(input)),
      start_ms: at,
      end_ms: null,
    };
  }

  private place(key: string, parent: string | undefined, seed = this.first) {
    return {
      trace_id: this.parent?.trace_id ?? traceIdOf(this.first),
      span_id: spanIdOf(seed, key),
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
    const turn = isObject(input) && typeof input.turn === "number" ? input.turn : undefined;
    const parent = contextIn(attributes.header)?.span_id ?? spanIdOf(this.first, callerKey(this.type, input, 1));
    this.noteTurn(parent, turn, at);
    const id = String(attributes.activityId);
    const span = { ...this.place(callKey(id, 1), parent, this.runId), ...facts, start_ms: at, end_ms: null };
    this.spans.push(span);
    this.open.set(String(event.id), { span, activity, id });
  }

  /** A turn begins with its first call. */
  private noteTurn(span_id: string, turn: number | undefined, at: number): void {
    if (this.type !== "agentRun" || turn === undefined || span_id === this.run?.span_id) return;
    this.turn = span_id;
    if (this.turns.has(span_id)) return;
    const invocation = this.invocationOf(span_id, turn);
    const place = { ...this.place(RUN_KEY, this.run?.span_id), span_id };
    this.turns.set(span_id, { ...place, ...turnFacts(invocation, turn), start_ms: at, end_ms: null });
  }

  /** A history does not tell the invocation, but the id of the span does. */
  private invocationOf(span_id: string, turn: number): number {
    const last = this.turns.size + 1;
    for (let invocation = 1; invocation <= last; invocation++)
      if (spanIdOf(this.first, turnKey(invocation, turn)) === span_id) return invocation;
    return 1;
  }

  /** It ends with its last call, unless a call is still open. */
  private endTurn(turn: PlainSpan): void {
    const calls = this.spans.filter(({ parent_span_id }) => parent_span_id === turn.span_id);
    const ends = calls.map(({ end_ms }) => end_ms);
    if (ends.every((end) => end !== null)) turn.end_ms = Math.max(turn.start_ms, ...(ends as number[]));
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
    if (call !== undefined) end(call.span, event.at, spanErrorOf(event, this.options));
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
    const place = this.place(
      callKey(String(data.activity_id), Number(data.attempt ?? 1)),
      this.turn ?? this.run.span_id,
      this.runId,
    );
    const ended = timeOf(data.complete_time) ?? event.at;
    const started = timeOf(data.original_schedule_time) ?? ended;
    const span = {
      ...place,
      ...facts,
      attributes: { ...facts.attributes, ...attributes },
      start_ms: started,
      end_ms: null,
    };
    end(span, Math.max(started, ended), failure ? spanErrorOf(event, this.options) : error);
    this.spans.push(span);
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
    const place = this.place(key, this.run?.span_id);
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
