import { callDigest } from "../base/call-digest";
import { defined } from "../base/defined";
import type { Json, JsonObject } from "../base/json";
import { cutText } from "../base/whole-characters";
import { AgentScopes, type AgentScopesState } from "./agent-scopes";
import { withoutDefaults } from "./declared-input";
import { type EffectSpec, effectId } from "./effect-id";
import { effectKey, isSamePlace, readKey, sharedKey } from "./effect-key";
import type { AskingReply, EffectNews } from "./effect-news";
import { lacksIdentity } from "./effect-settings";
import {
  type EffectEntry,
  type EffectFacts,
  entryForPeople,
  keptAnswer,
  keptArgs,
  type LedgerEntry,
  MAX_MESSAGE_CHARS,
  MAY_BE_DONE,
  NOT_DONE,
  SETTLES,
} from "./entry";
import { type GivenLedger, lendable } from "./given-ledger";
import { type ContinuedEffects, Ledger } from "./ledger";
import { type PackedLedger, packLedger, unpackLedger } from "./packed-ledger";
import { policyForEqual } from "./policies";
import { ProgramClaims, type ProgramClaimsState } from "./program-claims";
import { TaskResets, type TaskResetsState } from "./task-resets";
import { firmDigest, isTwin } from "./twin";

/** The ledger of a run as JSON, for continue-as-new. */
export interface LedgerState extends ContinuedEffects, AgentScopesState, TaskResetsState, ProgramClaimsState {
  lane: string;
}

/** The entry of a call. */
interface EffectClaim {
  entry: LedgerEntry;
  /** `same`: the ledger had the entry from work that did not succeed. */
  kind: "new" | "same";
  /** The last equal effect of work that succeeded. */
  equal?: LedgerEntry;
}

/** The call of a tool, as far as the ledger needs it. */
interface LedgerCall {
  /** 1-based number of the call within the turn. */
  call: number;
  turn: number;
  task?: string;
  args: JsonObject;
}

/** The facts about an entry that can change after its call. */
type LedgerChange = Partial<Pick<LedgerEntry, "state" | "answer" | "message" | "by" | "reused" | "held_by">>;

/**
 * The effects of a run and of the agents below it (effects reference, section 4). An entry is open as long as the work that
 * made it has not succeeded: an equal call is the same effect. `program` has the entries that the present program claimed.
 */
export class RunLedger extends Ledger {
  readonly program: ProgramClaims;
  private readonly scopes: AgentScopes;
  private readonly resets: TaskResets;
  /** By key: effects that a person is asked about, because a call is perhaps one of them. */
  private readonly questions = new Map<string, Promise<void>>();
  private changed: (entry: EffectEntry) => void = () => {};
  private asking: (reply: AskingReply) => void = () => {};
  private news: (news: EffectNews) => void = () => {};

  constructor(given: GivenLedger, state?: LedgerState) {
    super(given, state);
    this.scopes = new AgentScopes(given.lane, state, given.owned ? nextEpoch(this.index.all()) : 0);
    this.resets = new TaskResets(state);
    const { index, scopes, resets, lane: scope } = this;
    this.program = new ProgramClaims({ index, scopes, resets, lane: scope }, state);
  }

  state(): LedgerState {
    const { lane: scope, scopes, resets, program } = this;
    return { ...this.continueState(), ...scopes.state(), ...resets.state(), lane: scope, ...program.state() };
  }

  // --- listeners ---------------------------------------------------------------------------------------------------

  /** Sets the listener for changes that are in no event of the history. */
  onChange(listener: (entry: EffectEntry) => void): void {
    this.changed = listener;
  }

  /** Sets the listener for each state of an effect, except for the begin of a call: the host knows more about that. */
  onState(listener: (news: EffectNews) => void): void {
    this.news = listener;
  }

  /** Sets the listener for the replies that ask for effects. */
  onProgram(listener: (reply: AskingReply) => void): void {
    this.asking = listener;
  }

  private publish(entry: LedgerEntry, more: Partial<EffectNews> = {}): void {
    const { key, tool, effect, state } = entry;
    this.news({ key, tool, effect, state, ...more });
  }

  // --- programs ----------------------------------------------------------------------------------------------------

  /**
   * A program begins. A program that continues after a pause has begun before.
   *
   * @param reply of the model: its program, or its calls
   */
  beginProgram(at: number, reply?: AskingReply): void {
    if (reply !== undefined) this.asking(reply);
    this.clearProgram(at);
  }

  /** The program is over. Only after success an equal call is another effect. */
  endProgram(succeeded: boolean): void {
    this.program.end(succeeded);
    if (succeeded) this.scopes.programSucceeded();
    this.resets.endProgram(succeeded);
    this.clearProgram();
  }

