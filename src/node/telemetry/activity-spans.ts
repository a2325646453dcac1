import type { Context as ActivityContext } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure, CompleteAsyncError, defaultPayloadConverter } from "@temporalio/common";
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from "@temporalio/worker";
import { thrownText } from "../../core/base/navigator-error";
import { RUN_CALLS, type RunCallsInput, sharedCallId } from "../../core/calls/run-calls";
import type { ContentOptions } from "../../core/history/spans/content";
import { answerOfCall, callFacts } from "../../core/history/spans/gen-ai";
import type { PlainSpan, SpanError, SpanFacts } from "../../core/history/spans/plain-span";
import { errorOf, thrownError } from "../../core/history/spans/span-error";
import { callKey, RUN_KEY, spanIdOf, traceIdOf, turnKey, turnOfCall } from "../../core/history/spans/span-ids";
import { contextOfCarrier, TRACE_HEADER, type TraceContext } from "../../core/history/spans/trace-context";
import type { CallMetrics } from "./call-metrics";
import { type InnerCall, withInnerCalls } from "./inner-calls";
import { maskedAttributes } from "./masked-span";
import { markFailed, type Spans } from "./spans";

type Headers = ActivityExecuteInput["headers"];

/** An activity that is a call, or one of the calls of an activity. */
interface TracedCall {
  type: string;
  /** Its activity id. */
  id: string;
  attempt: number;
  args: unknown;
}

/** Model calls and tool calls as spans and in metrics; the code of a tool sees its span as the active one. */
export class TracedActivity implements ActivityInboundCallsInterceptor {
  constructor(
    private readonly activity: ActivityContext,
    private readonly spans: Spans | null,
    private readonly metrics: CallMetrics | null,
    private readonly options: ContentOptions,
  ) {}

  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, "execute">): Promise<unknown> {
    const { activityId: id, activityType: type, attempt, workflowExecution } = this.activity.info;
    const [args] = input.args;
    if (type === RUN_CALLS) {
      const traced = (call: InnerCall | "model"): TracedCall =>
        call === "model"
          ? { type: "callModel", id, attempt, args: (args as RunCallsInput).model }
          : { type: "callTool", id: sharedCallId(id, call.n), attempt: call.attempt, args: call.input };
      return withInnerCalls(
        (call, work) => this.traced(traced(call), input.headers, work),
        () => next(input),
      );
    }
    if (workflowExecution === undefined || callFacts(type, args, this.options) === null) return this.other(input, next);
    return this.traced({ type, id, attempt, args }, input.headers, () => next(input));
  }

  private async traced<T>(call: TracedCall, headers: Headers, work: () => Promise<T>): Promise<T> {
    const facts = callFacts(call.type, call.args, this.options);
    const runId = this.activity.info.workflowExecution?.runId;
    if (facts === null || runId === undefined) return work();
    const span = this.spans?.start(this.placed(facts, call, headers, runId)) ?? null;
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    try {
      const answer = await (span === null || this.spans === null ? work() : this.spans.within(span, work));
      const { attributes, error } = answerOfCall(call.type, answer, this.options);
      span?.setAttributes(maskedAttributes(attributes));
      if (error !== undefined && span !== null) markFailed(span, error);
      this.metrics?.call({ ...facts.attributes, ...attributes }, seconds(), error);
      return answer;
    } catch (error) {
      const failure = failureOf(error, this.options);
      if (span !== null && failure !== null) markFailed(span, failure);
      if (failure === null) span?.setAttribute("navigator.completes_later", true);
      this.metrics?.call(facts.attributes, seconds(), failure ?? undefined);
      throw error;
    } finally {
      span?.end();
    }
  }

  private async other(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, "execute">,
  ): Promise<unknown> {
    const { activityType } = this.activity.info;
    const [args] = input.args;
    try {
      const answer = await next(input);
      this.metrics?.other(activityType, args, answer);
      return answer;
    } catch (error) {
      const failure = failureOf(error, this.options);
      if (failure !== null) this.metrics?.otherFailed(activityType, args, failure.type);
      throw error;
    }
  }

  private placed(
    facts: SpanFacts,
    { type, id, attempt, args }: TracedCall,
    headers: Headers,
    runId: string,
  ): PlainSpan {
    const { workflowType = "" } = this.activity.info;
    const payload = headers[TRACE_HEADER];
    const given = payload === undefined ? null : contextOfCarrier(defaultPayloadConverter.fromPayload(payload));
    const parent = given ?? contextWithoutHeader(runId, turnOfCall(workflowType, type, args));
    return {
      trace_id: parent.trace_id,
      span_id: spanIdOf(runId, callKey(id, attempt)),
      parent_span_id: parent.span_id,
      sampling: parent.sampling,
      ...facts,
      attributes: { ...facts.attributes, ...(attempt > 1 ? { "navigator.attempt": attempt } : {}) },
      start_ms: Date.now(),
      end_ms: null,
    };
  }
}

/** The run is the first of its workflow, nobody has woken it, and it is a separate trace. */
const contextWithoutHeader = (runId: string, turn: number | null): TraceContext => ({
  trace_id: traceIdOf(runId),
  span_id: spanIdOf(runId, turn === null ? RUN_KEY : turnKey(1, turn)),
  sampling: "open",
});

/** null: it did not fail, but its answer comes later. */
function failureOf(error: unknown, options: ContentOptions): SpanError | null {
  if (error instanceof CompleteAsyncError) return null;
  const { name, message } = error instanceof Error ? error : { name: "failed", message: thrownText(error) };
  if (error instanceof CancelledFailure || name === "AbortError") return errorOf("cancelled", message, options);
  return thrownError(error instanceof ApplicationFailure ? (error.type ?? name) : name, message, options);
}
