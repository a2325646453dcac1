import { max, min } from "../../base/intrinsics";

/** From this many elements on, the charge for an array that grew covers its spare space. */
const ROOMY = 32;

/**
 * An immutable vector: a window on an array that several vectors may share. Adding at the end writes into the shared
 * array when no other vector has written there yet, so each `conj` while building a vector costs O(1). Taking a part
 * always costs O(1).
 */
export class Vec<T> {
  readonly tag = "vector";
  static readonly empty = new Vec<never>([], 0, 0);

  private constructor(
    /** Or the distance of integers that nobody has needed in an array yet: then `start` is the first of them. */
    private items: T[] | number,
    private start: number,
    readonly length: number,
  ) {}

  /** Integers at equal distances. They are in an array from when one is needed; until then each is computed. */
  static range(first: number, step: number, count: number): Vec<number> {
    return count === 0 ? Vec.empty : new Vec<number>(step, first, count);
  }

  /** Takes the array over: the caller must not change it afterwards. */
  static from<T>(items: T[]): Vec<T> {
    return items.length === 0 ? Vec.empty : new Vec(items, 0, items.length);
  }

  static of<T extends unknown[]>(...items: T): Vec<T[number]> {
    return Vec.from(items);
  }

  /** The vector as a window on its array, for writing it down: `slots` is shared with other vectors. */
  get window(): { slots: readonly T[]; start: number; length: number } {
    const slots = this.slots();
    return { slots, start: this.start, length: this.length };
  }

  /** A vector that was written down as a window; `slots` may still be filled, and is shared. */
  static onWindow<T>(slots: T[], start: number, length: number): Vec<T> {
    return length === 0 ? Vec.empty : new Vec(slots, start, length);
  }

  /** Integers that are not in an array: the first of them and their distance. Else undefined. */
  get series(): { first: number; step: number } | undefined {
    const { items, start } = this;
    return typeof items === "number" ? { first: start, step: items } : undefined;
  }

  /** The element at an index that is known to be in range. */
  at(index: number): T {
    const { items, start } = this;
    return typeof items === "number" ? ((start + index * items) as T) : items[start + index]!;
  }

  /** The element, or undefined out of range or for an index that is no integer. */
  get(index: number): T | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    const slots = this.slots();
    return slots[this.start + index];
  }

  /** A new array, which the caller may change. */
  toArray(): T[] {
    const { items, start, length } = this;
    return typeof items === "number" ? this.computed(items) : items.slice(start, start + length);
  }

  private computed(step: number): T[] {
    const { start, length } = this;
    const all: number[] = [];
    for (let i = 0; i < length; i++) all.push(start + i * step);
    // An array that grew has space for sixteen elements more, which no step was charged for: a copy has none.
    return (length < ROOMY ? all.slice() : all) as T[];
  }

  private slots(): T[] {
    if (typeof this.items === "number") {
      this.items = this.computed(this.items);
      this.start = 0;
    }
    return this.items;
  }

  /** Whether `conj` would have to copy the elements, because another vector has grown from the same place. */
  get copiesToGrow(): boolean {
    const { items, start, length } = this;
    return length > 0 && typeof items !== "number" && start + length !== items.length;
  }

  conj(value: T): Vec<T> {
    if (this.length > 0 && !this.copiesToGrow) {
      const slots = this.slots();
      slots.push(value);
      return new Vec(slots, this.start, this.length + 1);
    }
    const copy = this.toArray();
    copy.push(value);
    return new Vec(copy, 0, copy.length);
  }

  /** With the element at `index` replaced; `index` = length appends. The caller checks the range. */
  assoc(index: number, value: T): Vec<T> {
    if (index === this.length) return this.conj(value);
    const copy = this.toArray();
    copy[index] = value;
    return new Vec(copy, 0, copy.length);
  }

  /** The part from `from` (inclusive) to `to` (exclusive), both clamped; shares the elements. */
  slice(from: number, to = this.length): Vec<T> {
    const start = max(0, min(from, this.length));
    const end = max(start, min(to, this.length));
    if (start === 0 && end === this.length) return this;
    return end === start ? Vec.empty : this.part(start, end - start);
  }

  private part(from: number, length: number): Vec<T> {
    const slots = this.slots();
    return new Vec(slots, this.start + from, length);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}
