import { HostMap } from "../../base/intrinsics";
import type { Key } from "./key-order";
import { findEntry, insertEntry, type KeyNode } from "./key-tree";
import { Float } from "./scalars";
import { billText } from "./traversal-limit";

/**
 * Collects distinct keys with an item for each, in order of first appearance. `group-by`, `frequencies`, `distinct` and
 * literals use it. Keys that a host map always finds quickly are in one; the others are in a tree.
 */
export class KeyTable<K extends Key, T> {
  private readonly scalars = new HostMap<unknown, number>();
  /** Floats by their host number, apart from integers: 1.0 is not the key 1. */
  private floats: Map<number, number> | null = null;
  private others: KeyNode<K, number> | null = null;
  readonly keys: K[] = [];
  readonly items: T[] = [];

  /** Place of the key, -1 when it has not been seen. */
  indexOf(key: K): number {
    if (isScalarKey(key)) {
      if (typeof key === "string") billText(key);
      return this.scalars.get(key) ?? -1;
    }
    if (key instanceof Float) return this.floats?.get(key.n) ?? -1;
    return findEntry(this.others, key)?.[1] ?? -1;
  }

  /** Adds a key that has not been seen. */
  add(key: K, item: T): void {
    const index = this.keys.length;
    if (isScalarKey(key)) this.scalars.set(key, index);
    else if (key instanceof Float) {
      this.floats ??= new HostMap();
      this.floats.set(key.n, index);
    } else this.others = insertEntry(this.others, [key, index], index);
    this.keys.push(key);
    this.items.push(item);
  }
}

/**
 * The host hashes a longer text by its length, and a big integer by its last digits: a program could give all keys one
 * hash.
 */
const HASHED_CHARS = 4_096;

/** Whether host maps compare the key as the language does, and find it quickly. */
function isScalarKey(key: Key): boolean {
  if (typeof key === "string") return key.length <= HASHED_CHARS;
  return typeof key === "object" ? key === null || key.tag === "keyword" : typeof key !== "bigint";
}
