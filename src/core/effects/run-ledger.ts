import { callDigest } from "../base/call-digest";
import { defined } from "../base/defined";
import type { Json, JsonObject } from "../base/json";
import { AgentLanes, type AgentLanesState } from "./agent-lanes";
import { type EffectSpec, effectId } from "./effect-id";
import { effectKey, isSamePlace, isWithinLane, readKey, sharedKey } from "./effect-key";
import type { AskingReply, EffectNews } from "./effect-news";
import {
  type EffectEntry,
  type EffectFacts,
  entryForPeople,
  keptAnswer,
  keptArgs,
  type LedgerEntry,
  MAX_MESSAGE_CHARS,
  NOT_DONE,
  SETTLES,
} from "./entry";
import { type GivenLedger, lendable } from "./given-ledger";
import { type CarriedEffects, Ledger } from "./ledger";
import { type PackedLedger, packLedger, unpackLedger } from "./packed-ledger";
import { policyForEqual } from "./policies";
import { TaskResets, type TaskResetsState } from "./task-resets";

/** The ledger of a run as JSON, for continue-as-new. */
export interface LedgerState extends CarriedEffects, AgentLanesState, TaskResetsState {
  lane: string;
  program_at: number;
  /** In the middle of a program: the entries of its calls, of tasks that it was given and of agents that it called. */
  calls: [call: number, key: string, task?: string][];
  served: [key: string, task: string][];
  met: string[];
  /** The tasks around the agents that met effects; absent = none. */
  met_in?: [key: string, task: string][];
  /** Recorded tasks that run again, and the keys of effects that are open because of that; absent = none. */
  again?: { tasks: string[]; reopened: string[] };
  /** In the middle of a reply with native calls: what those that are over have settled; absent = nothing. */
  ended?: string[];
}

/** What a call means: a new effect, or one that the ledger has. */
export interface EffectClaim {
  entry: LedgerEntry;
  /** `new`: it is not in the ledger. `same`: it was meant before, in work that did not succeed. */
  kind: "new" | "same";
  /** An equal effect after which the mission went on. */
  equal?: LedgerEntry;
}

/** The call of a tool, as far as the ledger needs it. */
export interface MeantCall {
  /** 1-based number of the call within the turn. */
  call: number;
  turn: number;
  task?: string;
  args: JsonObject;
}

/** A task that is given its record, and what the calls are that its body makes again. */
export interface ServedTask {
  task: string;
  /** The ids of the effects of its calls. */
  ids: readonly string[];
  /** The digests of its other calls: they may be of agents. */
  others: readonly string[];
}

/** What is said of an entry. */
export type LedgerChange = Partial<Pick<LedgerEntry, "state" | "answer" | "message" | "by" | "reused" | "held_by">>;

/**
 * The effects of a run and of the agents below it, and which of them a call means (effects reference, section 4). An
 * entry is open as long as the work that made it has not succeeded: an equal call means that entry. A program's calls
 * are counted: of three equal ones the first means the first open entry, and so on. When the program has succeeded, the
 * entries that its calls meant are settled.
 */
export class RunLedger extends Ledger {
  private readonly lanes: AgentLanes;
  private readonly resets: TaskResets;
  private program_at = 0;
  private readonly calls = new Map<number, string>();
  private served = new Map<string, string>();
  private met = new Set<string>();
  /** The entries that the program's calls and its recorded tasks mean, by key, and the tasks around those calls. */
  private readonly claimed = new Map<string, string | undefined>();
  /** Recorded tasks that run again in this program, and what is open because of that. */
  private readonly again = new Set<string>();
  private readonly reopened = new Set<string>();
  /** What native calls of the present reply have settled at their end. */
  private readonly ended = new Set<string>();
  /** What the agents have met that such calls ran, until the call is over. */
  private readonly metBy = new Map<number, string[]>();
  /** The open entries of tasks, when the first of them is looked for in a program. */
  private openInTasks: Map<string, LedgerEntry[]> | undefined;
  /** Of each effect that the program has meant: the entries that were open, and how many of them are passed. */
  private readonly cursors = new Map<string, { open: LedgerEntry[]; next: number }>();
  private listener: (entry: EffectEntry) => void = () => {};
  private asking: (reply: AskingReply) => void = () => {};
  private told: (news: EffectNews) => void = () => {};

