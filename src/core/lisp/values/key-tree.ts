import { compareKeys, type Key } from "./key-order";

/** A key with its value. Shared between maps: never changed after it was made. */
export type Entry<K, V = K> = readonly [K, V];

/**
 * A persistent weight-balanced search tree, for maps and sets of more than a few members. It was chosen over a hash
 * trie because no choice of keys can slow it down, and because it needs no hashes that are the same on every host.
 */
export interface KeyNode<K, V = K> {
  readonly entry: Entry<K, V>;
  /** Position in insertion order; kept when a value is replaced. */
  readonly seq: number;
  readonly left: KeyNode<K, V> | null;
  readonly right: KeyNode<K, V> | null;
  readonly size: number;
}

// Balance parameters of Hirai and Yamamoto, proven for this pair.
const DELTA = 3;
const RATIO = 2;

/** Returns the number of entries of a tree. */
export const treeSize = (node: KeyNode<unknown> | null): number => (node === null ? 0 : node.size);

function make<K extends Key, V = K>(
  entry: Entry<K, V>,
  seq: number,
  left: KeyNode<K, V> | null,
  right: KeyNode<K, V> | null,
): KeyNode<K, V> {
  return { entry, seq, left, right, size: treeSize(left) + treeSize(right) + 1 };
}

/** Finds the entry of a key. */
export function findEntry<K extends Key, V = K>(root: KeyNode<K, V> | null, key: K): Entry<K, V> | undefined {
  let node = root;
  while (node !== null) {
    const order = compareKeys(key, node.entry[0]);
    if (order === 0) return node.entry;
    node = order < 0 ? node.left : node.right;
  }
  return undefined;
}

/**
 * The tree with the entry added, or with the value of the same key replaced (its key and `seq` stay). The same node
 * when nothing changes: the value is the same, or `keep` is set and the key is there.
 */
export function insertEntry<K extends Key, V = K>(
  node: KeyNode<K, V> | null,
  entry: Entry<K, V>,
  seq: number,
  keep = false,
): KeyNode<K, V> {
  if (node === null) return make(entry, seq, null, null);
  const order = compareKeys(entry[0], node.entry[0]);
  if (order === 0) {
    if (keep || node.entry[1] === entry[1]) return node;
    return make([node.entry[0], entry[1]], node.seq, node.left, node.right);
  }
  if (order < 0) {
    const left = insertEntry(node.left, entry, seq, keep);
    return left === node.left ? node : balance(node.entry, node.seq, left, node.right);
  }
  const right = insertEntry(node.right, entry, seq, keep);
  return right === node.right ? node : balance(node.entry, node.seq, node.left, right);
}

/** The tree without the key, which must be present. */
export function removeKey<K extends Key, V = K>(node: KeyNode<K, V>, key: K): KeyNode<K, V> | null {
  const order = compareKeys(key, node.entry[0]);
  if (order < 0) return balance(node.entry, node.seq, node.left && removeKey(node.left, key), node.right);
  if (order > 0) return balance(node.entry, node.seq, node.left, node.right && removeKey(node.right, key));
  if (node.left === null) return node.right;
  if (node.right === null) return node.left;
  const next = first(node.right);
  return balance(next.entry, next.seq, node.left, removeKey(node.right, next.entry[0]));
}

function first<K extends Key, V = K>(node: KeyNode<K, V>): KeyNode<K, V> {
  let at = node;
  while (at.left !== null) at = at.left;
  return at;
}

/** All nodes in key order. */
export function treeNodes<K extends Key, V = K>(root: KeyNode<K, V> | null): KeyNode<K, V>[] {
  const nodes: KeyNode<K, V>[] = [];
  const waiting: KeyNode<K, V>[] = [];
  let node = root;
  while (node !== null || waiting.length > 0) {
    while (node !== null) {
      waiting.push(node);
      node = node.left;
    }
    const next = waiting.pop()!;
    nodes.push(next);
    node = next.right;
  }
  return nodes;
}

/** A balanced tree of entries with distinct keys; `seq` is the place in the array. */
export function treeOf<K extends Key, V = K>(entries: readonly Entry<K, V>[]): KeyNode<K, V> | null {
  const order = entries.map((entry, seq) => ({ entry, seq }));
  order.sort((a, b) => compareKeys(a.entry[0], b.entry[0]));
  const build = (from: number, to: number): KeyNode<K, V> | null => {
    if (from >= to) return null;
    const middle = (from + to) >> 1;
    const { entry, seq } = order[middle]!;
    return make(entry, seq, build(from, middle), build(middle + 1, to));
  };
  return build(0, order.length);
}

function balance<K extends Key, V = K>(
  entry: Entry<K, V>,
  seq: number,
  left: KeyNode<K, V> | null,
  right: KeyNode<K, V> | null,
): KeyNode<K, V> {
  const l = treeSize(left);
  const r = treeSize(right);
  if (l + r <= 1) return make(entry, seq, left, right);
  if (right !== null && r > DELTA * l) {
    if (treeSize(right.left) < RATIO * treeSize(right.right))
      return make(right.entry, right.seq, make(entry, seq, left, right.left), right.right);
    const inner = right.left!;
    return make(
      inner.entry,
      inner.seq,
      make(entry, seq, left, inner.left),
      make(right.entry, right.seq, inner.right, right.right),
    );
  }
  if (left !== null && l > DELTA * r) {
    if (treeSize(left.right) < RATIO * treeSize(left.left))
      return make(left.entry, left.seq, left.left, make(entry, seq, left.right, right));
    const inner = left.right!;
    return make(
      inner.entry,
      inner.seq,
      make(left.entry, left.seq, left.left, inner.left),
      make(entry, seq, inner.right, right),
    );
  }
  return make(entry, seq, left, right);
}
