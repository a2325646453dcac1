import { proxySinks, type Sinks, workflowInfo } from "@temporalio/workflow";
import { isTraced, turnFacts, waitFacts } from "../../core/history/spans/gen-ai";
import type { PlainSpan, SpanError, SpanFacts } from "../../core/history/spans/plain-span";
import {
  parkedKey,
  RUN_KEY,
  reviewKey,
  spanIdOf,
  traceIdOf,
  turnKey,
  turnOfCall,
} from "../../core/history/spans/span-ids";
import type { TraceContext } from "../../core/history/spans/trace-context";
import type { InboxKind } from "../../core/review/inbox/inbox-kind";

/**
 * The trace of the run that this workflow is (docs/decisions/0040). Its ids follow from the history, so nothing of it is state
 * that a replay could miss; spans go to the worker through a sink, which is silent during replay.
 */

/** The reports of workflows to the worker about spans. A worker without telemetry ignores them. */
interface TelemetrySinks extends Sinks {
  navigatorTelemetry: {
    /** A span that has ended. */
    span(span: PlainSpan): void;
  };
}

const { navigatorTelemetry } = proxySinks<TelemetrySinks>();

interface RunTrace {
  /** The place of the mission in its caller's trace; null: the mission has a separate trace. */
  given: TraceContext | null;
  /** How often the mission was woken, and once more. */
  invocation: number;
  /** The span of the last call: what is started now belongs to it. */
  at: string;
}

/** Modules are shared by all runs of a worker, but each run has its own globals. */
const globals = globalThis as { navigatorRunTrace?: RunTrace };

/** Returns the place of this workflow run in its trace. */
export function runTrace(): RunTrace {
  globals.navigatorRunTrace ??= { given: null, invocation: 1, at: RUN_KEY };
  return globals.navigatorRunTrace;
}

/** From now on turns belong to this invocation. */
export function invocationBegins(invocation: number): void {
  Object.assign(runTrace(), { invocation, at: RUN_KEY });
}

/** The context of a call of an activity; null: it follows from what the activity knows. */
export function callContext(activity: string, input: unknown): TraceContext | null {
  const { workflowType, runId, firstExecutionRunId } = workflowInfo();
  if (!isTraced(workflowType)) return null;
  const trace = runTrace();
  // An undo belongs to the turn that is under way, which it does not name.
  if (activity === "undoEffect") return contextAt(trace.at);
  const turn = turnOfCall(workflowType, activity, input);
  // A notification is sent in parallel with a turn, and does not end it.
  if (turn !== null) trace.at = turnKey(trace.invocation, turn);
  // Not one that continues another, and not one that is what became of another by a reset.
  const follows = trace.given === null && trace.invocation === 1 && runId === firstExecutionRunId;
  return follows ? null : contextAt(turn === null ? RUN_KEY : trace.at);
}

/** The context of a run that this one starts. */
export const childContext = (): TraceContext | null =>
  isTraced(workflowInfo().workflowType) ? contextAt(runTrace().at) : null;

function contextAt(key: string): TraceContext {
  const { given } = runTrace();
  const { firstExecutionRunId } = workflowInfo();
  return {
    trace_id: given?.trace_id ?? traceIdOf(firstExecutionRunId),
    span_id: spanIdOf(firstExecutionRunId, key),
    sampling: given?.sampling ?? "open",
  };
}

/** The run has ended. */
export function reportRun(facts: SpanFacts, error?: SpanError): void {
  report(RUN_KEY, runTrace().given?.span_id, facts, workflowInfo().startTime.getTime(), error);
}

/** A turn has ended, and nothing of it is left for a run that continues. One without any call is none. @param start ms since 1970 */
export function reportTurn(turn: number, start: number): void {
  const { invocation, at } = runTrace();
  const key = turnKey(invocation, turn);
  if (at === key) report(key, contextAt(RUN_KEY).span_id, turnFacts(invocation, turn), start);
}

/** Nobody is asked about a review any more. @param since ms since 1970 */
export function reportReview(review: string, kind: InboxKind, since: number): void {
  report(reviewKey(review), contextAt(RUN_KEY).span_id, waitFacts(kind, review), since);
}

/** A parked mission was woken. @param since ms since 1970 */
export function reportParked(since: number): void {
  report(parkedKey(since), contextAt(RUN_KEY).span_id, waitFacts("parked"), since);
}

function report(key: string, parent: string | undefined, facts: SpanFacts, start_ms: number, error?: SpanError): void {
  const { unsafe, workflowType } = workflowInfo();
  if (unsafe.isReplaying || !isTraced(workflowType)) return;
  const { trace_id, span_id, sampling } = contextAt(key);
  navigatorTelemetry.span({
    trace_id,
    span_id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    sampling,
    ...facts,
    start_ms,
    end_ms: Date.now(),
    ...(error === undefined ? {} : { error }),
  });
}
