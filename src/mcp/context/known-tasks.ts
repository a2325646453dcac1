import type { Call } from "./tool";

/**
 * Keeps the tasks whose answers each session has received (mcp reference, section 4.3). A session has its own server, which recognizes
 * repeats by their ids. Since 2026-07-28 a single request has its own server too: it may be the repeat of any other.
 */
const KNOWN = new WeakMap<Call["server"], Set<string>>();

/** A session works on few tasks at a time. One that is forgotten has to name a version where a person is asked. */
const MOST_TASKS = 1_000;

/** Keeps that the client has got an answer about a task. The answer to a call that it has given up reaches nobody. */
export function noteKnown(taskId: string, { server, extra }: Pick<Call, "server" | "extra">): void {
  if (extra.signal.aborted) return;
  const known = KNOWN.get(server) ?? new Set();
  KNOWN.set(server, known.add(taskId));
  const [oldest] = known;
  if (known.size > MOST_TASKS && oldest !== undefined) known.delete(oldest);
}

/** Marks an advance that may be the repeat of a call whose answer its client has not got. */
export const mayRepeat = (taskId: string, { server }: Pick<Call, "server">): { mayRepeat?: true } =>
  KNOWN.get(server)?.has(taskId) ? {} : { mayRepeat: true };
