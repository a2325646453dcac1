/** The golden ratio as 32 bits: neighbouring numbers end up far apart. */
const STEP = 0x9e3779b9;

/** Random choices that are the same for the same seed, on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = mixed(seed >>> 0);
  }

  /** Separate choices for one case: they do not depend on what other cases chose. */
  static ofCase(seed: number, index: number): Random {
    return new Random(mixed((seed >>> 0) ^ Math.imul(index + 1, STEP)));
  }

  /** From 0 up to, but without, 1. */
  next(): number {
    this.state = (this.state + STEP) >>> 0;
    return mixed(this.state) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Whether something with this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("There is nothing to pick from.");
    return from[this.int(0, from.length - 1)] as T;
  }

  /** `count` values of `make`. */
  list<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  shuffled<T>(from: readonly T[]): T[] {
    const all = [...from];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [all[i], all[j]] = [all[j] as T, all[i] as T];
    }
    return all;
  }
}

/** The mixing function of splitmix32. */
function mixed(value: number): number {
  let mix = value;
  mix = Math.imul(mix ^ (mix >>> 16), 0x21f0aaad);
  mix = Math.imul(mix ^ (mix >>> 15), 0x735a2d97);
  return (mix ^ (mix >>> 15)) >>> 0;
}
