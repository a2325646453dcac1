import { max, min } from "./host";
import { sameKey } from "./key-order";
import { type Entry, findEntry, insertEntry, type KeyNode, removeKey, treeNodes, treeOf } from "./key-tree";
import type { Value } from "./values";
import { billText } from "./walk-budget";

export type { Entry } from "./key-tree";

/**
 * An immutable vector: a window on an array that several vectors may share. Adding at the end writes into
 * the shared array when nobody has written there yet, so building one up by `conj` costs O(1) each, and
 * taking a part of one costs O(1) always.
 */
export class Vec {
  readonly tag = "vector";
  static readonly empty = new Vec([], 0, 0);

  private constructor(
    private readonly items: Value[],
    private readonly start: number,
    readonly length: number,
  ) {}

  /** Takes the array over: the caller must not change it afterwards. */
  static from(items: Value[]): Vec {
    return items.length === 0 ? Vec.empty : new Vec(items, 0, items.length);
  }

  static of(...items: Value[]): Vec {
    return Vec.from(items);
  }

  /** The element at an index that is known to be in range. */
  at(index: number): Value {
    return this.items[this.start + index]!;
  }

  /** The element, or undefined out of range or for an index that is no integer. */
  get(index: number): Value | undefined {
    return index >= 0 && index < this.length ? this.items[this.start + index] : undefined;
  }

  /** A fresh array, the caller's own. */
  toArray(): Value[] {
    return this.items.slice(this.start, this.start + this.length);
  }

  /** Whether `conj` would have to copy the elements, because another vector has grown from the same place. */
  get copiesToGrow(): boolean {
    return this.length > 0 && this.start + this.length !== this.items.length;
  }

  conj(value: Value): Vec {
    if (this.length > 0 && !this.copiesToGrow) {
      this.items.push(value);
      return new Vec(this.items, this.start, this.length + 1);
    }
    const copy = this.toArray();
    copy.push(value);
    return new Vec(copy, 0, copy.length);
  }

  /** With the element at `index` replaced; `index` = length appends. The caller checks the range. */
  assoc(index: number, value: Value): Vec {
    if (index === this.length) return this.conj(value);
    const copy = this.toArray();
    copy[index] = value;
    return new Vec(copy, 0, copy.length);
  }

  /** The part from `from` (inclusive) to `to` (exclusive), both clamped; shares the elements. */
  slice(from: number, to = this.length): Vec {
    const start = max(0, min(from, this.length));
    const end = max(start, min(to, this.length));
    if (start === 0 && end === this.length) return this;
    return end === start ? Vec.empty : new Vec(this.items, this.start + start, end - start);
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.length; i++) yield this.items[this.start + i]!;
  }
}

// Up to here a linear search beats the tree, and no map of a usual record ever builds one.
const FLAT = 8;

/**
 * An immutable map with keys of any value (1 and 1.0 are two keys), walked in insertion order. Replacing a
 * value keeps the key's place. Up to eight entries it is a flat list; larger ones keep a search tree.
 */
export class PMap {
  readonly tag = "map";
  static readonly empty = new PMap(0, [], null, 0);

  private constructor(
    readonly size: number,
    // At least one of the two is there; each is derived from the other when first needed.
    private ordered: readonly Entry[] | null,
    private tree: KeyNode | null,
    private readonly nextSeq: number,
  ) {}

  /** Later entries win over earlier ones with the same key, at the place of the first. */
  static from(entries: Iterable<Entry>): PMap {
    const builder = new MapBuilder();
    for (const [key, value] of entries) builder.set(key, value);
    return builder.build();
  }

  /** Takes over an array of entries whose keys are known to differ. */
  static fromDistinct(entries: readonly Entry[]): PMap {
    return entries.length === 0 ? PMap.empty : new PMap(entries.length, entries, null, entries.length);
  }

  get(key: Value): Value | undefined {
    return this.find(key)?.[1];
  }

  has(key: Value): boolean {
    return this.find(key) !== undefined;
  }

  /** The stored entry of a key. */
  find(key: Value): Entry | undefined {
    if (typeof key === "string") billText(key);
    if (this.size > FLAT) return findEntry(this.root(), key);
    const entries = this.entries();
    for (let i = 0; i < entries.length; i++) if (sameKey(entries[i]![0], key)) return entries[i];
    return undefined;
  }

