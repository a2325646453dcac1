import { defined } from "../base/defined";
import { isWithinScope, scopeIn, scopePart } from "./effect-key";
import { type EffectEntry, type LedgerEntry, SETTLES } from "./entry";
import { type GivenLedger, lendable } from "./given-ledger";
import { type ContinuedEffects, Ledger } from "./ledger";
import { type PackedLedger, packLedger, type TaskCalls, unpackLedger, withTasks } from "./packed-ledger";

/** The ledger of a task or a plan as JSON, for continue-as-new. */
export interface MissionLedgerState extends ContinuedEffects {
  /** How often the work at a place has succeeded. */
  succeeded: [place: string, times: number][];
  /** The scopes of agents and tasks that are under way. */
  running: string[];
  /** What the agents at a place have met of the effects of other places. */
  met: [place: string, keys: string[]][];
  /** The calls of recorded tasks at places whose work has not succeeded; absent = none. */
  tasks?: [place: string, tasks: TaskCalls[]][];
  /** The last work at each place; absent = none. */
  work?: [place: string, work: LastWork][];
}

/** The last work at a place, with the visits before it that were sent back, as the numbers of their scopes. */
interface LastWork {
  first: number;
  last: number;
  /** It has succeeded, and was sent back since: the next visit belongs to it. */
  again?: true;
}

/**
 * The effects of a plan or of a task on a graph: of all the agents that work for it, attempt after attempt (effects
 * reference, section 4). A place is a task of the plan, or a step of the graph. The effects of a place are open until its
 * work has succeeded, and open again when it is sent back.
 */
export class MissionLedger extends Ledger {
  private readonly times: Map<string, number>;
  private readonly running: Set<string>;
  private readonly met: Map<string, string[]>;
  private readonly tasks: Map<string, TaskCalls[]>;
  private readonly work: Map<string, LastWork>;

  constructor(given: GivenLedger, state?: MissionLedgerState) {
    super(given, state);
    this.times = new Map(state?.succeeded);
    this.running = new Set(state?.running);
    this.met = new Map(state?.met);
    this.tasks = new Map(state?.tasks);
    this.work = new Map(state?.work);
  }

  state(): MissionLedgerState {
    return {
      ...this.continueState(),
      succeeded: [...this.times],
      running: [...this.running],
      met: [...this.met],
      ...(this.tasks.size === 0 ? {} : { tasks: [...this.tasks] }),
      ...(this.work.size === 0 ? {} : { work: [...this.work] }),
    };
  }

  /** What the agent is given that works at this place now, or the task that is started there. */
  delegate(place: string, branch?: string): GivenLedger {
    this.begin(place);
    const scope = branch === undefined ? this.scopeOf(place) : scopeIn(this.scopeOf(place), scopePart(branch));
    const others = [...this.running].filter((one) => one !== scope);
    const isContested = (one: string) => others.some((other) => isWithinScope(one, other));
    this.running.add(scope);
    const effects = packLedger(this.mission, lendable(this.index.all(), scope, isContested));
    const tasks = branch === undefined ? (this.tasks.get(place) ?? []) : [];
    return {
      mission: this.mission,
      lane: scope,
      ...defined({ reads: this.reads, doubted: this.doubted }),
      effects: withTasks(effects, tasks),
    };
  }

  /** The agent or the task at this place has ended: what it did is open until the work at the place has succeeded. */
  ended(place: string, effects: PackedLedger | undefined, branch?: string): void {
    const scope = this.scopeOf(place);
    this.running.delete(branch === undefined ? scope : scopeIn(scope, scopePart(branch)));
    if (branch === undefined && effects?.tasks !== undefined) this.tasks.set(place, effects.tasks);
    const met = new Set(this.met.get(place));
    for (const entry of effects === undefined ? [] : unpackLedger(effects)) {
      const isSettled = this.isSettled(entry);
      this.index.store({ ...entry, settled: isSettled });
      if (!isSettled && !isWithinScope(entry.lane, scope)) met.add(entry.key);
    }
    if (met.size > 0) this.met.set(place, [...met]);
  }

  /** The work at this place has succeeded: the mission continues, and equal calls match other effects from now on. */
  succeeded(place: string): void {
    this.begin(place);
    const scope = this.scopeOf(place);
    this.running.delete(scope);
    this.tasks.delete(place);
    this.times.set(place, (this.times.get(place) ?? 0) + 1);
    for (const entry of this.madeAt(place, (one) => isWithinScope(one, scope)))
      if (SETTLES.includes(entry.state)) this.index.setSettled(entry, true);
  }

  /** The work at this place is to be done again: what it has done is open again. */
  sentBack(place: string): void {
    const work = this.work.get(place);
    if (work !== undefined && work.last < this.timesOf(place)) this.work.set(place, { ...work, again: true });
    const scope = scopeIn(this.lane, scopePart(place));
    const isOfPlace = (one: string) => isWithinScope(one, scope) || one.startsWith(`${scope}@`);
    for (const entry of this.madeAt(place, isOfPlace)) this.index.setSettled(entry, false);
  }

  private madeAt(place: string, isOfPlace: (scope: string) => boolean): LedgerEntry[] {
    const met = new Set(this.met.get(place));
    return this.index.all().filter(({ key, lane: scope }) => met.has(key) || isOfPlace(scope));
  }

  /** The effects of these scopes, and of the scopes in them, in any order. */
  inScopes(scopes: readonly string[]): EffectEntry[] {
    return this.own().filter((entry) => scopes.some((scope) => isWithinScope(entry.lane, scope)));
  }

  /** The scope of the present work at a place: all its attempts. */
  scopeOf(place: string): string {
    return this.scopeNumber(place, this.timesOf(place));
  }

  /**
   * The scopes of the last work at a place, whether it has succeeded or not; a visit that was sent back belongs to the
   * next one.
   */
  scopesOfWork(place: string): string[] {
    const work = this.work.get(place);
    if (work === undefined) return [];
    return Array.from({ length: work.last - work.first + 1 }, (_, i) => this.scopeNumber(place, work.first + i));
  }

  private begin(place: string): void {
    const number = this.timesOf(place);
    const before = this.work.get(place);
    const first = before !== undefined && (before.last === number || before.again) ? before.first : number;
    this.work.set(place, { first, last: number });
  }

  private timesOf(place: string): number {
    return this.times.get(place) ?? 0;
  }

  private scopeNumber(place: string, times: number): string {
    const scope = scopeIn(this.lane, scopePart(place));
    return times === 0 ? scope : `${scope}@${times + 1}`;
  }
}
