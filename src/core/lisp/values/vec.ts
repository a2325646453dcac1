import { max, min } from "../../base/intrinsics";

/**
 * An immutable vector: a window on an array that several vectors may share. Adding at the end writes into the shared
 * array when no other vector has written there yet, so each `conj` while building a vector costs O(1). Taking a part
 * always costs O(1).
 */
export class Vec<T> {
  readonly tag = "vector";
  static readonly empty = new Vec<never>([], 0, 0);

  private constructor(
    private readonly items: T[],
    private readonly start: number,
    readonly length: number,
  ) {}

  /** Takes the array over: the caller must not change it afterwards. */
  static from<T>(items: T[]): Vec<T> {
    return items.length === 0 ? Vec.empty : new Vec(items, 0, items.length);
  }

  static of<T extends unknown[]>(...items: T): Vec<T[number]> {
    return Vec.from(items);
  }

  /** The vector as a window on its array, for writing it down: `slots` is shared with other vectors. */
  get window(): { slots: readonly T[]; start: number; length: number } {
    return { slots: this.items, start: this.start, length: this.length };
  }

  /** A vector that was written down as a window; `slots` may still be filled, and is shared. */
  static onWindow<T>(slots: T[], start: number, length: number): Vec<T> {
    return length === 0 ? Vec.empty : new Vec(slots, start, length);
  }

  /** The element at an index that is known to be in range. */
  at(index: number): T {
    return this.items[this.start + index]!;
  }

  /** The element, or undefined out of range or for an index that is no integer. */
  get(index: number): T | undefined {
    return index >= 0 && index < this.length ? this.items[this.start + index] : undefined;
  }

  /** A new array, which the caller may change. */
  toArray(): T[] {
    return this.items.slice(this.start, this.start + this.length);
  }

  /** Whether `conj` would have to copy the elements, because another vector has grown from the same place. */
  get copiesToGrow(): boolean {
    return this.length > 0 && this.start + this.length !== this.items.length;
  }

  conj(value: T): Vec<T> {
    if (this.length > 0 && !this.copiesToGrow) {
      this.items.push(value);
      return new Vec(this.items, this.start, this.length + 1);
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
    return end === start ? Vec.empty : new Vec(this.items, this.start + start, end - start);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.items[this.start + i]!;
  }
}
