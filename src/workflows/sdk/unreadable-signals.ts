/** The parts of the SDK's runtime of a workflow that decode a signal. */
interface Runtime {
  payloadConverter: { fromPayload(payload: unknown): unknown };
  signalWorkflow(signal: { input?: unknown[] | null }): void;
}

/**
 * From now on a signal that is no JSON reaches its handler without arguments, which refuses it. The SDK decodes a signal before any code
 * of the workflow sees it: without this the workflow task would fail, and the server would try it again for ever.
 */
export function takeUnreadableSignals(): void {
  const runtime = (globalThis as { __TEMPORAL_ACTIVATOR__?: Runtime }).__TEMPORAL_ACTIVATOR__;
  if (runtime === undefined || Object.hasOwn(runtime, "signalWorkflow")) return;
  const { signalWorkflow } = runtime;
  runtime.signalWorkflow = (signal) =>
    signalWorkflow.call(runtime, isReadable(runtime, signal.input ?? []) ? signal : { ...signal, input: [] });
}

function isReadable({ payloadConverter }: Runtime, payloads: readonly unknown[]): boolean {
  try {
    for (const payload of payloads) payloadConverter.fromPayload(payload);
    return true;
  } catch {
    return false;
  }
}
