import type { Client } from "@temporalio/client";
import type { Json } from "../../core/base/json";
import { readHistory } from "../../core/history/read/history";
import { type TimelineEntry, timelineOf } from "../../core/history/read/timeline";
import { historyEnd, type WorkflowEnd } from "../../core/history/read/workflow-end";
import { type MissionFact, timedFacts } from "../../core/history/stream/mission-facts";
import { childIds } from "../../core/history/trace/read-mission";
import { followHistory, type HistoryPart } from "./history-tail";

/** An event for readers of a mission. A later entry of the same key replaces the one before. */
export type RunEvent =
  | { type: "timeline"; key: string; workflow_id: string; entry: TimelineEntry }
  /** A workflow of the mission is over; null: it continues as new. */
  | { type: "end"; key: string; workflow_id: string; end: WorkflowEnd | null };

/** A fact for readers of a conversation (`core/stream/conversation`), in the order of each history. */
export interface ReportedFact {
  workflow_id: string;
  run_id: string;
  /** Which fact of this run, from 0. */
  index: number;
  fact: MissionFact;
  /** The time of its event, ms since 1970. */
  at: number;
}

/** Runs of one mission that are followed at a time. What others do is seen in the workflow that started them. */
const MAX_FOLLOWED = 64;

interface Followed {
  events: Json[];
  /** Which run of the workflow, from 0: it counts what continued as new. */
  run: number;
  /** All up to this time was published, ms since 1970. */
  reportedUntil: number;
  /** How many facts of this run were published. */
  facts: number;
  over: boolean;
}

interface FactListener {
  notify(fact: ReportedFact): void;
  stir(): void;
}

interface Listener {
  /** @param reportedUntil later events ended after this time, ms since 1970 */
  notify(event: RunEvent, reportedUntil: number): void;
  /** Something has changed that is no event, such as that nothing more will come. */
  stir(): void;
}

/**
 * The events of a mission and of the runs below it, read once from the server for all its readers (web reference, section 5). A
 * reader first gets all that happened, then what comes.
 */
export class MissionTail {
  private readonly published = new Map<string, { text: string; event: RunEvent }>();
  private readonly followed = new Map<string, Followed>();
  private readonly listeners = new Set<Listener>();
  private readonly facts: ReportedFact[] = [];
  private readonly factListeners = new Set<FactListener>();
  private readonly stopping = new AbortController();
  /** Rejects if the mission cannot be read. */
  readonly begun: Promise<void>;

  constructor(
    private readonly temporal: Client,
    readonly workflowId: string,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    this.begun = this.follow(workflowId);
    this.begun.catch(() => {});
  }

  /** Whether the mission, and all that was followed, is over: nothing more will come. */
  get isOver(): boolean {
    return [...this.followed.values()].every(({ over }) => over);
  }

  /** Nothing more is read: the server stops. */
  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  get readers(): number {
    return this.listeners.size + this.factListeners.size;
  }

  /** Events from now on ended after this time, ms since 1970. A run whose past was not read yet keeps it back. */
  get reportedUntil(): number {
    const all = [...this.followed.values()];
    const open = all.filter(({ over }) => !over);
    const times = (open.length === 0 ? all : open).map((one) => one.reportedUntil);
    return open.length === 0 ? Math.max(0, ...times) : Math.min(...times);
  }

