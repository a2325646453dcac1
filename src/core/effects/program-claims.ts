import type { AgentScopes } from "./agent-scopes";
import type { EffectIndex } from "./effect-index";
import { isSamePlace, isWithinScope } from "./effect-key";
import { type LedgerEntry, SETTLES } from "./entry";
import type { TaskResets } from "./task-resets";

/** The claims of a program in its middle as JSON, for continue-as-new. */
export interface ProgramClaimsState {
  program_at: number;
  /** Claimed by its calls, with the tasks around them. */
  calls: [call: number, key: string, task?: string][];
  /** Claimed by recorded tasks. */
  served: [key: string, task: string][];
  /** Claimed by agents that it called. */
  met: string[];
  /** The tasks around these agents; absent = none. */
  met_in?: [key: string, task: string][];
  /** Recorded tasks that run again, and the entries that are open because of that; absent = none. */
  again?: { tasks: string[]; reopened: string[] };
  /** In the middle of a reply with native calls: the entries that finished calls have settled; absent = none. */
  ended?: string[];
}

/** A task that gets its record, and the calls that its body would make again. */
export interface ServedTask {
  task: string;
  /** The ids of the effects of its calls. */
  ids: readonly string[];
  /** The digests of its other calls: they may be of agents. */
  others: readonly string[];
}

/** The parts of the ledger that the claims read. */
interface ClaimedLedger {
  index: EffectIndex;
  scopes: AgentScopes;
  resets: TaskResets;
  /** The agent scope of the run. */
  lane: string;
}

/**
 * The entries of the ledger that the present program has claimed: by its calls, by recorded tasks and by agents that it
 * called (effects reference, section 4). Each entry is claimed once, so of three equal calls the first claims the first
 * open entry, and so on. When the program has succeeded, its entries are settled.
 */
export class ProgramClaims {
  private program_at: number;
  private readonly calls = new Map<number, string>();
  private readonly served: Map<string, string>;
  private readonly met: Set<string>;
  /** All claimed entries by key, and the tasks around the calls that claimed them. */
  private readonly claimed = new Map<string, string | undefined>();
  private readonly again: Set<string>;
  private readonly reopened: Set<string>;
  /** Settled by native calls of the present reply at their end. */
  private readonly ended: Set<string>;
  /** Claimed by the agent of a native call, until the call is over. */
  private readonly metBy = new Map<number, string[]>();
  /** The open entries of tasks; computed when the first of them is looked for. */
  private openInTasks: Map<string, LedgerEntry[]> | undefined;
  /** Of each effect that was looked for: the entries that were open, and how many of them are passed. */
  private readonly cursors = new Map<string, { open: LedgerEntry[]; next: number }>();

  constructor(
    private readonly ledger: ClaimedLedger,
    state?: ProgramClaimsState,
  ) {
    this.program_at = state?.program_at ?? 0;
    this.served = new Map(state?.served);
    this.met = new Set(state?.met);
    this.again = new Set(state?.again?.tasks);
    this.reopened = new Set(state?.again?.reopened);
    this.ended = new Set(state?.ended);
    const around = new Map(state?.met_in);
    for (const key of this.met) if (!this.ended.has(key)) this.claimed.set(key, around.get(key));
    for (const [call, key, task] of state?.calls ?? []) this.claim({ call, task }, key);
    for (const [key, task] of this.served) this.claimed.set(key, task);
  }

  state(): ProgramClaimsState {
    const { again, reopened, ended } = this;
    return {
      program_at: this.program_at,
      calls: [...this.calls].map(([call, key]) => {
        const task = this.claimed.get(key);
        return task === undefined ? [call, key] : [call, key, task];
      }),
      served: [...this.served],
      met: [...this.met],
      ...this.metIn(),
      ...(again.size === 0 ? {} : { again: { tasks: [...again], reopened: [...reopened] } }),
      ...(ended.size === 0 ? {} : { ended: [...ended] }),
    };
  }

  private metIn(): Pick<ProgramClaimsState, "met_in"> {
    const met_in = [...this.met].flatMap((key): [string, string][] => {
      const task = this.claimed.get(key);
      return task === undefined ? [] : [[key, task]];
    });
    return met_in.length === 0 ? {} : { met_in };
  }

  /** When the program began, ms since 1970. A replay gives the same time, also after local activities. */
  get at(): number {
    return this.program_at;
  }

  // --- from the beginning of a program to its end ------------------------------------------------------------------

  begin(at: number): void {
    this.program_at = at;
    this.calls.clear();
    this.served.clear();
    this.met.clear();
    this.claimed.clear();
    this.again.clear();
    this.reopened.clear();
    this.ended.clear();
    this.metBy.clear();
    this.openInTasks = undefined;
    this.cursors.clear();
  }

