/** Resolves at the first Ctrl-C or SIGTERM. A second one, of either kind, ends the process: nobody listens to it. */
export const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      for (const signal of STOPS) process.off(signal, stop);
      resolve();
    };
    for (const signal of STOPS) process.on(signal, stop);
  });

const STOPS = ["SIGTERM", "SIGINT"] as const;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs work that cleans up when it receives a request to stop: Ctrl-C, a service manager, a closed terminal. Then the process ends by
 * that signal, as if it had no listener. A second signal ends it at once.
 *
 * @param onStop called once the work has stopped
 */
export async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>, onStop: () => void): Promise<T> {
  const stopping = new AbortController();
  let received: NodeJS.Signals | null = null;
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
  const listener = (signal: NodeJS.Signals) => {
    forget();
    received = signal;
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (received === null) throw error;
    onStop();
    process.kill(process.pid, received);
    throw error;
  } finally {
    forget();
  }
}
