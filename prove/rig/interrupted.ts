const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** The exit code of a command that was interrupted, as shells give it. */
const EXIT_CODE = 130;

const cleanups = new Set<() => void>();

/**
 * Runs `cleanup` when this process is interrupted: the separate processes of a proof would outlive it.
 *
 * @returns takes it back
 */
export function whenInterrupted(cleanup: () => void): () => void {
  if (cleanups.size === 0) for (const signal of SIGNALS) process.on(signal, endAll);
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
    if (cleanups.size === 0) for (const signal of SIGNALS) process.off(signal, endAll);
  };
}

function endAll(): void {
  // The last one started ends first: it may use the others.
  for (const cleanup of [...cleanups].reverse())
    try {
      cleanup();
    } catch {
      // Its process has ended already: a terminal interrupts all of them.
    }
  process.exit(EXIT_CODE);
}
