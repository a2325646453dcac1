import { compareKeys, type Key, sameKey } from "./key-order";
import { KeyTable } from "./key-table";
import { type Entry, findEntry, insertEntry, type KeyNode, removeKey, treeNodes, treeOf } from "./key-tree";
import { billText } from "./traversal-limit";

export { KeyTable } from "./key-table";
export type { Entry } from "./key-tree";
export { Vec } from "./vec";

/** The largest size of a flat list of entries; larger maps and sets keep a search tree. */
// Up to this size a linear search is faster than the tree. A map of a usual record never builds a tree.
export const FLAT = 8;

/**
 * An immutable map with keys of any value (1 and 1.0 are two keys), walked in insertion order. Replacing a
 * value keeps the key's place. Up to eight entries it is a flat list; larger ones keep a search tree.
 */
export class PMap<T extends Key> {
  readonly tag = "map";
  static readonly empty = new PMap<never>(0, [], null, 0);

  private constructor(
    readonly size: number,
    // At least one of the two is set; the other is derived from it on first use.
    private ordered: readonly Entry<T>[] | null,
    private tree: KeyNode<T> | null,
    private readonly nextSeq: number,
  ) {}

  /** Cached, because a map that is a key itself is compared once for each level of a tree. */
  private inKeyOrder: readonly Entry<T>[] | null = null;

  /** Later entries win over earlier ones with the same key, at the place of the first. */
  static from<T extends Key>(entries: Iterable<Entry<T>>): PMap<T> {
    const builder = new MapBuilder<T>();
    for (const [key, value] of entries) builder.set(key, value);
    return builder.build();
  }

  /** Takes over an array of entries whose keys are known to differ. */
  static fromDistinct<T extends Key>(entries: readonly Entry<T>[]): PMap<T> {
    return entries.length === 0 ? PMap.empty : new PMap(entries.length, entries, null, entries.length);
  }

  /**
   * The map for writing it down: its tree when it has one, else its entries. `sorted`: its keys are in order already, so
   * that ordering them costs nothing.
   */
  get form(): { tree: KeyNode<T> | null; nextSeq: number; sorted: boolean } {
    return { tree: this.tree, nextSeq: this.nextSeq, sorted: this.tree !== null || this.inKeyOrder !== null };
  }

  /** A map that was written down by its entries; `entries` may still be filled. */
  static onEntries<T extends Key>(entries: readonly Entry<T>[], size: number): PMap<T> {
    return size === 0 ? PMap.empty : new PMap(size, entries, null, size);
  }

  /** A map that was written down by its tree. */
  static onTree<T extends Key>(tree: KeyNode<T>, size: number, nextSeq: number): PMap<T> {
    return new PMap(size, null, tree, nextSeq);
  }

  get(key: T): T | undefined {
    return this.find(key)?.[1];
  }

  has(key: T): boolean {
    return this.find(key) !== undefined;
  }

  /** The stored entry of a key. */
  find(key: T): Entry<T> | undefined {
    if (this.size > FLAT) return findEntry(this.root(), key);
    if (typeof key === "string") billText(key);
    const entries = this.entries();
    for (let i = 0; i < entries.length; i++) if (sameKey(entries[i]![0], key)) return entries[i];
    return undefined;
  }

  assoc(key: T, value: T): PMap<T> {
    return this.with(key, value, false);
  }

  /** With the entry, unless the key is there already. */
  add(key: T, value: T): PMap<T> {
    return this.with(key, value, true);
  }

  private with(key: T, value: T, keep: boolean): PMap<T> {
    if (this.size > FLAT) return this.withInTree(key, value, keep);
    const old = this.find(key);
    if (old === undefined) {
      if (this.size === FLAT) return this.withInTree(key, value, keep);
      return PMap.fromDistinct([...this.entries(), [key, value]]);
    }
    if (keep || old[1] === value) return this;
    return PMap.fromDistinct(this.entries().map((entry) => (entry === old ? ([old[0], value] as const) : entry)));
  }

  private withInTree(key: T, value: T, keep: boolean): PMap<T> {
    const root = this.root();
    const tree = insertEntry(root, [key, value], this.nextSeq, keep);
    return tree === root ? this : new PMap(tree.size, null, tree, this.nextSeq + 1);
  }

  dissoc(key: T): PMap<T> {
    const old = this.find(key);
    if (old === undefined) return this;
    if (this.size <= FLAT + 1) return PMap.fromDistinct(this.entries().filter((entry) => entry[0] !== old[0]));
    return new PMap(this.size - 1, null, removeKey(this.root()!, key), this.nextSeq);
  }

  /** In insertion order; not to be changed. */
  entries(): readonly Entry<T>[] {
    this.ordered ??= treeNodes(this.tree)
      .sort((a, b) => a.seq - b.seq)
      .map((node) => node.entry);
    return this.ordered;
  }

  keys(): T[] {
    return this.entries().map((entry) => entry[0]);
  }

  values(): T[] {
    return this.entries().map((entry) => entry[1]);
  }

  /** In the order of `compareKeys`, the same for all maps with the same keys. */
  sorted(): readonly Entry<T>[] {
    this.inKeyOrder ??=
      this.size > FLAT
        ? treeNodes(this.root()).map((node) => node.entry)
        : [...this.entries()].sort((a, b) => compareKeys(a[0], b[0]));
    return this.inKeyOrder;
  }

  [Symbol.iterator](): Iterator<Entry<T>> {
    return this.entries()[Symbol.iterator]();
  }

  private root(): KeyNode<T> | null {
    this.tree ??= treeOf(this.ordered!);
    return this.tree;
  }
}

/** An immutable set, walked in insertion order; membership is strict like that of map keys. */
export class PSet<T extends Key> {
  readonly tag = "set";
  static readonly empty = new PSet<never>(PMap.empty);

  private constructor(private readonly members: PMap<T>) {}

  static from<T extends Key>(items: Iterable<T>): PSet<T> {
    const table = new KeyTable<T, T>();
    for (const item of items) if (table.indexOf(item) < 0) table.add(item, item);
    return new PSet(mapOf(table));
  }

  /** The members as a map to themselves, for writing the set down. */
  get map(): PMap<T> {
    return this.members;
  }

  /** A set that was written down by its map. */
  static onMap<T extends Key>(members: PMap<T>): PSet<T> {
    return new PSet(members);
  }

  get size(): number {
    return this.members.size;
  }

  has(value: T): boolean {
    return this.members.has(value);
  }

  conj(value: T): PSet<T> {
    const members = this.members.add(value, value);
    return members === this.members ? this : new PSet(members);
  }

  disj(value: T): PSet<T> {
    const members = this.members.dissoc(value);
    return members === this.members ? this : new PSet(members);
  }

  /** In insertion order, a fresh array. */
  values(): T[] {
    return this.members.keys();
  }

  sorted(): readonly Entry<T>[] {
    return this.members.sorted();
  }

  [Symbol.iterator](): Iterator<T> {
    return this.values()[Symbol.iterator]();
  }
}

function mapOf<T extends Key>(table: KeyTable<T, T>): PMap<T> {
  return PMap.fromDistinct(table.keys.map((key, i) => [key, table.items[i]!] as const));
}

/** A map under construction. */
export class MapBuilder<T extends Key> {
  private readonly table = new KeyTable<T, T>();

  has(key: T): boolean {
    return this.table.indexOf(key) >= 0;
  }

  set(key: T, value: T): this {
    const index = this.table.indexOf(key);
    if (index >= 0) this.table.items[index] = value;
    else this.table.add(key, value);
    return this;
  }

  build(): PMap<T> {
    return mapOf(this.table);
  }
}