  private clearProgram(at = this.program.at): void {
    this.program.begin(at);
    this.scopes.beginProgram();
    this.resets.beginProgram();
  }

  /** The mission begins again with its journal: every effect without a record is open again. */
  reopen(isRecorded: (task: string) => boolean): void {
    this.clearProgram();
    for (const entry of this.index.all())
      if (entry.task === undefined || !isRecorded(entry.task)) this.index.setSettled(entry, false);
  }

  /**
   * A task was reset: its effects are settled, and its next effect is another one. Resets are counted: a program that runs
   * again asks for the same ones. One without a record is counted only.
   */
  noteReset(task: string, isRecorded: boolean): void {
    if (!this.resets.note(task, isRecorded)) return;
    const all = this.index.all();
    const own = all.filter((entry) => entry.task === task && entry.lane === this.lane);
    for (const entry of this.program.ofRecord(own)) {
      this.resets.noteEffect(task, entry, !entry.settled);
      this.index.setSettled(entry, true);
    }
    for (const entry of all)
      if (isSameTask(entry, task, this.lane) || this.scopes.isOfTask(entry.lane, task))
        this.resets.noteEffect(task, entry, false);
  }

  // --- the entry of a call -----------------------------------------------------------------------------------------

  /** Finds or adds the entry of a call. A call that is made again after a pause gets the same entry. */
  claim(spec: EffectSpec, call: LedgerCall, now: number): EffectClaim {
    const before = this.program.entryOf(call.call);
    if (before && !before.pending) return { entry: before, kind: "same" };
    const id = effectId(spec, call.args);
    const same = before || spec.repeatable ? undefined : this.program.nextOpen(id);
    if (same) {
      this.program.claim(call, same.key);
      return { entry: same, kind: "same" };
    }
    const earlier = spec.repeatable ? undefined : this.index.settledOf(id);
    const entry = before ?? this.newEntry(spec, id, call, now);
    this.program.claim(call, entry.key);
    const asked = !spec.repeatable && this.isAskedByReset(entry, call.task);
    return { entry, kind: "new", ...(earlier && !asked ? { equal: earlier } : {}) };
  }

  /** Whether a reset of the task asks for this new effect, so that it is compared with no earlier one. */
  private isAskedByReset({ id, key }: LedgerEntry, task: string | undefined): boolean {
    return task !== undefined && this.resets.use(task, id, key);
  }

  /** Adds an entry for a call that asks for another effect than the equal one. A later call may claim a contested one. */
  another(spec: EffectSpec, entry: LedgerEntry, call: LedgerCall, now: number): LedgerEntry {
    if (entry.contested) {
      this.program.free(entry.key);
      this.program.searchAgain();
    } else this.program.settle(entry.key);
    const next = this.newEntry(spec, entry.id, call, now);
    this.program.claim(call, next.key);
    return next;
  }

  /**
   * An effect that the call of an irreversible tool without an identity may be, in other words. In the present program two calls are two
   * effects: only those of earlier ones count.
   */
  twinOf(spec: EffectSpec, entry: LedgerEntry, args: JsonObject): LedgerEntry | undefined {
    if (!lacksIdentity(spec)) return undefined;
    const isEarlier = (one: LedgerEntry) => one.settled || !(one.withheld || this.program.has(one.key));
    const twins = this.index
      .all()
      .filter((one) => one.tool === spec.name && one !== entry && !one.pending && MAY_BE_DONE.includes(one.state))
      .filter((one) => isEarlier(one) && isTwin(spec, args, one));
    return twins.find(({ settled }) => !settled) ?? twins.at(-1);
  }

  /** Whether a call is perhaps the open effect with this id, in other words. */
  rewords(spec: EffectSpec, args: JsonObject, id: string): boolean {
    return lacksIdentity(spec) && this.index.openForCall(id).some((entry) => isTwin(spec, args, entry));
  }

  /** Other calls of the program wait for the decision about this effect: only one of them can be it. @returns ends the question */
  askAbout({ key }: LedgerEntry): () => void {
    let end = () => {};
    const decided = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.questions.set(key, decided);
    return () => {
      this.questions.delete(key);
      end();
    };
  }

  /** Ends with the decision about this effect; undefined: nobody is asked about it. */
  decisionAbout({ key }: LedgerEntry): Promise<void> | undefined {
    return this.questions.get(key);
  }

