/**
 * The signal, which is also aborted at the timeout. Built by hand: in Node 20 the garbage collector may collect the
 * signals of `AbortSignal.any` and `AbortSignal.timeout` before they fire, and the call would hang.
 */
export function withTimeLimit(signal: AbortSignal, ms: number): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException("The time is up.", "TimeoutError")), ms);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}