  /** Sends all that was published so far, then each new event, until the returned function is called. */
  subscribe(listener: Listener): () => void {
    // A reader that is cut off in between has not received the rest, which may be older.
    for (const { event } of this.published.values()) listener.notify(event, 0);
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The same for facts. */
  subscribeFacts(listener: FactListener): () => void {
    for (const fact of this.facts) listener.notify(fact);
    this.factListeners.add(listener);
    return () => void this.factListeners.delete(listener);
  }

  stop(): void {
    this.stopping.abort();
    for (const listener of [...this.listeners, ...this.factListeners]) listener.stir();
  }

  /** Resolves when the first part of the history is published, and continues in the background. */
  private async follow(workflowId: string): Promise<void> {
    if (this.followed.has(workflowId) || this.followed.size >= MAX_FOLLOWED) return;
    const one: Followed = { events: [], run: 0, reportedUntil: 0, facts: 0, over: false };
    this.followed.set(workflowId, one);
    const parts = followHistory(this.temporal, workflowId, this.stopping.signal, this.onTrouble);
    try {
      const first = await parts.next();
      if (first.done) return this.isDone(one);
      this.take(workflowId, one, first.value);
    } catch (error) {
      // The server keeps what has ended for some time only: a run below may be gone, and nobody is to wait for it.
      this.isDone(one);
      throw error;
    }
    void this.goOn(workflowId, one, parts);
  }

  private async goOn(workflowId: string, one: Followed, parts: ReturnType<typeof followHistory>): Promise<void> {
    try {
      for await (const part of parts) this.take(workflowId, one, part);
    } catch (error) {
      if (this.isStopped) return;
      this.onTrouble(error);
    }
    this.isDone(one);
  }

  private isDone(one: Followed): void {
    one.over = true;
    for (const listener of [...this.listeners, ...this.factListeners]) listener.stir();
  }

  private take(workflowId: string, one: Followed, { run_id, events, isLast }: HistoryPart): void {
    one.events.push(...events);
    const history = readHistory(one.events);
    for (const [i, entry] of timelineOf(history).entries())
      this.notify({ type: "timeline", key: `${workflowId} ${one.run} ${i}`, workflow_id: workflowId, entry });
    const facts = timedFacts(workflowId, run_id, history);
    for (const [index, { fact, at }] of facts.entries())
      if (index >= one.facts) this.notifyFact({ workflow_id: workflowId, run_id, index, fact, at });
    one.facts = isLast ? 0 : facts.length;
    for (const child of childIds(events)) this.follow(child).catch(this.onTrouble);
    const last = history.at(-1);
    one.reportedUntil = Math.max(one.reportedUntil, last?.at ?? 0);
    if (!isLast || last === undefined) return;
    const end = historyEnd(history);
    this.notify({ type: "end", key: `${workflowId} ${one.run} end`, workflow_id: workflowId, end });
    one.events = [];
    one.run += 1;
    one.over = last.kind !== "continued_as_new";
  }

  private notifyFact(fact: ReportedFact): void {
    this.facts.push(fact);
    for (const listener of this.factListeners) listener.notify(fact);
  }

  private notify(event: RunEvent): void {
    const text = JSON.stringify(event);
    if (this.published.get(event.key)?.text === text) return;
    // An entry that changed moves to the end: a reader that reconnects receives it again.
    this.published.delete(event.key);
    this.published.set(event.key, { text, event });
    const { reportedUntil } = this;
    for (const listener of this.listeners) listener.notify(event, reportedUntil);
  }
}

/** How long a mission is followed when its last reader has gone, in ms: readers whose connection dropped come back. */
const LINGER_MS = 10_000;

/** The tails of all missions that somebody reads. */
export class MissionTails {
  private readonly tails = new Map<string, { tail: MissionTail; timer: NodeJS.Timeout | null }>();

  constructor(
    private readonly temporal: () => Promise<Client>,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /**
   * Follows a mission for a reader, until `leave`.
   *
   * @throws NavigatorError `not_found`
   */
  async join(workflowId: string): Promise<{ tail: MissionTail; leave: () => void }> {
    const temporal = await this.temporal();
    const known = this.tails.get(workflowId);
    const one = known ?? { tail: new MissionTail(temporal, workflowId, this.onTrouble), timer: null };
    if (one.timer !== null) clearTimeout(one.timer);
    one.timer = null;
    this.tails.set(workflowId, one);
    try {
      await one.tail.begun;
    } catch (error) {
      this.tails.delete(workflowId);
      throw error;
    }
    return { tail: one.tail, leave: () => this.left(workflowId, one) };
  }

  /** How many missions are followed, and for how many readers. */
  get load(): { missions: number; readers: number } {
    const tails = [...this.tails.values()];
    return { missions: tails.length, readers: tails.reduce((sum, { tail }) => sum + tail.readers, 0) };
  }

  close(): void {
    for (const { tail, timer } of this.tails.values()) {
      if (timer !== null) clearTimeout(timer);
      tail.stop();
    }
    this.tails.clear();
  }

  private left(workflowId: string, one: { tail: MissionTail; timer: NodeJS.Timeout | null }): void {
    if (one.tail.readers > 0 || one.timer !== null) return;
    one.timer = setTimeout(() => {
      one.timer = null;
      // Somebody came while it was begun, and reads now.
      if (one.tail.readers > 0) return;
      one.tail.stop();
      if (this.tails.get(workflowId) === one) this.tails.delete(workflowId);
    }, LINGER_MS);
    one.timer.unref();
  }
}