  constructor(given: GivenLedger, state?: LedgerState) {
    super(given, state);
    this.lanes = new AgentLanes(given.lane, state, given.owned ? nextEpoch(this.index.all()) : 0);
    this.resets = new TaskResets(state);
    if (state === undefined) return;
    this.program_at = state.program_at;
    this.served = new Map(state.served);
    this.met = new Set(state.met);
    for (const key of state.ended ?? []) this.ended.add(key);
    const around = new Map(state.met_in);
    for (const key of state.met) if (!this.ended.has(key)) this.claimed.set(key, around.get(key));
    for (const [call, key, task] of state.calls) {
      this.calls.set(call, key);
      this.claimed.set(key, task);
    }
    for (const [key, task] of state.served) this.claimed.set(key, task);
    for (const task of state.again?.tasks ?? []) this.again.add(task);
    for (const key of state.again?.reopened ?? []) this.reopened.add(key);
  }

  state(): LedgerState {
    return {
      ...this.carried(),
      ...this.lanes.state(),
      ...this.resets.state(),
      lane: this.lane,
      program_at: this.program_at,
      calls: [...this.calls].map(([call, key]) => {
        const task = this.claimed.get(key);
        return task === undefined ? [call, key] : [call, key, task];
      }),
      served: [...this.served],
      met: [...this.met],
      ...this.metIn(),
      ...(this.again.size === 0 ? {} : { again: { tasks: [...this.again], reopened: [...this.reopened] } }),
      ...(this.ended.size === 0 ? {} : { ended: [...this.ended] }),
    };
  }

  private metIn(): Pick<LedgerState, "met_in"> {
    const met_in = [...this.met].flatMap((key): [string, string][] => {
      const task = this.claimed.get(key);
      return task === undefined ? [] : [[key, task]];
    });
    return met_in.length === 0 ? {} : { met_in };
  }

  /** Hears of changes that no event of their own tells of. */
  onChange(listener: (entry: EffectEntry) => void): void {
    this.listener = listener;
  }

  /** Hears of each state of an effect, whether an event tells of it or not; of a call that begins its host knows more. */
  onState(told: (news: EffectNews) => void): void {
    this.told = told;
  }

  /** Hears of the reply that asks for the effects that follow. */
  onProgram(asking: (reply: AskingReply) => void): void {
    this.asking = asking;
  }

  private tellState(entry: LedgerEntry, more: Partial<EffectNews> = {}): void {
    const { key, tool, effect, state } = entry;
    this.told({ key, tool, effect, state, ...more });
  }

  override markUndone(keys: readonly string[]): void {
    const done = keys.flatMap((key) => this.index.get(key) ?? []).filter(({ state }) => state !== "undone");
    super.markUndone(keys);
    for (const entry of done) this.tellState(entry);
  }

  /** When the present program began, ms since 1970. The same on every replay, also behind local activities. */
  get programAt(): number {
    return this.program_at;
  }

  // --- the calls of a program --------------------------------------------------------------------------------------

  /**
   * A program begins. One that goes on after a pause has begun before.
   *
   * @param reply of the model: its program, or its calls
   */
  beginProgram(at: number, reply?: AskingReply): void {
    this.program_at = at;
    if (reply !== undefined) this.asking(reply);
    this.forgetProgram();
  }

