import { defined } from "../base/defined";
import { EffectIndex } from "./effect-index";
import { type EffectEntry, type EffectState, entryForPeople, inOrder, type LedgerEntry } from "./entry";
import type { GivenLedger } from "./given-ledger";
import { type PackedLedger, packLedger, type TaskCalls, unpackLedger, withTasks } from "./packed-ledger";

/** What every ledger passes on when its run continues as new. */
export interface ContinuedEffects {
  effects: PackedLedger;
  /** The keys of entries that came from the run or the task that started this one. */
  lent: string[];
  /** The keys of effects that were taken back and have no entry yet; absent = none. */
  undone?: string[];
  /** As in the given ledger. */
  doubted?: true;
}

/**
 * The effects that a run or a task knows: its own, with those of everything below it, and the effects that its caller
 * delegated.
 */
export abstract class Ledger {
  readonly mission: string;
  readonly lane: string;
  /** First part of the keys of calls without an effect; undefined = the mission. */
  protected readonly reads: string | undefined;
  protected readonly index: EffectIndex;
  /** Calls may have been made that the ledger does not have: an irreversible one is asked about before it is made. */
  protected doubted: true | undefined;

  constructor(given: GivenLedger, continued?: ContinuedEffects) {
    this.mission = given.mission;
    this.lane = given.lane;
    this.reads = given.reads;
    this.doubted = continued === undefined ? given.doubted : continued.doubted;
    this.index = new EffectIndex(continued?.undone);
    const delegated = new Set(continued?.lent);
    const effects = continued?.effects ?? given.effects;
    const areDelegated = continued === undefined && given.owned !== true;
    for (const entry of effects === undefined ? [] : unpackLedger(effects)) {
      if (areDelegated || delegated.has(entry.key)) entry.lent = true;
      this.index.store(entry);
    }
  }

  /** The effects of this run or task and of everything below it, in the order of their calls. */
  entries(): EffectEntry[] {
    return inOrder(this.own().map(entryForPeople));
  }

  /** The same effects as they are, in any order: for readers that look at all of them often. */
  all(): readonly EffectEntry[] {
    return this.own();
  }

  /**
   * For the run or the task that started this one.
   *
   * @param tasks the calls of recorded tasks: another attempt may have the same journal
   */
  handedBack(tasks: readonly TaskCalls[] = []): PackedLedger {
    return withTasks(packLedger(this.mission, this.own()), tasks);
  }

  /** These effects were taken back, from here or from outside. */
  markUndone(keys: readonly string[]): void {
    for (const key of keys) this.index.markUndone(key);
  }

  /** The run was reset: the run that it was may have made calls after this point. */
  doubtAll(): void {
    this.doubted = true;
  }

  get isDoubted(): boolean {
    return this.doubted === true;
  }

  protected own(): LedgerEntry[] {
    return this.index.all().filter(({ lent: delegated, pending }) => !delegated && !pending);
  }

  /** Whether the mission had continued after an effect before it was returned. */
  protected isSettled({ key }: LedgerEntry): boolean {
    return this.index.get(key)?.settled === true;
  }

  protected continueState(): ContinuedEffects {
    const all = this.index.all();
    const undone = this.index.undoneElsewhere();
    return {
      effects: packLedger(this.mission, all),
      lent: all.filter(({ lent: delegated }) => delegated).map(({ key }) => key),
      ...(undone.length === 0 ? {} : { undone }),
      ...defined({ doubted: this.doubted }),
    };
  }
}

/**
 * The ledger of a mission from those of its runs. A run gets the effects of another one when that one has ended, so two
 * ledgers may differ about one effect.
 *
 * @param ledgers of the run that was started first, then of those below it: of two the first is right, unless only the other
 *   one has the effect as done or undone
 */
export function mergeLedgers(ledgers: readonly (readonly EffectEntry[])[]): EffectEntry[] {
  const byKey = new Map<string, EffectEntry>();
  for (const entry of ledgers.flat()) {
    const known = byKey.get(entry.key);
    if (known === undefined || rank(entry.state) > rank(known.state)) byKey.set(entry.key, entry);
  }
  return inOrder([...byKey.values()]);
}

const rank = (state: EffectState): number => (state === "undone" ? 2 : state === "done" ? 1 : 0);
