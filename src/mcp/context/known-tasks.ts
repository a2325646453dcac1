import { isObject } from "../../core/base/is-object";
import { type Task, versionOf } from "../../core/graph/task/task";
import type { Call } from "./tool";

/**
 * Keeps the version of each task in the last answer that a session has received (mcp reference, section 4.3). A session has its own
 * server. Since 2026-07-28 a single request has its own server too: it may be the repeat of any other.
 */
const KNOWN = new WeakMap<Call["server"], Map<string, number>>();

/** A session works on few tasks at a time. For one that is forgotten it has to name a version where a person is asked. */
const MOST_TASKS = 1_000;

/**
 * Keeps the versions of the tasks in an answer. The answer to a call that the client has given up reaches nobody.
 *
 * @param taskId the task that the call named; `data.version` is its version
 */
export function noteSeen(data: unknown, taskId: unknown, { server, extra }: Pick<Call, "server" | "extra">): void {
  if (extra.signal.aborted || !isObject(data)) return;
  const seen: [string, number][] = [];
  withVersions(data, (task) => seen.push([task.id, versionOf(task)]));
  if (typeof taskId === "string" && typeof data.version === "number") seen.push([taskId, data.version]);
  const known = KNOWN.get(server) ?? new Map<string, number>();
  KNOWN.set(server, known);
  for (const [id, version] of seen) {
    known.delete(id);
    known.set(id, version);
  }
  for (const id of [...known.keys()].slice(0, Math.max(0, known.size - MOST_TASKS))) known.delete(id);
}

/** What a session knows of a task, for an advance that names no version. */
export function seenBySession(
  taskId: string,
  { server }: Pick<Call, "server">,
): { seen: number } | { mayRepeat: true } {
  const seen = KNOWN.get(server)?.get(taskId);
  return seen === undefined ? { mayRepeat: true } : { seen };
}

/** An answer whose tasks have their versions: one task, a list, lists by status, or claims. */
export function withVersions<T>(data: T, found: (task: Task) => void = () => {}): T {
  if (!isObject(data)) return data;
  const { unconfirmed } = data as { unconfirmed?: unknown };
  const versioned = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(versioned);
    // Of a task whose worker does not answer nobody knows the moves.
    if (!isTask(one) || (Array.isArray(unconfirmed) && unconfirmed.includes(one.id))) return one;
    found(one);
    return { ...one, version: versionOf(one) };
  };
  const ofLists = (lists: unknown): unknown =>
    isObject(lists)
      ? Object.fromEntries(Object.entries(lists).map(([status, list]) => [status, versioned(list)]))
      : versioned(lists);
  const ofClaims = (claims: unknown): unknown =>
    Array.isArray(claims) ? claims.map((one) => (isObject(one) ? { ...one, task: versioned(one.task) } : one)) : claims;
  const parts: { [field: string]: (value: unknown) => unknown } = {
    task: versioned,
    tasks: ofLists,
    claimed: ofClaims,
  };
  // In the order of the answer: an error is its last member.
  return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, parts[field]?.(value) ?? value])) as T;
}

const isTask = (one: unknown): one is Task =>
  isObject(one) && typeof one.id === "string" && typeof one.currentStep === "string" && Array.isArray(one.history);
