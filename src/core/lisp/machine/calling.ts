import { callee as directly, isCallable } from "../builtins/callable";
import type { Code } from "../compile/code";
import { DirectCalls, type DirectMachine } from "../direct/calls";
import { directFor } from "../direct/functions";
import { Vec } from "../values/collections";
import type { BuiltinContext, Quick } from "../values/context";
import { LispError } from "../values/errors";
import { SLOT, VECTOR } from "../values/sizes";
import type { Builtin, Native, Value } from "../values/values";
import { Closure } from "../values/values";
import { checkArity, notCallable } from "./checks";
import type { Fiber, NativeFrame } from "./fiber";
import type { Fuel } from "./fuel";

const WIDE_FRAME = 64;

/** Calls by the program and its builtins: the callee gets a frame, or answers at once. */
export class Calling {
  /** The builtin that runs, and its fiber. */
  private running: NativeFrame | null = null;
  private runningIn: Fiber | null = null;

  constructor(
    private readonly maxDepth: number,
    private readonly fuel: Fuel,
    private readonly context: BuiltinContext,
    private readonly machine: DirectMachine,
  ) {}

  /** Calls of a function by the running builtin that need no evaluator. */
  quick(fn: Value, times: number): Quick<Value> | null {
    // A builtin that is brought back to where it stood does not run here: it gets the answers that it had.
    const { running: frame, runningIn: fiber } = this;
    if (frame === null || fiber === null || !(fn instanceof Closure)) return null;
    const direct = directFor(fn.code as Code, times);
    return direct === null || direct.run === null
      ? null
      : new DirectCalls(this.machine, fiber, frame, fn.captured, direct);
  }

  /** Pushes a frame for the callee, or its answer when it needs no frame. */
  call(fiber: Fiber, callee: Value, args: Value[]): void {
    if (callee instanceof Closure) return this.enter(fiber, callee, args);
    if (!isCallable(callee)) throw notCallable(callee);
    const { tag } = callee as { tag: string };
    if (tag === "builtin" || tag === "native") {
      // Functions such as those of fnil can be nested without end and without a closure between them.
      if (fiber.depth >= this.maxDepth) throw this.tooDeep();
      const builtin = callee as Builtin | Native;
      checkArity(builtin, args.length);
      if (builtin.tag === "builtin" && builtin.kind === "plain") return fiber.push(builtin.call(args, this.context));
      fiber.enterNative(builtin, args, builtin.call(args, this.context));
      return this.payStack(fiber);
    }
    const direct = directly("call", callee, this.context);
    if (direct === null) throw notCallable(callee);
    fiber.push(direct(args));
  }

  /** Runs a higher-order builtin until it calls a function of the program or is done. */
  runNative(fiber: Fiber, frame: NativeFrame): void {
    let answer: Value = null;
    if (frame.started) {
      answer = fiber.pop();
      keep(frame, answer);
    }
    frame.started = true;
    for (;;) {
      this.running = frame;
      this.runningIn = fiber;
      const step = frame.generator.next(answer);
      this.running = null;
      if (step.done) {
        fiber.leaveNative();
        return fiber.push(step.value);
      }
      this.fuel.charge(1);
      const { fn, args } = step.value;
      if (fn !== null && typeof fn === "object" && fn.tag === "builtin" && fn.kind === "plain") {
        checkArity(fn, args.length);
        answer = fn.call(args, this.context);
        keep(frame, answer);
        continue;
      }
      this.call(fiber, fn, args);
      // A callable that needs no frame (a keyword, a map) has answered already.
      if (fiber.frames[fiber.frames.length - 1] !== frame) return;
      answer = fiber.pop();
      keep(frame, answer);
    }
  }

  /** Whether a call needs nothing but a frame with the arguments in its first slots. */
  isSimple(fiber: Fiber, code: Code, count: number): boolean {
    return code.arity === count && !code.variadic && code.slots <= WIDE_FRAME && fiber.depth < this.maxDepth;
  }

  private enter(fiber: Fiber, { code: ownCode, captured }: Closure, args: Value[]): void {
    const code = ownCode as Code;
    if (code.variadic ? args.length < code.arity : args.length !== code.arity)
      throw new LispError(
        "eval_error",
        "arity_mismatch",
        `${code.name ?? "function"} expects ${code.arity}${code.variadic ? "+" : ""} argument(s), got ${args.length}`,
      );
    if (fiber.depth >= this.maxDepth) throw this.tooDeep();
    // Clearing the slots of a very long function takes noticeable time.
    if (code.slots > WIDE_FRAME) this.fuel.charge(code.slots >> 2);
    const given = code.variadic ? [...args.slice(0, code.arity), this.rest(args.slice(code.arity))] : args;
    fiber.enter(code, captured, given);
    this.payStack(fiber);
  }

  private rest(args: Value[]): Vec<Value> {
    this.fuel.allocate(VECTOR + SLOT * args.length);
    return Vec.from(args);
  }

  /** Pays for the fiber's stack when it becomes larger than ever before. */
  private payStack(fiber: Fiber): void {
    const bytes = fiber.grown(fiber.sp);
    if (bytes > 0) this.fuel.allocate(bytes);
  }

  private tooDeep(): LispError {
    return new LispError(
      "eval_error",
      "execution_error",
      `calls are nested deeper than ${this.maxDepth}: use loop/recur or reduce`,
    );
  }
}

function keep(frame: NativeFrame, answer: Value): void {
  if (frame.keepsAll) frame.answers.push(answer);
  else {
    frame.answered += 1;
    frame.answers[0] = answer;
  }
}