  private forgetProgram(): void {
    this.lanes.beginProgram();
    this.resets.beginProgram();
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

  /** The program is over. Only after success an equal call means another effect. */
  endProgram(succeeded: boolean): void {
    if (succeeded)
      for (const key of [...this.calls.values(), ...this.served.keys(), ...this.met, ...this.reopened])
        this.settle(key);
    else {
      this.openReset();
      for (const entry of [...this.ended].flatMap((key) => this.index.get(key) ?? []))
        this.index.setSettled(entry, false);
    }
    if (succeeded) this.lanes.programSucceeded();
    this.resets.endProgram(succeeded);
    this.forgetProgram();
  }

  /** What the program has done before its own resets is open like its other effects: the next one asks for all of them. */
  private openReset(): void {
    const entries = [...this.resets.settledHere].flatMap((key) => {
      const entry = this.claimed.has(key) ? this.index.get(key) : undefined;
      return entry?.settled && entry.state !== "undone" ? [entry] : [];
    });
    for (const entry of entries) this.index.setSettled(entry, false);
  }

  /** What a call of a tool with effects means. Made again after a pause, it means the same entry. */
  claim(spec: EffectSpec, meant: MeantCall, now: number): EffectClaim {
    const { call, task, args } = meant;
    const claimed = this.calls.get(call);
    const before = claimed === undefined ? undefined : this.index.get(claimed);
    if (before && !before.pending) return { entry: before, kind: "same" };
    const id = effectId(spec, args);
    const same = before || spec.repeatable ? undefined : this.nextOpen(id);
    if (same) {
      this.mean(meant, same);
      return { entry: same, kind: "same" };
    }
    const earlier = spec.repeatable ? undefined : this.index.settledOf(id);
    const entry = before ?? this.newEntry(spec, id, meant, now);
    this.mean(meant, entry);
    const asked = !spec.repeatable && this.isAskedByReset(entry, task);
    return { entry, kind: "new", ...(earlier && !asked ? { equal: earlier } : {}) };
  }

  /** Whether a reset of the task asks for this new effect, so that it is compared with no earlier one. */
  private isAskedByReset({ id, key }: LedgerEntry, task: string | undefined): boolean {
    return task !== undefined && this.resets.use(task, id, key);
  }

  /** The call asks for another effect that is equal to this one. A contested one may be what a later call means. */
  another(spec: EffectSpec, entry: LedgerEntry, meant: MeantCall, now: number): LedgerEntry {
    if (entry.contested) {
      this.claimed.delete(entry.key);
      this.cursors.clear();
    } else this.settle(entry.key);
    const next = this.newEntry(spec, entry.id, meant, now);
    this.mean(meant, next);
    return next;
  }

  /** The call means nothing after all: it is not made, or it is made with other arguments. */
  release(call: number): void {
    const key = this.calls.get(call);
    if (key === undefined) return;
    this.calls.delete(call);
    this.claimed.delete(key);
    if (this.index.get(key)?.pending) {
      this.index.remove(key);
      this.resets.giveBack(key);
    }
    this.cursors.clear();
  }

  /**
   * A native call is over (agent reference, section 15). As far as equal calls are concerned each is a program of its own: what
   * it did is settled, so that an equal one behind it in the reply is compared with it; what it did not do, that one may mean.
   * If the reply ends with a failure after all, everything is open again.
   *
   * @param task its record
   */
  endCall(call: number, task: string | undefined): void {
    const own = this.calls.get(call);
    const served = [...this.served].flatMap(([key, of]) => (of === task ? [key] : []));
    for (const key of [...(own === undefined ? [] : [own]), ...served, ...(this.metBy.get(call) ?? [])]) {
      const entry = this.index.get(key);
      const isOver = entry !== undefined && SETTLES.includes(entry.state);
      if (isOver && !entry.settled) {
        this.index.setSettled(entry, true);
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

  /**
   * Whether a task that is given its record may be: the effects of its record are not another call's in this program.
   *
   * @param inside recorded tasks in its body
   */
  serve(task: ServedTask, inside: readonly ServedTask[]): boolean {
    const served = this.heldBy([task, ...inside]);
    if (served === null) return false;
    for (const [{ key }, of] of served) {
      this.served.set(key, of);
      this.claimed.set(key, of);
    }
    return true;
  }

  /** The open effects that the records of these tasks hold, and the task of each; null if another call means one. */
  private heldBy(tasks: readonly ServedTask[]): Map<LedgerEntry, string> | null {
    const held = new Map<LedgerEntry, string>();
    const isFree = ({ key }: LedgerEntry, task: string) => !this.claimed.has(key) || this.claimed.get(key) === task;
    for (const { task, ids, others } of tasks) {
      for (const id of ids) {
        const open = this.index
          .openOf(id)
          .filter((entry) => isOfTask(entry, task) && SETTLES.includes(entry.state) && !held.has(entry));
        if (open.length === 0) continue;
        const free = open.find((entry) => isFree(entry, task));
        if (free === undefined) return null;
        held.set(free, task);
      }
      for (const entry of this.doneByAgents(task, others)) {
        if (!isFree(entry, task)) return null;
        held.set(entry, task);
      }
    }
    return held;
  }

  /** What agents have done that a task called, in work that did not succeed. @param asked the digests of its calls */
  private doneByAgents(task: string, asked: readonly string[]): LedgerEntry[] {
    const left = new Map<string, string[]>();
    const lanes = asked.flatMap((digest) => {
      const known = left.get(digest) ?? this.lanes.lanesOf(task, digest);
      left.set(digest, known);
      return known.splice(0, 1);
    });
    if (lanes.length === 0) return [];
    return this.index
      .all()
      .filter(
        ({ lane, state, settled }) =>
          !settled && SETTLES.includes(state) && lanes.some((outer) => isWithinLane(lane, outer)),
      );
  }

  /** A recorded task runs again: what it has done is the same effect, if it is asked for again. */
  rerun(task: string): void {
    this.again.add(task);
    this.cursors.clear();
    for (const entry of this.index.all()) {
      if (entry.task !== task || entry.lane !== this.lane || !entry.settled || entry.state === "undone") continue;
      this.index.setSettled(entry, false);
      this.reopened.add(entry.key);
    }
  }

  /** What a task has done under its id in work that did not succeed, and that nothing in this program asks for. */
  unrecorded({ id }: LedgerEntry, task: string): LedgerEntry | undefined {
    if (this.again.has(task)) return undefined;
    this.openInTasks ??= byTask(
      this.index.all().filter((entry) => !entry.settled && isSamePlace(entry.lane, this.lane)),
    );
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
          !this.resets.hasReset(entry.key),
      );
  }

  /**
   * A task was reset: what it has done is settled, and its next effect is meant as another one. Resets are counted: a
   * program that runs again asks for the same ones. One without a record is counted only.
   */
  noteReset(task: string, isRecorded: boolean): void {
    if (!this.resets.note(task, isRecorded)) return;
    const all = this.index.all();
    const own = all.filter((entry) => entry.task === task && entry.lane === this.lane);
    const recorded = this.recordedNow(own);
    for (const entry of recorded) {
      this.resets.noteEffect(task, entry, !entry.settled);
      this.index.setSettled(entry, true);
    }
    for (const entry of all)
      if (isSameTask(entry, task, this.lane) || this.lanes.isOfTask(entry.lane, task))
        this.resets.noteEffect(task, entry, false);
  }

  /**
   * Of the effects of a task those of its present record: the ones that this program means, if there are any. What a
   * failed program has done behind an earlier reset is still to come.
   */
  private recordedNow(own: LedgerEntry[]): LedgerEntry[] {
    const here = own.filter(({ key }) => this.claimed.has(key));
    const toCome = own.some((entry) => !entry.settled && !this.claimed.has(entry.key));
    return here.length > 0 && toCome ? here : own;
  }

  /** The mission begins again with its journal: what no record holds is open again. */
  reopen(isRecorded: (task: string) => boolean): void {
    this.forgetProgram();
    for (const entry of this.index.all())
      if (entry.task === undefined || !isRecorded(entry.task)) this.index.setSettled(entry, false);
  }

  // --- what becomes of an effect -----------------------------------------------------------------------------------

  /** Its call is made now. */
  intend(entry: LedgerEntry, { turn, task, args }: MeantCall, facts: EffectFacts): void {
    for (const name of ABOUT_EARLIER_CALL) delete entry[name];
    const { kind: _, ...told } = facts;
    Object.assign(entry, { state: "intended", turn }, task === undefined ? {} : { task }, keptArgs(args), told);
  }

  /** The key within the mission: it names what the mission means, whoever makes it. */
  deedOf({ id, lane, n }: LedgerEntry): string {
    return effectKey({ mission: this.mission, id, lane, n });
  }

  /** Whether another entry is the effect with this number among its equals of all missions, and was not given up. */
  isMet(entry: LedgerEntry, n: number): boolean {
    const met = this.index.get(sharedKey(this.mission, entry.id, n));
    return met !== undefined && met !== entry && !NOT_DONE.includes(met.state);
  }

  /** The effect is one that all missions share, the one with this number among its equals. */
  share(entry: LedgerEntry, n: number): void {
    const before = entry.key;
    const key = sharedKey(this.mission, entry.id, n);
    delete entry.held_by;
    if (before === key) return;
    const givenUp = this.index.get(key);
    if (givenUp) this.giveUp(givenUp);
    entry.deed = this.deedOf(entry);
    this.rekey(entry, key);
  }

  /** Its call had failed, and another entry takes its number: it has the key of this mission again. */
  private giveUp(entry: LedgerEntry): void {
    this.rekey(entry, this.deedOf(entry));
    this.listener(entryForPeople(entry));
  }

  private rekey(entry: LedgerEntry, key: string): void {
    const before = entry.key;
    this.index.rekey(entry, key);
    if (key === entry.deed) delete entry.deed;
    for (const [call, meant] of this.calls) if (meant === before) this.calls.set(call, key);
    const task = this.served.get(before);
    if (task !== undefined) this.served.set(key, task);
    this.served.delete(before);
    if (this.met.delete(before)) this.met.add(key);
    if (this.claimed.has(before)) this.claimed.set(key, this.claimed.get(before));
    this.claimed.delete(before);
    this.resets.rekey(before, key);
  }

  /** Another mission has made the effect, or may have. */
  meet(entry: LedgerEntry, n: number, change: LedgerChange): void {
    this.share(entry, n);
    this.tell(entry, change);
  }

  /** The call was not made after all. */
  forget(entry: LedgerEntry): void {
    this.tellState(entry, { state: "refused" });
    this.index.remove(entry.key);
    this.claimed.delete(entry.key);
    this.resets.giveBack(entry.key);
  }

  /** An effect may be undone before its run hears of the answer. */
  done(entry: LedgerEntry, answer: Json): void {
    Object.assign(entry, entry.state === "undone" ? {} : { state: "done" }, keptAnswer(answer));
    delete entry.message;
    delete entry.lent;
    this.tellState(entry, { state: "done", answer });
  }

  failed(entry: LedgerEntry, message: string): void {
    if (entry.state === "undone") return;
    Object.assign(entry, { state: "failed", message: message.slice(0, MAX_MESSAGE_CHARS) });
    this.tellState(entry, defined({ message: entry.message }));
  }

  unknown(entry: LedgerEntry): void {
    if (entry.state === "undone") return;
    entry.state = "unknown";
    this.tellState(entry);
  }

  /** Says something of an entry that no event of its own tells of. */
  tell(entry: LedgerEntry, change: LedgerChange): void {
    if (change.answer !== undefined) Object.assign(change, keptAnswer(change.answer));
    Object.assign(entry, change, entry.state === "undone" ? { state: "undone" } : {});
    delete entry.lent;
    delete entry.pending;
    delete entry.contested;
    this.listener(entryForPeople(entry));
    if (Object.keys(change).length > 0) this.tellState(entry, defined(change));
  }

  /** The effects of a task, in the order in which they were meant: of the run's own calls, and of agents that it called there. */
  ofTask(task: string): EffectEntry[] {
    return this.own().filter((entry) =>
      entry.lane === this.lane ? entry.task === task : this.lanes.isOfTask(entry.lane, task),
    );
  }

  // --- agents below this run ---------------------------------------------------------------------------------------

  /**
   * What an agent is given that this run calls: its lane, and what it may meet again. A call that is equal to one of a
   * program that did not succeed gets the lane of that one.
   *
   * @param asked what the agent is called with
   * @param task around the call
   */
  lend(tool: string, call: number, asked: JsonObject, task?: string): GivenLedger {
    const { reads } = this;
    const lane = this.lanes.laneOf(tool, call, callDigest({ tool, args: asked }));
    const all = this.index.all();
    const unclaimed = all.filter(({ key }) => !this.claimed.has(key));
    // Its numbers go on behind those of its earlier run, also where another call means what that has done.
    const withheld = all.filter((entry) => entry.lane === lane && !entry.settled && this.claimed.has(entry.key));
    const lent = lendable(unclaimed, lane, () => this.lanes.areRunning);
    const effects = [...lent, ...withheld.map((entry) => ({ ...entry, withheld: true as const }))];
    this.lanes.begin(lane, task);
    return { mission: this.mission, lane, ...defined({ reads }), effects: packLedger(this.mission, effects) };
  }

  /**
   * An agent has ended: what it has done, and what it met of the effects that it was lent. All that is meant by the
   * present program, and open until that has succeeded.
   */
  agentEnded(call: number, effects: PackedLedger | undefined): void {
    this.lanes.end(call);
    const task = this.lanes.taskOf(call);
    const handedBack = effects === undefined ? [] : unpackLedger(effects);
    const twice = handedBack.filter(({ key }) => this.met.has(key));
    for (const entry of handedBack) {
      const isSettled = this.isSettled(entry);
      this.index.put({ ...entry, settled: isSettled });
      // Its answer was given again after the mission had gone on: it stays what it was.
      if (isSettled) continue;
      this.noteMet(call, entry.key, task);
    }
    // What it did not meet is free for the calls behind it.
    this.cursors.clear();
    // Two agents beside each other were given the answer of one effect: the second one stands for the next of its equals.
    for (const { id } of twice) {
      const next = this.nextOpen(id);
      if (next === undefined || !SETTLES.includes(next.state)) continue;
      this.noteMet(call, next.key, task);
    }
  }

  private noteMet(call: number, key: string, task: string | undefined): void {
    this.met.add(key);
    this.claimed.set(key, task);
    const ofCall = this.metBy.get(call);
    if (ofCall === undefined) this.metBy.set(call, [key]);
    else ofCall.push(key);
  }

  /** The key of a call without an effect. */
  readKey(place: string): string {
    return readKey(this.reads ?? this.mission, this.lane, place);
  }

  private settle(key: string): void {
    const entry = this.index.get(key);
    if (entry && SETTLES.includes(entry.state)) this.index.setSettled(entry, true);
  }

  private mean({ call, task }: MeantCall, entry: LedgerEntry): void {
    this.calls.set(call, entry.key);
    this.claimed.set(entry.key, task);
  }

  /**
   * The first open entry of an effect that nothing else in the program means: one that is done before others, so that
   * none is done again while another one stands for it; then of this lane. What agents beside this one may mean as
   * well comes last.
   */
  private nextOpen(id: string): LedgerEntry | undefined {
    let cursor = this.cursors.get(id);
    if (cursor === undefined) {
      const open = this.index.openOf(id).filter(({ lane }) => lane === this.lane || !this.lanes.isRunning(lane));
      const place = ({ state, lane, contested }: LedgerEntry) =>
        (contested ? 4 : 0) + (state === "done" ? 0 : 2) + (lane === this.lane ? 0 : 1);
      cursor = { open: open.sort((a, b) => place(a) - place(b)), next: 0 };
      this.cursors.set(id, cursor);
    }
    for (; cursor.next < cursor.open.length; cursor.next++) {
      const entry = cursor.open[cursor.next] as LedgerEntry;
      if (!this.claimed.has(entry.key) && !entry.pending) return entry;
    }
    return undefined;
  }

  private newEntry(spec: EffectSpec, id: string, { call, turn, task, args }: MeantCall, now: number): LedgerEntry {
    const { mission, lane } = this;
    const n = this.index.nextNumber(id, lane);
    const entry: LedgerEntry = {
      key: effectKey({ mission, id, lane, n }),
      id,
      tool: spec.name,
      effect: spec.effect === "irreversible" ? "irreversible" : "write",
      state: "intended",
      lane,
      n,
      at: now,
      turn,
      call,
      ...(task === undefined ? {} : { task }),
      ...(spec.identity === undefined ? {} : { identity: spec.identity }),
      ...keptArgs(args),
      ...(policyForEqual(spec) === "run" ? {} : { compared: true as const }),
      settled: false,
      pending: true,
    };
    this.index.put(entry);
    return entry;
  }
}

/** What is known of an earlier call of an effect, and no longer holds when it is made again. */
const ABOUT_EARLIER_CALL = [
  "task",
  "args",
  "answer",
  "message",
  "by",
  "reused",
  "taken_from",
  "resembles",
  "held_by",
  "lent",
  "pending",
  "contested",
  "tasks",
] as const;

/** Behind the agents of the mission that was taken over: a new agent has no lane, and so no key, of one of these. */
function nextEpoch(taken: readonly LedgerEntry[]): number {
  return taken.reduce((next, { lane }) => Math.max(next, Number(/^(\d+)\./.exec(lane)?.[1] ?? -1) + 1), 0);
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

/** Work at the same place that another attempt has done before. */
const isSameTask = (entry: LedgerEntry, task: string, lane: string): boolean =>
  entry.task === task && entry.lane !== lane && isSamePlace(entry.lane, lane);

const isOfTask = (entry: LedgerEntry, task: string): boolean =>
  entry.task === task || entry.tasks?.includes(task) === true;
