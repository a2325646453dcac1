import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { PlainSpan, SpanError } from "../../core/history/spans/plain-span";
import { maskedSpan, maskedText } from "./masked-span";

/** The scope of the spans that have ids of ours. No other code may ask a provider for a tracer of this name. */
export const SCOPE = "navigator-agents";

const known = new WeakMap<TracerProvider, Spans>();

/** Traces whose sampling is remembered. */
const MAX_DECISIONS = 1_000;

/** Gives spans of missions, with the ids that follow from their histories, to a tracer provider of OpenTelemetry. */
export class Spans {
  private readonly tracer: Tracer;
  private ids = { trace_id: "", span_id: "" };
  private readonly decisions = new Map<string, boolean>();
  /** false: the provider makes up other ids, so spans of different processes do not find each other. */
  readonly keepsIds: boolean;

  /** Those of a provider. It has one tracer of our name, which takes its ids from one place, however many workers report to it. */
  static of(provider: TracerProvider, version: string): Spans {
    const spans = known.get(provider) ?? new Spans(provider, version);
    known.set(provider, spans);
    return spans;
  }

  private constructor(provider: TracerProvider, version: string) {
    this.tracer = provider.getTracer(SCOPE, version);
    // The tracers of OpenTelemetry's SDK (1.x and 2.x) take ids from here; the API has no other way to set them.
    this.keepsIds = Reflect.has(this.tracer, "_idGenerator");
    if (this.keepsIds)
      Reflect.set(this.tracer, "_idGenerator", {
        generateTraceId: () => this.ids.trace_id,
        generateSpanId: () => this.ids.span_id,
      });
  }

  /** A span that has ended. */
  report(span: PlainSpan & { end_ms: number }): void {
    const started = this.start(span);
    if (span.error !== undefined) markFailed(started, span.error);
    started.end(span.end_ms);
  }

  /** A span that begins now. */
  start(span: PlainSpan, under: Context = ROOT_CONTEXT): Span {
    const { name, kind, attributes, parent_span_id } = maskedSpan(span);
    // Before the span has its ids: to ask the sampler uses ids, too.
    const parent = parent_span_id === undefined ? trace.deleteSpan(under) : this.below(span, parent_span_id, under);
    this.ids = span;
    const options = { kind: KINDS[kind], startTime: span.start_ms, attributes };
    return this.tracer.startSpan(name, options, parent);
  }

  /** Runs with the span as the active one: what is traced inside becomes its child. */
  within<T>(span: Span, work: () => T): T {
    return context.with(trace.setSpan(context.active(), span), work);
  }

  private below({ trace_id, sampling }: PlainSpan, spanId: string, under: Context): Context {
    const kept = sampling === "open" ? this.isSampled(trace_id) : sampling === "kept";
    const traceFlags = kept ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(under, { traceId: trace_id, spanId, traceFlags, isRemote: true });
  }

  /** The sampler's decision on the root of a trace. A span that never ends is never exported. */
  private isSampled(trace_id: string): boolean {
    const known = this.decisions.get(trace_id);
    if (known !== undefined) return known;
    this.ids = { trace_id, span_id: trace_id.slice(16) };
    const probe = this.tracer.startSpan("mission", { root: true }, ROOT_CONTEXT);
    const sampled = (probe.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
    if (this.decisions.size >= MAX_DECISIONS) this.decisions.clear();
    this.decisions.set(trace_id, sampled);
    return sampled;
  }
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT };

/** A span whose work failed. */
export function markFailed(span: Span, { type, message }: SpanError): void {
  span.setAttribute("error.type", type);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    ...(message === undefined ? {} : { message: maskedText(message) }),
  });
}