  /** The call is an effect that was made before, in other words. */
  adopt(spec: EffectSpec, call: LedgerCall, earlier: LedgerEntry): void {
    this.release(call.call);
    this.index.addReworded(earlier, effectId(spec, call.args));
    // The record of the task around the call will consist of this effect, too.
    if (call.task !== undefined && call.task !== earlier.task)
      earlier.tasks = [...new Set([...(earlier.tasks ?? []), call.task])];
    this.program.claim(call, earlier.key);
  }

  /** Unlinks the call from its ledger entry: the call was refused, or its arguments changed. */
  release(call: number): void {
    const entry = this.program.release(call);
    if (!entry?.pending) return;
    this.index.remove(entry.key);
    this.resets.giveBack(entry.key);
  }

  private newEntry(spec: EffectSpec, id: string, { call, turn, task, args }: LedgerCall, now: number): LedgerEntry {
    const { mission, lane: scope } = this;
    const n = this.index.nextNumber(id, scope);
    const entry: LedgerEntry = {
      key: effectKey({ mission, id, lane: scope, n }),
      id,
      tool: spec.name,
      effect: spec.effect === "irreversible" ? "irreversible" : "write",
      state: "intended",
      lane: scope,
      n,
      at: now,
      turn,
      call,
      ...(task === undefined ? {} : { task }),
      ...(spec.identity ? { identity: spec.identity } : {}),
      ...keptArgs(args),
      ...(lacksIdentity(spec) ? { firm: firmDigest(withoutDefaults(spec.takes, args)) } : {}),
      ...(policyForEqual(spec) === "run" ? {} : { compared: true as const }),
      settled: false,
      pending: true,
    };
    this.index.store(entry);
    return entry;
  }

  /** The key of a call without an effect. */
  readKey(place: string): string {
    return readKey(this.reads ?? this.mission, this.lane, place);
  }

  /** The effects of a task, in the order of their entries: of the run's own calls, and of agents that it called there. */
  ofTask(task: string): EffectEntry[] {
    return this.own().filter((entry) =>
      entry.lane === this.lane ? entry.task === task : this.scopes.isOfTask(entry.lane, task),
    );
  }

  // --- the state of an effect --------------------------------------------------------------------------------------

  /** The call begins. */
  intend(entry: LedgerEntry, { turn, task, args }: LedgerCall, facts: EffectFacts): void {
    for (const name of ABOUT_EARLIER_CALL) delete entry[name];
    const { kind: _, ...shown } = facts;
    Object.assign(entry, { state: "intended", turn }, task === undefined ? {} : { task }, keptArgs(args), shown);
  }

  /** The call was not made after all. */
  forget(entry: LedgerEntry): void {
    this.publish(entry, { state: "refused" });
    this.index.remove(entry.key);
    this.program.free(entry.key);
    this.resets.giveBack(entry.key);
  }

  /** An effect may be undone before the answer arrives in its run. */
  done(entry: LedgerEntry, answer: Json): void {
    Object.assign(entry, entry.state === "undone" ? {} : { state: "done" }, keptAnswer(answer));
    delete entry.message;
    delete entry.lent;
    this.publish(entry, { state: "done", answer });
  }

  failed(entry: LedgerEntry, message: string): void {
    if (entry.state === "undone") return;
    Object.assign(entry, { state: "failed", message: cutText(message, MAX_MESSAGE_CHARS) });
    this.publish(entry, defined({ message: entry.message }));
  }

  unknown(entry: LedgerEntry): void {
    if (entry.state === "undone") return;
    entry.state = "unknown";
    this.publish(entry);
  }

  /** Nobody knows the outcome of these effects: their answers cannot be trusted. @param keys of calls */
  doubt(keys: readonly string[], message: string): void {
    for (const entry of new Set(keys.flatMap((key) => this.index.get(key) ?? []))) {
      delete entry.answer;
      this.report(entry, { state: "unknown", message: cutText(message, MAX_MESSAGE_CHARS) });
    }
  }

  /** Changes an entry where the history has no event with the change. */
  report(entry: LedgerEntry, change: LedgerChange): void {
    if (change.answer !== undefined) Object.assign(change, keptAnswer(change.answer));
    Object.assign(entry, change, entry.state === "undone" ? { state: "undone" } : {});
    delete entry.lent;
    delete entry.pending;
    delete entry.contested;
    this.changed(entryForPeople(entry));
    if (Object.keys(change).length > 0) this.publish(entry, defined(change));
  }

  override markUndone(keys: readonly string[]): void {
    const done = keys.flatMap((key) => this.index.get(key) ?? []).filter(({ state }) => state !== "undone");
    super.markUndone(keys);
    for (const entry of done) this.publish(entry);
  }

