import { min } from "../../base/intrinsics";
import { Vec } from "../values/collections";
import type { Elements, Quick } from "../values/context";
import { FRAME } from "../values/sizes";
import { swapMeter } from "../values/traversal-limit";
import type { Builtin, Value } from "../values/values";
import type { DirectForm } from "./functions";
import { charge, lookAt, presentCall } from "./state";
import type { DirectFunction } from "./translate";

/**
 * Calls functions of a program without the evaluator. Such a call has no frames and cannot stop in its middle, so it may
 * do nothing but compute. When it meets anything else (a tool, an error, a limit, a deep recursion), nothing of it counts,
 * and the evaluator makes the same call from its beginning. So both ways give the same values, steps, bytes and errors,
 * and a program cannot observe which way a call took.
 */

/** The part of the evaluator's meter that is needed here. */
export interface DirectFuel {
  available(): number;
  used(steps: number): void;
  allocate(bytes: number): void;
  readonly bytes: number;
}

/** What a call needs to know of its fiber. */
export interface DirectFiber {
  readonly globals: ReadonlyMap<string, Value>;
  readonly frames: readonly unknown[];
  /** Number of frames, those of the fibers around it included. */
  readonly depth: number;
  sp: number;
  highest: number;
  deepest: number;
}

/** The frame of a builtin that calls functions. */
export interface AnswersKept {
  readonly answers: Value[];
  readonly keepsAll: boolean;
  answered: number;
}

/** What a program is run with. */
export interface DirectMachine {
  readonly fuel: DirectFuel;
  readonly limits: { readonly max_depth: number; readonly max_iterations: number };
  readonly builtins: ReadonlyMap<string, Builtin>;
}

const state = presentCall();

/** Frames of the host's stack that a call may take: the rest of that stack belongs to the caller. */
const MAX_FRAMES = 300;

/** The host's small integers end above it. */
const MAX_GRANT = 1_000_000_000;

/** The cost of a call for nothing, besides its steps. */
const LOST_CALL = 200;

/** Steps that may be lost anyway. */
const LOST_FREE = 1_000;

/** Before the first call: what it may use, and where it stands. @returns the steps that are granted */
function begin(of: DirectMachine, fiber: DirectFiber): number {
  lookAt(fiber.globals, of.builtins);
  const around = fiber.frames.length;
  const granted = min(of.fuel.available(), MAX_GRANT);
  state.left = granted;
  state.bytes = of.fuel.bytes;
  state.high = fiber.highest;
  state.deep = fiber.deepest;
  state.deepest = min(around + MAX_FRAMES, of.limits.max_depth - fiber.depth + around);
  state.rounds = of.limits.max_iterations;
  return granted;
}

/** After the last call: the program's meter receives the steps and bytes that the calls used. */
function end(of: DirectMachine, fiber: DirectFiber, direct: DirectForm, granted: number): void {
  const { fuel } = of;
  fuel.used(granted - state.left);
  fuel.allocate(fuel.bytes - state.bytes);
  fiber.highest = state.high;
  fiber.deepest = state.deep;
  direct.gained += granted - state.left;
}

/** Pays for the fiber's stack when it has become larger. @returns whether everything could be paid */
function paid(high: number, deep: number): boolean {
  if (state.high !== high || state.deep !== deep) state.bytes -= FRAME * (state.deep - deep) + 8 * (state.high - high);
  return state.left >= 0 && state.bytes >= 0;
}

/** Counts a call that was abandoned. The evaluator takes a function with many of them at once. */
function lost(direct: DirectForm, steps: number): void {
  direct.lost += steps + LOST_CALL;
  if (direct.lost > LOST_FREE + (direct.gained >> 2)) direct.run = null;
}

/**
 * Calls a function once; it takes as many arguments as are given.
 *
 * @param base where its frame would begin on the fiber's stack
 * @returns undefined when the evaluator has to make the call: then it is as if nothing had happened
 */
export function callDirect(
  of: DirectMachine,
  fiber: DirectFiber,
  direct: DirectForm,
  captured: readonly Value[],
  base: number,
  args: readonly Value[],
): Value | undefined {
  const run = direct.run as DirectFunction;
  const granted = begin(of, fiber);
  const depth = fiber.frames.length + 1;
  const outer = swapMeter(charge);
  try {
    const value =
      args.length === 1 ? run(captured, base, depth, args[0] as Value) : run(captured, base, depth, ...args);
    if (paid(fiber.highest, fiber.deepest)) {
      end(of, fiber, direct, granted);
      return value;
    }
  } catch {
    // Whatever it is: the evaluator makes the call again, and meets it where it belongs.
  } finally {
    swapMeter(outer);
  }
  lost(direct, granted - state.left);
  return undefined;
}

/** Calls of one function by one builtin. The builtin's frame keeps the answers, as it does with those of the evaluator. */
export class DirectCalls implements Quick<Value> {
  result: Value = null;

  constructor(
    private readonly machine: DirectMachine,
    private readonly fiber: DirectFiber,
    private readonly frame: AnswersKept,
    private readonly captured: readonly Value[],
    private readonly direct: DirectForm,
  ) {}

  one(a: Value): Value | undefined {
    const item = [a];
    return this.each(Vec.from(item), 0, item) === 1 ? item[0] : undefined;
  }

  each(items: Elements<Value>, from: number, answers: Value[]): number {
    if (this.direct.run === null || this.direct.arity !== 1) return from;
    return this.all(items, from, null, answers);
  }

  fold(items: Elements<Value>, from: number, start: Value): number {
    this.result = start;
    if (this.direct.run === null || this.direct.arity !== 2) return from;
    return this.all(items, from, start, null);
  }

  /** `answers` is null for a fold: its frame keeps the last answer only. */
  private all(items: Elements<Value>, from: number, start: Value, answers: Value[] | null): number {
    const { machine, fiber, frame, captured, direct } = this;
    const run = direct.run as DirectFunction;
    const granted = begin(machine, fiber);
    const depth = fiber.frames.length + 1;
    const base = fiber.sp;
    let { left, bytes, high, deep } = state;
    let at = from;
    let value = start;
    const outer = swapMeter(charge);
    try {
      for (; at < items.length; at++) {
        // The builtin's request costs a step.
        state.left -= 1;
        const answer =
          answers === null ? run(captured, base, depth, value, items.at(at)) : run(captured, base, depth, items.at(at));
        if (!paid(high, deep)) break;
        ({ left, bytes, high, deep } = state);
        if (answers === null) value = answer;
        else {
          answers[at] = answer;
          if (frame.keepsAll) frame.answers.push(answer);
        }
      }
    } catch {
      // Whatever it is: the evaluator makes the call again, and meets it where it belongs.
    } finally {
      swapMeter(outer);
    }
    if (at < items.length) lost(direct, left - state.left);
    state.left = left;
    state.bytes = bytes;
    state.high = high;
    state.deep = deep;
    end(machine, fiber, direct, granted);
    this.result = value;
    if (at > from && !frame.keepsAll) {
      frame.answered += at - from;
      frame.answers[0] = value;
    }
    return at;
  }
}
