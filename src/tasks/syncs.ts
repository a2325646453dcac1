import { askQuery } from "../ask-query";
import type { NavigatorClient } from "../client";
import { ask, NavigatorError } from "../client-errors";
import { type SyncRecord, taskOfSync } from "../core/graph/sync";
import * as messages from "../workflows/messages";
import { atOnce } from "./at-once";
import { Recent } from "./recent";
import { TASKS, type Visibility } from "./visibility";

const PENDING = `${TASKS} AND NavigatorPendingSyncs > 0 AND ExecutionStatus = "Running"`;

/** Records that the orchestrator's own store has not confirmed (navigator reference, section 7). Each task keeps its own. */
export class Syncs {
  /** Of tasks that this process changed a moment ago: the ids that wait there. */
  private readonly recent = new Recent<readonly string[]>();

  constructor(
    private readonly client: NavigatorClient,
    private readonly visibility: Visibility,
  ) {}

  /** What a change of a task answered. */
  note(taskId: string, ids: readonly string[]): void {
    this.recent.note(taskId, ids);
  }

  /** As far as lists know it, oldest first: no task is asked. */
  async reminder(limit: number): Promise<{ total: number; pending: { id: string; taskId: string }[] }> {
    const { ids, total } = await this.known();
    return { total, pending: ids.slice(0, limit).map((id) => ({ id, taskId: taskOfSync(id) ?? "" })) };
  }

  /** The records themselves, oldest first; each task is asked. */
  async pending(limit: number | undefined): Promise<{ total: number; pending: SyncRecord[] }> {
    const { tasks } = await this.known();
    const lists = await atOnce(tasks, (taskId) => this.recordsOf(taskId));
    const records = lists.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
    return { total: records.length, pending: limit === undefined ? records : records.slice(0, limit) };
  }

  async confirm(ids: readonly string[]): Promise<{ confirmed: string[]; notFound: string[]; remaining: number }> {
    const byTask = new Map<string, string[]>();
    for (const id of ids) {
      const taskId = taskOfSync(id);
      if (taskId !== null) byTask.set(taskId, [...(byTask.get(taskId) ?? []), id]);
    }
    const confirmed = new Set((await atOnce([...byTask], ([taskId, own]) => this.confirmAt(taskId, own))).flat());
    const unique = [...new Set(ids)];
    return {
      confirmed: unique.filter((id) => confirmed.has(id)),
      notFound: unique.filter((id) => !confirmed.has(id)),
      remaining: (await this.known()).total,
    };
  }

  async confirmTask(taskId: string): Promise<{ taskId: string; confirmed: string[]; remaining: number }> {
    const confirmed = await this.confirmAt(taskId, null);
    return { taskId, confirmed, remaining: (await this.known()).total };
  }

  private async confirmAt(taskId: string, ids: string[] | null): Promise<string[]> {
    const handle = this.client.task(taskId).workflow;
    try {
      const { confirmed, syncs } = await ask(() => handle.executeUpdate(messages.confirmSyncs, { args: [ids] }));
      this.note(taskId, syncs);
      return confirmed;
    } catch (error) {
      // A task that is over has nothing that waits; one that never was has neither.
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  private async recordsOf(taskId: string): Promise<SyncRecord[]> {
    try {
      return await askQuery(this.client.task(taskId).workflow, messages.syncsQuery);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  private async known(): Promise<{ ids: string[]; total: number; tasks: string[] }> {
    const waiting = new Map<string, { ids: readonly string[]; total: number }>();
    for (const { id, syncs, pendingSyncs } of await this.visibility.tasks(PENDING))
      waiting.set(id, { ids: syncs, total: pendingSyncs });
    for (const [taskId, own] of this.recent.all()) {
      const listed = waiting.get(taskId);
      // The list has caught up, or knows of moves that came after ours.
      if (sameIds(listed?.ids ?? [], own) || later(listed?.ids, own)) this.recent.forget(taskId);
      else if (own.length === 0) waiting.delete(taskId);
      else waiting.set(taskId, { ids: own, total: own.length });
    }
    return {
      ids: [...waiting.values()].flatMap(({ ids }) => ids).sort(),
      total: [...waiting.values()].reduce((sum, { total }) => sum + total, 0),
      tasks: [...waiting.keys()],
    };
  }
}

const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

const later = (listed: readonly string[] | undefined, own: readonly string[]): boolean => {
  const [newest, mine] = [listed?.at(-1), own.at(-1)];
  return newest !== undefined && mine !== undefined && newest > mine;
};

export const isAbsent = (error: unknown): boolean => error instanceof NavigatorError && error.code === "not_found";
