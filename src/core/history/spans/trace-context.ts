import { isObject } from "../../base/is-object";

/**
 * Where a span stands: what W3C Trace Context carries from one process to the next. Workflows, activities and children of a
 * mission get it in a header of Temporal.
 */
export interface TraceContext {
  /** 32 hex digits, lower case. */
  trace_id: string;
  /** 16 hex digits, lower case: the parent of what comes next. */
  span_id: string;
  /** `open`: nobody has decided yet whether the trace is kept; the sampler of each worker decides by the trace id. */
  sampling: "kept" | "dropped" | "open";
}

/** The header of Temporal that contains the context. The SDK's own OpenTelemetry interceptors use the same one. */
export const TRACE_HEADER = "_tracer-data";

/** The words of the context, as OpenTelemetry propagates them. */
export interface TraceCarrier {
  traceparent: string;
  tracestate?: string;
}

/** In `tracestate`: the mission was started without a trace, so nobody has sampled it. */
const OPEN_STATE = "navigator=open";
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The context as words for a header. */
export function traceCarrierOf({ trace_id, span_id, sampling }: TraceContext): TraceCarrier {
  const traceparent = `00-${trace_id}-${span_id}-${sampling === "dropped" ? "00" : "01"}`;
  return { traceparent, ...(sampling === "open" ? { tracestate: OPEN_STATE } : {}) };
}

/** The context of a header; null for none, and for one that OpenTelemetry could not read either. */
export function contextOfCarrier(carrier: unknown): TraceContext | null {
  if (!isObject(carrier) || typeof carrier.traceparent !== "string") return null;
  const [, trace_id = "", span_id = "", flags = ""] = TRACEPARENT.exec(carrier.traceparent) ?? [];
  if (/^0*$/.test(trace_id) || /^0*$/.test(span_id)) return null;
  if (carrier.tracestate === OPEN_STATE) return { trace_id, span_id, sampling: "open" };
  return { trace_id, span_id, sampling: (Number.parseInt(flags, 16) & 1) === 1 ? "kept" : "dropped" };
}