  // --- effects that all missions share -----------------------------------------------------------------------------

  /** The key of an effect within its mission, whichever mission makes it. */
  guardedEffectOf({ id, lane: scope, n }: LedgerEntry): string {
    return effectKey({ mission: this.mission, id, lane: scope, n });
  }

  /** Whether another entry is the effect with this number among its equals of all missions, and was not given up. */
  isMet(entry: LedgerEntry, n: number): boolean {
    const met = this.index.get(sharedKey(this.mission, entry.id, n));
    return met !== undefined && met !== entry && !NOT_DONE.includes(met.state);
  }

  /** The effect is one that all missions share, with this number among its equals. */
  share(entry: LedgerEntry, n: number): void {
    const before = entry.key;
    const key = sharedKey(this.mission, entry.id, n);
    delete entry.held_by;
    if (before === key) return;
    const givenUp = this.index.get(key);
    if (givenUp) this.giveUp(givenUp);
    entry.deed = this.guardedEffectOf(entry);
    this.rekey(entry, key);
  }

  /** Another mission has made the effect, or may have. */
  meet(entry: LedgerEntry, n: number, change: LedgerChange): void {
    this.share(entry, n);
    this.report(entry, change);
  }

  /** Another entry gets the number of a failed call, so the failed one has the key of this mission again. */
  private giveUp(entry: LedgerEntry): void {
    this.rekey(entry, this.guardedEffectOf(entry));
    this.changed(entryForPeople(entry));
  }

  private rekey(entry: LedgerEntry, key: string): void {
    const before = entry.key;
    this.index.rekey(entry, key);
    if (key === entry.deed) delete entry.deed;
    this.program.rekey(before, key);
    this.resets.rekey(before, key);
  }

  // --- agents below this run ---------------------------------------------------------------------------------------

  /**
   * The ledger that an agent gets which this run calls: its agent scope, and the effects that it may meet again. A call that
   * is equal to one of a program that did not succeed gets the scope of that one.
   *
   * @param asked the arguments of the agent
   * @param task around the call
   */
  delegate(tool: string, call: number, asked: JsonObject, task?: string): GivenLedger {
    const { reads, doubted } = this;
    const scope = this.scopes.scopeOf(tool, call, callDigest({ tool, args: asked }));
    const all = this.index.all();
    const unclaimed = all.filter(({ key }) => !this.program.has(key));
    // The agent continues the numbers of its earlier run, although other calls have claimed the effects of that run.
    const withheld = all.filter((entry) => entry.lane === scope && !entry.settled && this.program.has(entry.key));
    const given = lendable(unclaimed, scope, () => this.scopes.areRunning);
    const effects = [...given, ...withheld.map((entry) => ({ ...entry, withheld: true as const }))];
    this.scopes.begin(scope, task);
    return {
      mission: this.mission,
      lane: scope,
      ...defined({ reads, doubted }),
      effects: packLedger(this.mission, effects),
    };
  }

  /**
   * An agent has ended. The present program claims the effects that the agent made, and those that it met: they are open
   * until the program has succeeded.
   */
  agentEnded(call: number, effects: PackedLedger | undefined): void {
    this.scopes.end(call);
    const made = { call, task: this.scopes.taskOf(call) };
    const handedBack = effects === undefined ? [] : unpackLedger(effects);
    const twice = handedBack.filter(({ key }) => this.program.isMet(key));
    for (const entry of handedBack) {
      const isSettled = this.isSettled(entry);
      this.index.store({ ...entry, settled: isSettled });
      // The agent reused an answer of work that has succeeded: the program does not claim that effect.
      if (!isSettled) this.program.meet(made, entry.key);
    }
    // The agent claimed nothing of the rest.
    this.program.searchAgain();
    // Two agents in parallel reused the answer of one effect: the second one stands for the next of its equals.
    for (const { id } of twice) {
      const next = this.program.nextOpen(id);
      if (next !== undefined && SETTLES.includes(next.state)) this.program.meet(made, next.key);
    }
  }
}

/** The facts about an earlier call of an effect, which are wrong when the call is made again. */
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

/** Later than the agents of the mission that was taken over: a new agent has the scope, and so the keys, of none of them. */
function nextEpoch(taken: readonly LedgerEntry[]): number {
  return taken.reduce((next, { lane: scope }) => Math.max(next, Number(/^(\d+)\./.exec(scope)?.[1] ?? -1) + 1), 0);
}

/** Work at the same place that another attempt has done before. */
const isSameTask = (entry: LedgerEntry, task: string, scope: string): boolean =>
  entry.task === task && entry.lane !== scope && isSamePlace(entry.lane, scope);
