import vm from "node:vm";

/** The work was ended: it took longer than it might. */
export class TookTooLong extends Error {}

let context: { work?: (() => unknown) | undefined } | undefined;
const script = new vm.Script("work()");

/** How often work begins that the machine gave no time. Nothing else happens in this process during that time, heartbeats neither. */
const MAX_BEGINNINGS = 3;

/**
 * Does synchronous work whose duration depends on input from outside, such as a search with their regular expression. No
 * timer could end it: V8's watchdog does, at every step and also inside of a search. The work must not leave anything half
 * done: on a busy machine it may begin several times.
 *
 * @param beginnings how often it may begin
 * @throws TookTooLong after `limit_ms`, and what the work throws
 */
export function stopAfter<T>(limit_ms: number, work: () => T, beginnings = MAX_BEGINNINGS): T {
  for (let beginning = 1; ; beginning++) {
    const before = process.cpuUsage();
    try {
      return watched(limit_ms, work);
    } catch (error) {
      if (!(error instanceof TookTooLong) || beginning === beginnings) throw error;
      // The watchdog looks at a clock. A process that had not half of that time has not shown that the work takes it.
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 >= limit_ms / 2) throw error;
    }
  }
}

function watched<T>(limit_ms: number, work: () => T): T {
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
