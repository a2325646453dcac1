import type { TraceCarrier } from "../../core/history/spans/trace-context";

/** Where `@opentelemetry/api` 1.x keeps what a process has registered, for all copies of it. */
const API = Symbol.for("opentelemetry.js.api.1");

/**
 * Whether a tracer provider is registered in this process: the user's own, or ours. It looks without loading
 * `@opentelemetry/api`, so that a process without telemetry loads nothing of it.
 */
export function hasTracerProvider(): boolean {
  const registered = (globalThis as { [API]?: { trace?: unknown } })[API];
  return registered?.trace !== undefined;
}

/**
 * Does something as a part of the caller's trace: a mission that it starts becomes a part of that trace. Without
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