  end(succeeded: boolean): void {
    const { index } = this.ledger;
    if (succeeded) {
      const claimed = [...this.calls.values(), ...this.served.keys(), ...this.met, ...this.reopened];
      for (const key of claimed) this.settle(key);
      return;
    }
    this.openReset();
    for (const entry of [...this.ended].flatMap((key) => index.get(key) ?? [])) index.setSettled(entry, false);
  }

  /** Opens the effects that the program made before its own resets: the next program asks for all of its effects again. */
  private openReset(): void {
    const { index, resets } = this.ledger;
    const entries = [...resets.settledHere].flatMap((key) => {
      const entry = this.claimed.has(key) ? index.get(key) : undefined;
      return entry?.settled && entry.state !== "undone" ? [entry] : [];
    });
    for (const entry of entries) index.setSettled(entry, false);
  }

  settle(key: string): void {
    const { index } = this.ledger;
    const entry = index.get(key);
    if (entry && SETTLES.includes(entry.state)) index.setSettled(entry, true);
  }

  // --- the claims of calls -----------------------------------------------------------------------------------------

  /** The entry that a call has claimed before a pause. */
  entryOf(call: number): LedgerEntry | undefined {
    const key = this.calls.get(call);
    return key === undefined ? undefined : this.ledger.index.get(key);
  }

  has(key: string): boolean {
    return this.claimed.has(key);
  }

  claim({ call, task }: { call: number; task?: string | undefined }, key: string): void {
    this.calls.set(call, key);
    this.claimed.set(key, task);
  }

  /** @returns the entry that the call had claimed */
  release(call: number): LedgerEntry | undefined {
    const key = this.calls.get(call);
    if (key === undefined) return undefined;
    this.calls.delete(call);
    this.claimed.delete(key);
    this.cursors.clear();
    return this.ledger.index.get(key);
  }

  /** A later call may claim the entry. The call that had claimed it keeps its key. */
  free(key: string): void {
    this.claimed.delete(key);
  }

  /** The entries are looked for from the beginning again: some that were passed are free now. */
  searchAgain(): void {
    this.cursors.clear();
  }

  /**
   * The first open entry of an effect that is not claimed. The order prevents that an effect is made again while an equal
   * one stands for it: done effects first, then those of this run's agent scope, and contested ones last.
   */
  nextOpen(id: string): LedgerEntry | undefined {
    const { index, scopes, lane: own } = this.ledger;
    let cursor = this.cursors.get(id);
    if (cursor === undefined) {
      const open = index.openOf(id).filter(({ lane: scope }) => scope === own || !scopes.isRunning(scope));
      const place = ({ state, lane: scope, contested }: LedgerEntry) =>
        (contested ? 4 : 0) + (state === "done" ? 0 : 2) + (scope === own ? 0 : 1);
      cursor = { open: open.sort((a, b) => place(a) - place(b)), next: 0 };
      this.cursors.set(id, cursor);
    }
    for (; cursor.next < cursor.open.length; cursor.next++) {
      const entry = cursor.open[cursor.next] as LedgerEntry;
      if (!this.claimed.has(entry.key) && !entry.pending) return entry;
    }
    return undefined;
  }

  /** The entry has another key. */
  rekey(before: string, key: string): void {
    for (const [call, claimed] of this.calls) if (claimed === before) this.calls.set(call, key);
    const task = this.served.get(before);
    if (task !== undefined) this.served.set(key, task);
    this.served.delete(before);
    if (this.met.delete(before)) this.met.add(key);
    if (this.claimed.has(before)) this.claimed.set(key, this.claimed.get(before));
    this.claimed.delete(before);
  }

  /**
   * A native call is over (agent reference, section 15). For equal calls it counts as a program: its effect is settled, so
   * that a later equal call of the reply is compared with it, and an effect that it did not make is free for that call. If
   * the reply ends with a failure after all, everything is open again.
   *
   * @param task its record
   */
  endCall(call: number, task: string | undefined): void {
    const { index } = this.ledger;
    const own = this.calls.get(call);
    const served = [...this.served].flatMap(([key, of]) => (of === task ? [key] : []));
    for (const key of [...(own === undefined ? [] : [own]), ...served, ...(this.metBy.get(call) ?? [])]) {
      const entry = index.get(key);
      const isOver = entry !== undefined && SETTLES.includes(entry.state);
      if (isOver && !entry.settled) {
        index.setSettled(entry, true);
        this.ended.add(key);
      }
      this.claimed.delete(key);
      this.served.delete(key);
      if (!isOver) this.met.delete(key);
    }
    this.calls.delete(call);
    this.metBy.delete(call);
    this.cursors.clear();
  }

  // --- the claims of agents ----------------------------------------------------------------------------------------

