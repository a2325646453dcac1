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
