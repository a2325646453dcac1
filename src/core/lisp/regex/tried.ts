import type { BuiltinContext } from "../builtin";
import { ceil, HostMap, min } from "../host";

/** What is asked of an attempt. */
export type Purpose =
  /** The match. */
  | "match"
  /** Whether there is one: states that are known to lead to one need not be tried again. */
  | "whether"
  /** One with a given end: that a state failed says nothing about other ends. */
  | "bounded";

/** No place on the way: beyond all of them. */
export const NOWHERE = 2 ** 30;

/** What the way to a state takes: the state itself, and what to come back to. */
const STATE_BYTES = 48;

/**
 * What is known of the states (a step at an offset) of a search: which have been entered, so that none is a second time.
 *
 * A state that failed stays so for all later attempts. Two kinds do not: those on the way to a match, and those that
 * failed only because they led back to a state that was being tried itself (a loop over nothing): when that one comes
 * to a match, they would have too. The latter are `unsure`, each with the place on the way of the state it depends on.
 *
 * The way and the bits are written by the matcher itself: this is the innermost loop of all.
 */
export class Tried {
  /** A bit for each state. */
  readonly entered: Uint32Array;
  /** Those from which there is a match, as far as somebody asked only that. */
  private matching: Uint32Array | undefined;
  /** The states that are being tried, in order; the matcher knows how many of them. */
  readonly way: number[] = [];
  /** The earliest place on the way that was led back to since it last parted. */
  ledBack = NOWHERE;
  private readonly unsure: number[] = [];
  private readonly dependsOn = new HostMap<number, number>();
  private purpose: Purpose = "match";

  constructor(
    private readonly steps: number,
    /** Offsets of the text, its end included. */
    readonly offsets: number,
    private readonly budget: Pick<BuiltinContext, "charge" | "allocate" | "reserve">,
  ) {
    this.entered = this.bits();
  }

  private bits(): Uint32Array {
    const words = ceil((this.steps * this.offsets) / 32);
    this.budget.allocate(words * 4);
    this.budget.charge(1 + (words >> 4));
    return new Uint32Array(words);
  }

  begin(purpose: Purpose): void {
    this.purpose = purpose;
    this.ledBack = NOWHERE;
    if (this.unsure.length > 0) this.settle(0);
  }

  /** The states that need not be tried in this attempt. */
  get known(): Uint32Array | undefined {
    return this.purpose === "whether" ? this.matching : undefined;
  }

  bill(work: number, length: number): void {
    this.budget.charge(work >> 2);
    this.budget.reserve(STATE_BYTES * (length + this.unsure.length));
  }

  /** How many are unsure: to be told to `failed` when the way has parted here and comes back. */
  get doubts(): number {
    return this.unsure.length;
  }

  /**
   * A state was entered before: has it failed, or is it being tried?
   *
   * @param length of the way
   * @returns the work it took to find out
   */
  again(state: number, at: number, length: number): number {
    const { way, offsets } = this;
    if (this.purpose === "bounded") return 0;
    if (this.unsure.length > 0) this.ledBack = min(this.ledBack, this.dependsOn.get(state) ?? NOWHERE);
    // Offsets only grow along the way.
    for (let i = length - 1; i >= 0; i--) {
      if (way[i] === state) this.ledBack = min(this.ledBack, i);
      else if (way[i]! % offsets === at) continue;
      return length - i;
    }
    return length;
  }

  /**
   * All that was entered since the way parted has failed.
   *
   * @param length of the way now, and as it was `before`
   * @param doubts and `ledBack`: what these were before
   */
  failed(length: number, before: number, doubts: number, ledBack: number): void {
    const since = this.ledBack;
    if (since >= before) {
      if (this.purpose === "bounded") this.keep(length, before, NOWHERE);
      else if (this.unsure.length > doubts) this.settle(doubts);
      this.ledBack = ledBack;
      return;
    }
    // What depended on a state that has now failed depends on what that one led back to.
    for (let i = doubts; i < this.unsure.length; i++)
      if (this.dependsOn.get(this.unsure[i]!)! >= before) this.dependsOn.set(this.unsure[i]!, since);
    this.budget.charge((this.unsure.length - doubts) >> 2);
    this.keep(length, before, since);
    this.ledBack = min(since, ledBack);
  }

  private keep(length: number, before: number, since: number): void {
    for (let i = before; i < length; i++) {
      this.unsure.push(this.way[i]!);
      if (since !== NOWHERE) this.dependsOn.set(this.way[i]!, since);
    }
  }

  private settle(doubts: number): void {
    while (this.unsure.length > doubts) this.dependsOn.delete(this.unsure.pop()!);
  }

  /** The way has come to a match. */
  succeeded(length: number): void {
    const { entered, way, purpose } = this;
    if (purpose === "whether") {
      this.matching ??= this.bits();
      for (let i = 0; i < length; i++) this.matching[way[i]! >>> 5]! |= 1 << (way[i]! & 31);
    }
    for (let i = 0; i < length; i++) entered[way[i]! >>> 5]! &= ~(1 << (way[i]! & 31));
    this.forgetDoubts();
  }

  /** What is unsure may be entered again. */
  forgetDoubts(): void {
    for (const state of this.unsure) this.entered[state >>> 5]! &= ~(1 << (state & 31));
  }

  /** Nothing is known any more. */
  forget(): void {
    this.entered.fill(0);
  }
}
