import type { LedgerEntry } from "./entry";

/**
 * Entries by key, by effect and by agent scope, in the order in which the calls asked for them. Every look-up takes
 * constant time.
 */
export class EffectIndex {
  private readonly entries = new Map<string, LedgerEntry>();
  /** The open entries of an effect id, and its last settled one. Entries are also found by what the program asked for. */
  private readonly open = new Map<string, Set<LedgerEntry>>();
  /** The open entries that a person took for the call with this effect id, in other words. */
  private readonly reworded = new Map<string, Set<LedgerEntry>>();
  private readonly settled = new Map<string, LedgerEntry>();
  private readonly numbers = new Map<string, number>();
  /** By key: an entry that is added again, or opened again, keeps its place among its equals. */
  private readonly places = new Map<string, number>();
  private placed = 0;
  /** Effects that were taken back. An entry may come later, from an agent that was not notified. */
  private readonly undone: Set<string>;

  constructor(undone: readonly string[] = []) {
    this.undone = new Set(undone);
  }

  get size(): number {
    return this.entries.size;
  }

  all(): LedgerEntry[] {
    return [...this.entries.values()];
  }

  get(key: string): LedgerEntry | undefined {
    return this.entries.get(key);
  }

  /** Adds an entry, or replaces the one with its key. */
  store(entry: LedgerEntry): void {
    const before = this.entries.get(entry.key);
    if (before) this.unlink(before);
    if (entry.state === "undone") this.undone.add(entry.key);
    else if (this.undone.has(entry.key)) entry.state = "undone";
    if (entry.state === "undone") entry.settled = true;
    this.entries.set(entry.key, entry);
    if (before === undefined) this.places.set(entry.key, this.placed++);
    this.link(entry);
    const scope = scopeKey(entry.id, entry.lane);
    this.numbers.set(scope, Math.max(entry.n, this.numbers.get(scope) ?? 0));
  }

  /** The entry gets another key, and keeps its place among its equals. */
  rekey(entry: LedgerEntry, key: string): void {
    this.entries.delete(entry.key);
    this.places.set(key, this.placeOf(entry));
    entry.key = key;
    this.entries.set(key, entry);
  }

  remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.unlink(entry);
    this.entries.delete(key);
  }

  /** The effect with this key was taken back: it is settled for good, and no equal call is compared with it. */
  markUndone(key: string): void {
    this.undone.add(key);
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.unlink(entry);
    Object.assign(entry, { state: "undone", settled: true });
    for (const id of idsOf(entry)) {
      const others = this.all().filter((one) => one.settled && one.state !== "undone" && idsOf(one).includes(id));
      for (const other of others) this.settled.set(id, other);
    }
  }

  /** The keys of effects that were taken back and have no entry here yet. */
  undoneElsewhere(): string[] {
    return [...this.undone].filter((key) => !this.entries.has(key));
  }

  setSettled(entry: LedgerEntry, settled: boolean): void {
    if (entry.settled === settled || entry.state === "undone") return;
    this.unlink(entry);
    entry.settled = settled;
    this.link(entry);
  }

  /** The open entries of an effect, in the order in which the calls asked for them. */
  openOf(id: string): LedgerEntry[] {
    return [...(this.open.get(id) ?? [])].sort((a, b) => this.placeOf(a) - this.placeOf(b));
  }

  /** The open entries that are the effect of a call with this id, also if the call was one in other words. */
  openForCall(id: string): LedgerEntry[] {
    return [...this.openOf(id), ...(this.reworded.get(id) ?? [])];
  }

  /** A person took the call with this id for the effect. */
  addReworded(entry: LedgerEntry, id: string): void {
    if (entry.reworded?.includes(id)) return;
    this.unlink(entry);
    entry.reworded = [...(entry.reworded ?? []), id];
    this.link(entry);
  }

  /** The last settled effect that is equal, and was not taken back. */
  settledOf(id: string): LedgerEntry | undefined {
    return this.settled.get(id);
  }

  /** The number of the next new effect among its equals in a scope. */
  nextNumber(id: string, scope: string): number {
    return (this.numbers.get(scopeKey(id, scope)) ?? 0) + 1;
  }

  private placeOf({ key }: LedgerEntry): number {
    return this.places.get(key) ?? 0;
  }

  private link(entry: LedgerEntry): void {
    if (entry.state === "undone" || entry.withheld) return;
    for (const id of idsOf(entry)) {
      if (entry.settled) {
        this.settled.set(id, entry);
        continue;
      }
      add(this.open, id, entry);
    }
    if (!entry.settled) for (const id of entry.reworded ?? []) add(this.reworded, id, entry);
  }

  private unlink(entry: LedgerEntry): void {
    for (const id of idsOf(entry)) {
      this.open.get(id)?.delete(entry);
      if (this.settled.get(id) === entry) this.settled.delete(id);
    }
    for (const id of entry.reworded ?? []) this.reworded.get(id)?.delete(entry);
  }
}

function add(to: Map<string, Set<LedgerEntry>>, id: string, entry: LedgerEntry): void {
  const entries = to.get(id);
  if (entries) entries.add(entry);
  else to.set(id, new Set([entry]));
}

const scopeKey = (id: string, scope: string): string => `${id} ${scope}`;

const idsOf = ({ id, asked }: LedgerEntry): string[] => (asked === undefined ? [id] : [id, asked]);
