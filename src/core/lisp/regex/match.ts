import { isWordPoint } from "./char-set";
import { type MatchBudget, MatchMemo, type Purpose } from "./match-memo";
import type { LookStep, PatternProgram } from "./program";
import type { Assertion } from "./tree";

/**
 * Matches a compiled pattern by backtracking that never tries the same step at the same offset twice: without
 * backreferences, what failed once fails again, also when the next search begins elsewhere. Time is at most the text's
 * length times the pattern's size, for every pattern, and every step is billed.
 *
 * A look (lookahead or lookbehind) only asks whether there is a match. What it captures is found once, at the end, at
 * the place where it was asked last.
 */
export class Matcher {
  private readonly memo: MatchMemo;
  private readonly noSlots: readonly number[];
  private readonly inner = new Map<PatternProgram, Matcher>();
  /**
   * What to come back to: a branching point as an offset and a step, or the earlier value of a slot or step, whose
   * number is below zero.
   */
  private readonly waiting: number[] = [];
  /** The last place of each step on the path. Only kept when a path can come back to itself. */
  private readonly places: number[];
  private unbilled = 0;

  constructor(
    private readonly program: PatternProgram,
    private readonly text: string,
    private readonly budget: MatchBudget,
  ) {
    this.memo = new MatchMemo(program.steps.length, text.length + 1, budget);
    this.places = program.circular ? new Array<number>(program.steps.length).fill(0) : [];
    this.noSlots = new Array<number>(program.slots).fill(-1);
  }

  /**
   * The first match at or after an offset (in UTF-16 units).
   *
   * @returns start and end of the whole match and of each group, -1 where a group took no part
   */
  search(from: number): number[] | null {
    for (let start = from; start <= this.text.length; start = this.after(start)) {
      const found = this.matchAt(start, "match");
      if (found) return found;
    }
    return null;
  }

  /** A match of the whole text. */
  whole(): number[] | null {
    const found = this.matchAt(0, "match", this.text.length);
    this.memo.forget();
    return found;
  }

