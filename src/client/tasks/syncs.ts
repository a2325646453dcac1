import { isAbsent } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { type SyncRecord, taskOfSync } from "../../core/graph/task/sync";
import * as messages from "../../workflows/messages";
import { askQuery } from "../ask-query";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { atOnce } from "./concurrency";
import { Recent } from "./own-writes";
import { type ListedTask, TASKS, type Visibility } from "./visibility";

const PENDING = `${TASKS} AND ${ATTRIBUTE.pendingSyncs} > 0 AND ExecutionStatus = "Running"`;

/** A list this recent is as good as a new one: lists lag anyway, and own writes are added to it. */
const FRESH_MS = 1_000;
/** After this time a list that agrees with our writes has really seen them. */
const SETTLED_MS = 3_000;

/** Moves that the orchestrator's own store has not confirmed (graph reference, section 7). Each task keeps its own. */
export class Syncs {
  /** For tasks that this process has just changed: the ids of their open records, and the newest id of all. */
  private readonly recent = new Recent<{ ids: readonly string[]; newest: string; at: number }>();
  private listed: { at: number; tasks: Promise<ListedTask[]> } | undefined;
  /** The duration of the last list. A slow list is requested less often. */
  private tookMs = 0;

  constructor(
    private readonly client: NavigatorClient,
    private readonly visibility: Visibility,
  ) {}

  /** The answer of a change, and the records that it removed. A list that still shows these is old. */
  note(taskId: string, ids: readonly string[], gone: readonly string[] = []): void {
    const newest = [this.recent.get(taskId)?.newest ?? "", ...ids, ...gone].sort().at(-1) as string;
    this.recent.note(taskId, { ids, newest, at: Date.now() });
  }

  /** From lists only, oldest first. No task is asked. */
  async reminder(limit: number): Promise<{ total: number; pending: { id: string; taskId: string }[] }> {
    const { ids, total } = await this.known();
    return { total, pending: ids.slice(0, limit).map((id) => ({ id, taskId: taskOfSync(id) ?? "" })) };
  }

  /** The whole records, oldest first. Each task is asked. */
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
      this.note(taskId, syncs, confirmed);
      return confirmed;
    } catch (error) {
      // A task that is over, or that never existed, has no open records.
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

  /** Every answer of every tool needs this list; once a second is often enough. */
  private list(): { at: number; tasks: Promise<ListedTask[]> } {
    const began = Date.now();
    if (this.listed === undefined || began - this.listed.at > Math.max(FRESH_MS, 10 * this.tookMs)) {
      const tasks = this.visibility.tasks(PENDING);
      tasks.then(
        () => {
          this.tookMs = Date.now() - began;
        },
        () => {
          this.listed = undefined;
        },
      );
      this.listed = { at: began, tasks };
    }
    return this.listed;
  }

  private async known(): Promise<{ ids: string[]; total: number; tasks: string[] }> {
    const waiting = new Map<string, { ids: readonly string[]; total: number }>();
    const { at: listedAt, tasks } = this.list();
    for (const { id, syncs, pendingSyncs } of await tasks) waiting.set(id, { ids: syncs, total: pendingSyncs });
    for (const [taskId, { ids, newest, at }] of this.recent.all()) {
      const listed = waiting.get(taskId)?.ids ?? [];
      const caughtUp = listedAt - at > SETTLED_MS && sameIds(listed, ids);
      if (caughtUp || (listed.at(-1) ?? "") > newest) this.recent.forget(taskId);
      else if (ids.length === 0) waiting.delete(taskId);
      else waiting.set(taskId, { ids, total: ids.length });
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
