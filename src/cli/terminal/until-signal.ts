/** Resolves at the first Ctrl-C or SIGTERM. */
export const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs work that cleans up when it receives a request to stop: Ctrl-C, a service manager, a closed terminal. Then the process ends by
 * that signal, as if it had no listener.
 *
 * @param onStop called once the work has stopped
 */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>, onStop: () => void): Promise<T> {
  const stopping = new AbortController();
  let received: NodeJS.Signals | null = null;
  const listener = (signal: NodeJS.Signals) => {
    received = signal;
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (received === null) throw error;
    forget();
    onStop();
    process.kill(process.pid, received);
    throw error;
  } finally {
    forget();
  }
}
