import { ceil, HostMap, min } from "../../base/intrinsics";

/** What an attempt to match has to find out. */
export type Purpose =
  /** The match. */
  | "match"
  /** Only whether there is a match: states that are known to lead to one need not be tried again. */
  | "whether"
  /** A match with a given end: a state that failed may still succeed for another end. */
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

/** Larger than any place on the path. */
const NOWHERE = 2 ** 30;

/** Bytes for one state on the path: the state itself, and what to come back to. */
const STATE_BYTES = 64;

/**
 * Remembers which states (a step at an offset) a search has entered, so that none is entered twice.
 *
 * A state that failed has failed for all later attempts, with two exceptions: the states on the path to a match, and
 * the states that failed only because they led back to a state on the path itself (a loop over nothing). If that state
 * leads to a match after all, they would have too, so they are in doubt until it has failed as well. They are found as
 * Tarjan's algorithm finds strongly connected components, in time that grows with the number of states entered: a state
 * that leads back to none before it settles all that came after it.
 *
 * The matcher writes the path and the bits itself: this is its innermost loop.
 */
export class MatchMemo {
  /** A bit for each state. */
  readonly entered: Uint32Array;
  /** A bit for each state that is known to lead to a match; only attempts that ask `whether` fill it. */
  private matching: Uint32Array | undefined;
  /** The path: the states that are being tried, in order. The matcher knows its length. */
  readonly path: number[] = [];
  /** For each place on the path: how many states were in doubt when it was entered. Nothing written means none. */
  readonly doubtsAt: number[] = [];
  /** For each place on the path: the earliest place that it led back to. */
  private readonly ledBack: number[] = [];
  private readonly doubtful: number[] = [];
  private readonly placeInDoubt = new HostMap<number, number>();
  private purpose: Purpose = "match";
  /** Whether the matcher has to call `failed`: something led back, or every state has to be kept. */
  careful = false;

  constructor(
    private readonly steps: number,
    /** Number of offsets in the text, its end included. */
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

  /**
   * Called for a state that was entered before and is not on the path: if it is in doubt, so is the state that led to
   * it.
   */
  again(state: number, length: number): void {
    const doubt = this.placeInDoubt.get(state);
    if (doubt !== undefined) this.leadBack(length, this.placeBefore(doubt, length));
  }

  /** The last state on the path leads back to one before it. */
  leadBack(length: number, to: number): void {
    if (this.purpose === "bounded") return;
    this.careful = true;
    this.ledBack[length - 1] = min(this.ledBack[length - 1] ?? NOWHERE, to);
  }

  /** The last place on the path that was entered before a state came to be in doubt: the state depends on it. */
  private placeBefore(doubt: number, length: number): number {
    let [from, to] = [0, length - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if ((this.doubtsAt[middle] ?? 0) <= doubt) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  /** All states entered since the path had the length `before` have failed. */
  failed(length: number, before: number): void {
    const { path, ledBack, doubtsAt, doubtful } = this;
    for (let i = length - 1; i >= before; i--) {
      const earliest = ledBack[i] ?? NOWHERE;
      if (this.purpose === "bounded") doubtful.push(path[i]!);
      else if (earliest >= i) this.settle(doubtsAt[i] ?? 0);
      else {
        this.placeInDoubt.set(path[i]!, doubtful.length);
        doubtful.push(path[i]!);
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

  /** The path has led to a match. */
  succeeded(length: number): void {
    const { entered, path, purpose } = this;
    if (purpose === "whether") {
      this.matching ??= this.bits();
      for (let i = 0; i < length; i++) this.matching[path[i]! >>> 5]! |= 1 << (path[i]! & 31);
    }
    for (let i = 0; i < length; i++) entered[path[i]! >>> 5]! &= ~(1 << (path[i]! & 31));
    this.forgetDoubts();
    if (this.careful) this.shorten(length, 0);
  }

  /** Lets the states in doubt be entered again. */
  forgetDoubts(): void {
    for (const state of this.doubtful) this.entered[state >>> 5]! &= ~(1 << (state & 31));
  }

  /** Forgets all states. */
  forget(): void {
    this.entered.fill(0);
  }
}
