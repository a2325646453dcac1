import { Script } from "node:vm";

const TASK = "__navigatorInterruptible";
// The script sees the main context's globals, which under a test runner are not ours.
const shared = new Script("globalThis").runInThisContext() as { [TASK]?: () => unknown };
const script = new Script(`globalThis.${TASK}()`);

/**
 * Runs work that holds the thread, and ends it when SIGINT arrives: no handler could, for none would get its turn.
 *
 * @returns undefined when it was interrupted
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