  /** Whether an agent of this program has claimed the entry. */
  isMet(key: string): boolean {
    return this.met.has(key);
  }

  /** The agent of a call claims the entry. */
  meet({ call, task }: { call: number; task: string | undefined }, key: string): void {
    this.met.add(key);
    this.claimed.set(key, task);
    const ofCall = this.metBy.get(call);
    if (ofCall === undefined) this.metBy.set(call, [key]);
    else ofCall.push(key);
  }

  // --- recorded tasks ----------------------------------------------------------------------------------------------

  /**
   * Claims the effects of a recorded task. @returns whether the task may get its record: another call of this program may
   * have claimed one of them
   *
   * @param inside recorded tasks in its body
   */
  serve(task: ServedTask, inside: readonly ServedTask[]): boolean {
    const served = this.unclaimedOf([task, ...inside]);
    if (served === null) return false;
    for (const [{ key }, of] of served) {
      this.served.set(key, of);
      this.claimed.set(key, of);
    }
    return true;
  }

  /** The open effects in the records of these tasks, and the task of each; null if another call has claimed one. */
  private unclaimedOf(tasks: readonly ServedTask[]): Map<LedgerEntry, string> | null {
    const found = new Map<LedgerEntry, string>();
    const isFree = ({ key }: LedgerEntry, task: string) => !this.claimed.has(key) || this.claimed.get(key) === task;
    for (const { task, ids, others } of tasks) {
      for (const id of ids) {
        const open = this.ledger.index
          .openForCall(id)
          .filter((entry) => isOfTask(entry, task) && SETTLES.includes(entry.state) && !found.has(entry));
        if (open.length === 0) continue;
        const free = open.find((entry) => isFree(entry, task));
        if (free === undefined) return null;
        found.set(free, task);
      }
      for (const entry of this.doneByAgents(task, others)) {
        if (!isFree(entry, task)) return null;
        found.set(entry, task);
      }
    }
    return found;
  }

  /** The effects of agents that a task called, in work that did not succeed. @param asked the digests of its calls */
  private doneByAgents(task: string, asked: readonly string[]): LedgerEntry[] {
    const { index, scopes } = this.ledger;
    const left = new Map<string, string[]>();
    const made = asked.flatMap((digest) => {
      const known = left.get(digest) ?? scopes.scopesOf(task, digest);
      left.set(digest, known);
      return known.splice(0, 1);
    });
    if (made.length === 0) return [];
    return index
      .all()
      .filter(
        ({ lane: scope, state, settled }) =>
          !settled && SETTLES.includes(state) && made.some((outer) => isWithinScope(scope, outer)),
      );
  }

  /** A recorded task runs again: a call that asks for one of its effects claims the same entry. */
  rerun(task: string): void {
    const { index, lane: scope } = this.ledger;
    this.again.add(task);
    this.cursors.clear();
    for (const entry of index.all()) {
      if (entry.task !== task || entry.lane !== scope || !entry.settled || entry.state === "undone") continue;
      index.setSettled(entry, false);
      this.reopened.add(entry.key);
    }
  }

  /** Another effect that a task has made in work that did not succeed, and that no call of this program has claimed. */
  unrecorded({ id }: LedgerEntry, task: string): LedgerEntry | undefined {
    const { index, resets, lane: scope } = this.ledger;
    if (this.again.has(task)) return undefined;
    this.openInTasks ??= byTask(index.all().filter((entry) => !entry.settled && isSamePlace(entry.lane, scope)));
    return this.openInTasks
      .get(task)
      ?.findLast(
        (entry) =>
          !entry.settled &&
          !entry.pending &&
          SETTLES.includes(entry.state) &&
          !this.claimed.has(entry.key) &&
          entry.id !== id &&
          entry.asked !== id &&
          !resets.hasReset(entry.key),
      );
  }

  /**
   * The effects in the present record of a task: those that this program has claimed, if there are any. Effects that a
   * failed program made after an earlier reset are not claimed yet.
   *
   * @param own all effects of the task
   */
  ofRecord(own: readonly LedgerEntry[]): readonly LedgerEntry[] {
    const here = own.filter(({ key }) => this.claimed.has(key));
    const toCome = own.some((entry) => !entry.settled && !this.claimed.has(entry.key));
    return here.length > 0 && toCome ? here : own;
  }
}

function byTask(entries: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  const tasks = new Map<string, LedgerEntry[]>();
  for (const entry of entries) {
    if (entry.task === undefined) continue;
    const one = tasks.get(entry.task);
    if (one) one.push(entry);
    else tasks.set(entry.task, [entry]);
  }
  return tasks;
}

const isOfTask = (entry: LedgerEntry, task: string): boolean =>
  entry.task === task || entry.tasks?.includes(task) === true;
