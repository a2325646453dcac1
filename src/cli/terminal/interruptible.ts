import { Script } from "node:vm";

const TASK = "__navigatorInterruptible";
// The script sees the main context's globals, which under a test runner are not ours.
const shared = new Script("globalThis").runInThisContext() as { [TASK]?: () => unknown };
const script = new Script(`globalThis.${TASK}()`);

/**
 * Runs work that blocks the thread, and ends it when SIGINT arrives. A signal handler could not run, because the thread
 * is busy.
 *
 * @returns undefined if it was interrupted
 */
export function interruptible<T>(work: () => T): { value: T } | undefined {
  shared[TASK] = work;
  try {
    return { value: script.runInThisContext({ breakOnSigint: true }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") return undefined;
    throw error;
  } finally {
    delete shared[TASK];
  }
}
