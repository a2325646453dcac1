import { ceil } from "../host";
import { isWordPoint } from "./char-set";
import type { PatternProgram, Step } from "./program";
import type { Assertion } from "./tree";

/**
 * Matches a compiled pattern by backtracking that never tries the same step at the same place of the text twice:
 * with no backreferences, what failed once fails again. Time is at most text length times pattern
 * size, whatever the pattern, and every step is billed.
 */
export class Matcher {
  private readonly seen: Uint32Array;
  /** States entered since the attempt began: taken back when it succeeds, since they did not fail. */
  private trail: number[] = [];
  /** Neither the match nor a group has been found. */
  private readonly noSlots: readonly number[];
  private readonly inner = new Map<PatternProgram, Matcher>();
  private unbilled = 0;

  constructor(
    private readonly program: PatternProgram,
    private readonly text: string,
    private readonly budget: { charge(steps: number): void; allocate(bytes: number): void },
  ) {
    const words = ceil((program.steps.length * (text.length + 1)) / 32);
    budget.allocate(words * 4);
    budget.charge(1 + (words >> 4));
    this.seen = new Uint32Array(words);
    this.noSlots = new Array<number>(2 + program.groups * 2).fill(-1);
  }

  /**
   * The first match at or after an offset (in UTF-16 units).
   *
   * @returns start and end of the whole match and of each group, -1 where a group took no part
   */
  search(from: number): number[] | null {
    for (let start = from; start <= this.text.length; start = this.after(start)) {
      const found = this.attempt(start, undefined);
      if (found) return found;
    }
    return null;
  }

  /** A match of the whole text. */
  whole(): number[] | null {
    return this.attempt(0, this.text.length);
  }

  /** The offset behind the character at an offset. */
  after(at: number): number {
    return at + ((this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }

  /** A match that begins at `start` and, when given, ends at `end`. */
  private attempt(start: number, end: number | undefined): number[] | null {
    const found = this.run(start, end);
    // With a required end, failures say nothing about other ends.
    if (found || end !== undefined) for (const state of this.trail) this.seen[state >>> 5]! &= ~(1 << (state & 31));
    this.trail = [];
    return found;
  }

  private run(start: number, end: number | undefined): number[] | null {
    const { steps, groups } = this.program;
    this.unbilled += groups >> 1;
    const slots = this.noSlots.slice();
    slots[0] = start;
    // Work to come back to: step and offset, or (with a negative first number) a slot to restore.
    const waiting: number[] = [0, start];
    while (waiting.length > 0) {
      let at = waiting.pop()!;
      let pc = waiting.pop()!;
      if (pc < 0) {
        slots[-pc - 1] = at;
        continue;
      }
      while (this.enter(pc, at)) {
        const step = steps[pc]!;
        if (step.op === "match") {
          if (end !== undefined && at !== end) break;
          slots[1] = at;
          return slots;
        }
        if (step.op === "char") {
          const point = this.text.codePointAt(at);
          if (point === undefined) break;
          if (point >= 128) this.unbilled += step.set.cost;
          if (!step.set.has(point)) break;
          at += point > 0xffff ? 2 : 1;
          pc += 1;
        } else if (step.op === "split") {
          waiting.push(step.second, at);
          pc = step.first;
        } else if (step.op === "jump") pc = step.to;
        else if (step.op === "save") {
          waiting.push(-step.slot - 1, slots[step.slot]!);
          slots[step.slot] = at;
          pc += 1;
        } else if (step.op === "assert") {
          if (!this.holds(step.what, at)) break;
          pc += 1;
        } else {
          if (!this.look(step, at, slots, waiting)) break;
          pc += 1;
        }
      }
    }
    return null;
  }

  /** Whether a step is tried at an offset for the first time. */
  private enter(pc: number, at: number): boolean {
    this.unbilled += 1;
    if (this.unbilled >= 64) {
      this.budget.charge(this.unbilled >> 2);
      this.unbilled = 0;
    }
    const state = pc * (this.text.length + 1) + at;
    const bit = 1 << (state & 31);
    if ((this.seen[state >>> 5]! & bit) !== 0) return false;
    this.seen[state >>> 5]! |= bit;
    this.trail.push(state);
    return true;
  }

  private look(step: Extract<Step, { op: "look" }>, at: number, slots: number[], waiting: number[]): boolean {
    let matcher = this.inner.get(step.program);
    if (!matcher) {
      matcher = new Matcher(step.program, this.text, this.budget);
      this.inner.set(step.program, matcher);
    }
    const found = step.behind ? this.lookBehind(matcher, step.behind, at) : matcher.attempt(at, undefined);
    if (step.negative) return found === null;
    if (found === null) return false;
    for (let slot = 2; slot < found.length; slot++) {
      if (found[slot]! < 0) continue;
      waiting.push(-slot - 1, slots[slot]!);
      slots[slot] = found[slot]!;
    }
    return true;
  }

  private lookBehind(matcher: Matcher, width: { min: number; max: number }, at: number): number[] | null {
    let start = at;
    for (let length = 0; length <= width.max; length++) {
      if (length >= width.min) {
        const found = matcher.attempt(start, at);
        if (found) return found;
      }
      if (start === 0) return null;
      start -= this.pointBefore(start) > 0xffff ? 2 : 1;
    }
    return null;
  }

  private pointBefore(at: number): number {
    const unit = this.text.charCodeAt(at - 1);
    const paired = unit >= 0xdc00 && unit <= 0xdfff && at >= 2;
    return this.text.codePointAt(paired ? at - 2 : at - 1)!;
  }

  private holds(what: Assertion, at: number): boolean {
    const { text } = this;
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
        const before = at > 0 && isWordPoint(this.pointBefore(at));
        const after = at < text.length && isWordPoint(text.codePointAt(at)!);
        return (before !== after) === (what === "word");
      }
    }
  }
}
