import type { TraceCarrier } from "../../core/history/spans/trace-context";
import { hasTracerProvider } from "./global-provider";

/**
 * Does something as a part of the trace of whoever asked for it: a mission that it starts becomes a part of that trace. Without
 * telemetry in this process, or without a caller's trace, it changes nothing.
 *
 * @param carrier as W3C Trace Context has it; what cannot be read is left out, as the standard wants
 */
export async function inCallersTrace<T>(
  carrier: { [word in keyof TraceCarrier]?: unknown },
  work: () => Promise<T>,
): Promise<T> {
  if (typeof carrier.traceparent !== "string" || !hasTracerProvider()) return work();
  const { context, propagation, ROOT_CONTEXT } = await import("@opentelemetry/api");
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), work);
}