  /** The offset after the character at an offset. */
  after(at: number): number {
    return at + ((this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }

  /** A match that begins at `start` and, when given, ends at `end`. */
  private matchAt(start: number, purpose: Purpose, end?: number): number[] | null {
    const slots = this.attempt(start, purpose, end);
    if (slots === null) return null;
    for (const { look, slot } of this.program.capturing) if (slots[slot]! >= 0) this.fillIn(look, slots[slot]!, slots);
    slots.length = 2 + 2 * this.program.groups;
    return slots;
  }

  private attempt(start: number, purpose: Purpose, end?: number): number[] | null {
    this.unbilled += this.program.slots >> 2;
    this.memo.begin(purpose);
    const slots = this.run(start, end);
    if (purpose === "bounded") this.memo.forgetDoubts();
    return slots;
  }

  private run(start: number, end: number | undefined): number[] | null {
    const { steps, circular } = this.program;
    const { memo, text, waiting, places } = this;
    const { entered, path, doubtsAt, offsets, known } = memo;
    const slots = this.noSlots.slice();
    slots[0] = start;
    let left = 0;
    let length = 0;
    let doubts = 0;
    let pc = 0;
    let at = start;
    for (;;) {
      for (;;) {
        this.unbilled += 1;
        if (this.unbilled >= 64) this.bill(length);
        const state = pc * offsets + at;
        const word = state >>> 5;
        const bit = 1 << (state & 31);
        if (known !== undefined && (known[word]! & bit) !== 0) return this.found(length, slots);
        if ((entered[word]! & bit) !== 0) {
          if (circular && places[pc]! < length && path[places[pc]!] === state) memo.leadBack(length, places[pc]!);
          else if (doubts > 0) memo.again(state, length);
          break;
        }
        entered[word]! |= bit;
        if (doubts > 0) doubtsAt[length] = doubts;
        if (circular) {
          waiting[left++] = places[pc]!;
          waiting[left++] = -slots.length - pc - 1;
          places[pc] = length;
        }
        path[length++] = state;
        const step = steps[pc]!;
        if (step.op === "char") {
          const point = text.codePointAt(at);
          if (point === undefined) break;
          if (point >= 128) this.unbilled += step.set.cost;
          if (!step.set.has(point)) break;
          at += point > 0xffff ? 2 : 1;
          pc += 1;
        } else if (step.op === "split") {
          waiting[left++] = length;
          waiting[left++] = at;
          waiting[left++] = step.second;
          pc = step.first;
        } else if (step.op === "jump") pc = step.to;
        else if (step.op === "match") {
          if (end !== undefined && at !== end) break;
          slots[1] = at;
          return this.found(length, slots);
        } else if (step.op === "assert") {
          if (!isAssertionTrue(step.what, text, at)) break;
          pc += 1;
        } else {
          if (step.op === "look" && this.standsThere(step, at) === step.negative) break;
          if (step.slot !== null) {
            waiting[left++] = slots[step.slot]!;
            waiting[left++] = -step.slot - 1;
            slots[step.slot] = at;
          }
          pc += 1;
        }
      }
      // Go back to the last branching point, and restore the slots.
      for (;;) {
        if (left === 0) {
          if (memo.careful) memo.failed(length, 0);
          return null;
        }
        const next = waiting[--left]!;
        const value = waiting[--left]!;
        if (next < -slots.length) places[-next - 1 - slots.length] = value;
        else if (next < 0) slots[-next - 1] = value;
        else {
          pc = next;
          at = value;
          const before = waiting[--left]!;
          if (memo.careful) {
            memo.failed(length, before);
            doubts = memo.doubts;
          }
          length = before;
          break;
        }
      }
    }
  }

  private found(length: number, slots: number[]): number[] {
    this.memo.succeeded(length);
    return slots;
  }

  private bill(length: number): void {
    this.memo.bill(this.unbilled, length);
    this.unbilled = 0;
  }

  /** Whether a look matches at an offset. */
  private standsThere({ program, lookbehind }: LookStep, at: number): boolean {
    const matcher = this.within(program);
    if (!lookbehind) return matcher.attempt(at, "whether") !== null;
    return matcher.startBefore(lookbehind, at, (start) => matcher.attempt(start, "bounded", at)) !== null;
  }

  /** Fills in the groups of a look that matched at an offset. */
  private fillIn({ program, lookbehind }: LookStep, at: number, slots: number[]): void {
    const matcher = this.within(program);
    const found = lookbehind
      ? matcher.startBefore(lookbehind, at, (start) => matcher.matchAt(start, "bounded", at))
      : matcher.matchAt(at, "match");
    if (found === null) return;
    for (let slot = 2; slot < found.length; slot++) if (found[slot]! >= 0) slots[slot] = found[slot]!;
  }

  private within(program: PatternProgram): Matcher {
    let matcher = this.inner.get(program);
    if (!matcher) {
      matcher = new Matcher(program, this.text, this.budget);
      this.inner.set(program, matcher);
    }
    return matcher;
  }

  /** Tries the starts that are within a width before an offset, the nearest first. */
  private startBefore(
    width: { min: number; max: number },
    at: number,
    attempt: (start: number) => number[] | null,
  ): number[] | null {
    let start = at;
    for (let length = 0; length <= width.max; length++) {
      if (length >= width.min) {
        const found = attempt(start);
        if (found) return found;
      }
      if (start === 0) return null;
      start -= pointBefore(this.text, start) > 0xffff ? 2 : 1;
    }
    return null;
  }
}

/** Whether an assertion such as `^` or `\b` is true at an offset of a text. */
function isAssertionTrue(what: Assertion, text: string, at: number): boolean {
  switch (what) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "last-end":
      return at === text.length || (at === text.length - 1 && text[at] === "\n");
    case "line-start":
      return at === 0 || text[at - 1] === "\n";
    case "line-end":
      return at === text.length || text[at] === "\n";
    default: {
      const before = at > 0 && isWordPoint(pointBefore(text, at));
      const after = at < text.length && isWordPoint(text.codePointAt(at)!);
      return (before !== after) === (what === "word");
    }
  }
}

/** The character that ends at an offset. */
function pointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  const paired = unit >= 0xdc00 && unit <= 0xdfff && at >= 2;
  return text.codePointAt(paired ? at - 2 : at - 1)!;
}
