import { ceil, HostMap, min } from "../../base/intrinsics";

/** What is asked of an attempt. */
export type Purpose =
  /** The match. */
  | "match"
  /** Whether there is one: states that are known to lead to one need not be tried again. */
  | "whether"
  /** One with a given end: that a state failed says nothing about other ends. */
  | "bounded";

/** Who pays for a search. */
export interface MatchBudget {
  /** Work, in steps. */
  charge(steps: number): void;
  /** Bytes that are kept for the whole search. */
  allocate(bytes: number): void;
  /** Bytes that are needed for now. */
  reserve(bytes: number): void;
}

/** Beyond all places on the way. */
const NOWHERE = 2 ** 30;

/** What the way to a state takes: the state itself, and what to come back to. */
const STATE_BYTES = 64;

/**
 * What is known of the states (a step at an offset) of a search: which have been entered, so that none is a second time.
 *
 * A state that failed stays so for all later attempts. Two kinds do not: those on the way to a match, and those that
 * failed only because they led back to a state that was on the way itself (a loop over nothing): when that one comes to
 * a match, they would have too. The latter are in doubt until that state has failed as well. Which these are is found as
 * Tarjan finds strongly connected components, in time that grows with the states entered: a state that leads back to
 * none before it settles all that came after it.
 *
 * The way and the bits are written by the matcher itself: this is the innermost loop of all.
 */
export class MatchMemo {
  /** A bit for each state. */
  readonly entered: Uint32Array;
  /** Those from which there is a match, as far as somebody asked only that. */
  private matching: Uint32Array | undefined;
  /** The states that are being tried, in order; the matcher knows how many of them. */
  readonly way: number[] = [];
  /** For each place on the way how many states were in doubt when it was entered; where nothing is written, none. */
  readonly doubtsAt: number[] = [];
  /** For each place on the way the earliest place that it led back to. */
  private readonly ledBack: number[] = [];
  private readonly doubtful: number[] = [];
  private readonly placeInDoubt = new HostMap<number, number>();
  private purpose: Purpose = "match";
  /** Whether `failed` has to be told: something led back, or every state has to be kept. */
  careful = false;

  constructor(
    private readonly steps: number,
    /** Offsets of the text, its end included. */
    readonly offsets: number,
    private readonly budget: MatchBudget,
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
    this.careful = purpose === "bounded";
    if (this.doubtful.length > 0) this.settle(0);
  }

  /** The states that need not be tried in this attempt. */
  get known(): Uint32Array | undefined {
    return this.purpose === "whether" ? this.matching : undefined;
  }

  get doubts(): number {
    return this.doubtful.length;
  }

  bill(work: number, length: number): void {
    this.budget.charge(work >> 2);
    this.budget.reserve(STATE_BYTES * (length + this.doubtful.length));
  }

  /** A state was entered before, and is not on the way: if it is in doubt, so is what led to it. */
  again(state: number, length: number): void {
    const doubt = this.placeInDoubt.get(state);
    if (doubt !== undefined) this.leadBack(length, this.placeBefore(doubt, length));
  }

  /** The last state on the way leads back to one of those before it. */
  leadBack(length: number, to: number): void {
    if (this.purpose === "bounded") return;
    this.careful = true;
    this.ledBack[length - 1] = min(this.ledBack[length - 1] ?? NOWHERE, to);
  }

  /** The last place on the way that was entered before a state came to be in doubt: that state hangs on it. */
  private placeBefore(doubt: number, length: number): number {
    let [from, to] = [0, length - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if ((this.doubtsAt[middle] ?? 0) <= doubt) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  /** All that was entered since the way was as long as `before` has failed. */
  failed(length: number, before: number): void {
    const { way, ledBack, doubtsAt, doubtful } = this;
    for (let i = length - 1; i >= before; i--) {
      const earliest = ledBack[i] ?? NOWHERE;
      if (this.purpose === "bounded") doubtful.push(way[i]!);
      else if (earliest >= i) this.settle(doubtsAt[i] ?? 0);
      else {
        this.placeInDoubt.set(way[i]!, doubtful.length);
        doubtful.push(way[i]!);
        ledBack[i - 1] = min(ledBack[i - 1] ?? NOWHERE, earliest);
      }
    }
    this.shorten(length, before);
  }

  private settle(doubts: number): void {
    while (this.doubtful.length > doubts) this.placeInDoubt.delete(this.doubtful.pop()!);
  }

  private shorten(length: number, to: number): void {
    for (let i = to; i < length; i++) {
      this.ledBack[i] = NOWHERE;
      this.doubtsAt[i] = 0;
    }
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
    if (this.careful) this.shorten(length, 0);
  }

  /** What is in doubt may be entered again. */
  forgetDoubts(): void {
    for (const state of this.doubtful) this.entered[state >>> 5]! &= ~(1 << (state & 31));
  }

  /** Nothing is known any more. */
  forget(): void {
    this.entered.fill(0);
  }
}