  assoc(key: Value, value: Value): PMap {
    const old = this.find(key);
    if (old !== undefined && old[1] === value) return this;
    if (this.size < FLAT || (old !== undefined && this.size === FLAT)) {
      const entries = this.entries();
      return PMap.fromDistinct(
        old === undefined
          ? [...entries, [key, value]]
          : entries.map((entry) => (entry === old ? ([old[0], value] as const) : entry)),
      );
    }
    const tree = insertEntry(this.root(), [key, value], this.nextSeq);
    return new PMap(tree.size, null, tree, this.nextSeq + 1);
  }

  dissoc(key: Value): PMap {
    const old = this.find(key);
    if (old === undefined) return this;
    if (this.size <= FLAT + 1) return PMap.fromDistinct(this.entries().filter((entry) => entry[0] !== old[0]));
    return new PMap(this.size - 1, null, removeKey(this.root()!, key), this.nextSeq);
  }

  /** In insertion order; not to be changed. */
  entries(): readonly Entry[] {
    this.ordered ??= treeNodes(this.tree)
      .sort((a, b) => a.seq - b.seq)
      .map((node) => node.entry);
    return this.ordered;
  }

  keys(): Value[] {
    return this.entries().map((entry) => entry[0]);
  }

  values(): Value[] {
    return this.entries().map((entry) => entry[1]);
  }

  /** In the order of `compareKeys`, the same for all maps with the same keys. */
  sorted(): readonly Entry[] {
    return treeNodes(this.root()).map((node) => node.entry);
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries()[Symbol.iterator]();
  }

  private root(): KeyNode | null {
    this.tree ??= treeOf(this.ordered!);
    return this.tree;
  }
}

/** An immutable set, walked in insertion order; membership is strict like that of map keys. */
export class PSet {
  readonly tag = "set";
  static readonly empty = new PSet(PMap.empty);

  private constructor(private readonly members: PMap) {}

  static from(items: Iterable<Value>): PSet {
    const builder = new MapBuilder();
    for (const item of items) if (!builder.has(item)) builder.set(item, item);
    return new PSet(builder.build());
  }

  get size(): number {
    return this.members.size;
  }

  has(value: Value): boolean {
    return this.members.has(value);
  }

  conj(value: Value): PSet {
    return this.members.has(value) ? this : new PSet(this.members.assoc(value, value));
  }

  disj(value: Value): PSet {
    return this.members.has(value) ? new PSet(this.members.dissoc(value)) : this;
  }

  /** In insertion order, a fresh array. */
  values(): Value[] {
    return this.members.keys();
  }

  sorted(): readonly Entry[] {
    return this.members.sorted();
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.values()[Symbol.iterator]();
  }
}

/**
 * Collects distinct keys with something to each, in order of first appearance: what `group-by`,
 * `frequencies`, `distinct` and literals are made with. Scalars are found by a host map, the rest by a tree.
 */
export class KeyTable<T> {
  private readonly scalars = new Map<unknown, number>();
  private others: KeyNode | null = null;
  readonly keys: Value[] = [];
  readonly items: T[] = [];

  /** Place of the key, -1 when it has not been seen. */
  indexOf(key: Value): number {
    if (typeof key === "string") billText(key);
    if (isHostKey(key)) return this.scalars.get(key) ?? -1;
    return (findEntry(this.others, key)?.[1] as number | undefined) ?? -1;
  }

  /** Adds a key that has not been seen. */
  add(key: Value, item: T): void {
    const index = this.keys.length;
    if (isHostKey(key)) this.scalars.set(key, index);
    else this.others = insertEntry(this.others, [key, index], index);
    this.keys.push(key);
    this.items.push(item);
  }
}

// Equal as host map keys exactly when equal as keys of the language.
function isHostKey(key: Value): boolean {
  return typeof key !== "object" || key === null || key.tag === "keyword";
}

/** A map under construction. */
export class MapBuilder {
  private readonly table = new KeyTable<Value>();

  has(key: Value): boolean {
    return this.table.indexOf(key) >= 0;
  }

  set(key: Value, value: Value): this {
    const index = this.table.indexOf(key);
    if (index >= 0) this.table.items[index] = value;
    else this.table.add(key, value);
    return this;
  }

  build(): PMap {
    return PMap.fromDistinct(this.table.keys.map((key, i) => [key, this.table.items[i]!] as const));
  }
}
