import vm from "node:vm";

/** The work was ended: it took longer than it might. */
export class TookTooLong extends Error {}

let context: { work?: (() => unknown) | undefined } | undefined;
const script = new vm.Script("work()");

/**
 * Does synchronous work of which somebody else decides how long it takes, such as a search with their regular expression. No
 * timer could end it: V8's watchdog does, at every step and also inside of a search. The work must not leave anything half done.
 *
 * @throws TookTooLong after `limit_ms`, and what the work throws
 */
export function stopAfter<T>(limit_ms: number, work: () => T): T {
  context ??= vm.createContext({});
  context.work = work;
  try {
    return script.runInContext(context, { timeout: limit_ms }) as T;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new TookTooLong(`It took longer than ${limit_ms} ms.`);
  } finally {
    context.work = undefined;
  }
}
