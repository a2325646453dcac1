import { HostMap } from "../../base/intrinsics";
import type { Code } from "../compile/code";
import { noteDefinition } from "../direct/state";
import type { Vec } from "../values/collections";
import type { LispError, Place } from "../values/errors";
import { FRAME } from "../values/sizes";
import type { CallRequest, HigherOrderBuiltin, Native, Value } from "../values/values";

/** An activation of compiled code. */
export interface Frame {
  kind: "code";
  code: Code;
  captured: readonly Value[];
  /** First slot on the fiber's stack. */
  base: number;
  /** The next instruction. */
  pc: number;
  /** The instruction being executed, for the place of errors. */
  at: number;
}

/** An activation of a builtin that calls functions of the program. */
export interface NativeFrame {
  kind: "native";
  callee: HigherOrderBuiltin | Native;
  args: Value[];
  generator: Generator<CallRequest, Value, Value>;
  started: boolean;
  /**
   * What the functions that it called have answered: with them the same generator can be made again. Only the last one
   * when the builtin can continue from that.
   */
  readonly answers: Value[];
  readonly keepsAll: boolean;
  /** How many answers there were, when only the last one is kept. */
  answered: number;
  /** Definitions made by functions that it calls are dropped when it ends. */
  globals: Map<string, Value>;
}

/** A task whose body is running. */
export interface OpenTask {
  id: string;
  locked: boolean;
  /** A probe: the body runs only to find its first tool call, and the run ends with the body. */
  probe?: true;
  /** The task is recorded, and runs again. */
  replaces?: true;
}

/** What the branches of a section call: one function with each element, or each function without arguments. */
export type Branches = { fn: Value; items: Vec<Value> } | { functions: readonly Value[] };

/** A parallel section that a fiber waits for. */
export interface Section {
  readonly type: "pmap" | "pcalls";
  readonly count: number;
  readonly branches: Branches;
  next: number;
  running: number;
  readonly values: Value[];
  errors: number;
  /** The failure of the first failed branch in order: it becomes the failure of the section. */
  failed: { index: number; error: LispError } | null;
  /** Trace ids of the agents that its branches ran, by request number. */
  readonly traces: Map<number, string>;
  readonly startedAt: number;
}

/** One thread of evaluation: its frames and its operand stack. */
export class Fiber {
  readonly stack: (Value | undefined)[] = [];
  sp = 0;
  readonly frames: (Frame | NativeFrame)[] = [];
  state: "ready" | "blocked" | "done" = "ready";
  /** The failure of what the fiber waited for. It is thrown when the fiber continues. */
  failure: LispError | null = null;
  section: Section | null = null;
  /** Tasks around the present point, innermost last. */
  readonly tasks: OpenTask[] = [];
  nativeDepth = 0;
  /** The largest size of the stack so far, in slots and in frames. */
  highest = 0;
  deepest = 0;
  /** Number of parallel sections around this fiber. */
  readonly nesting: number;
  /** Number of frames of the fibers around this one. It does not change while this fiber runs. */
  private readonly framesAround: number;
  private ownsGlobals: boolean;

  constructor(
    readonly parent: Fiber | null,
    /** Position among the branches of the parent's section. */
    readonly index: number,
    public globals: Map<string, Value>,
    /** Number of the fiber, in order of start. */
    readonly number: number,
    /** The text of the program. */
    readonly text: object,
  ) {
    this.ownsGlobals = parent === null;
    this.nesting = parent === null ? 0 : parent.nesting + 1;
    this.framesAround = parent === null ? 0 : parent.depth;
  }

  /** Whether the definitions may be changed in place: nobody else sees them. */
  get owns(): boolean {
    return this.ownsGlobals;
  }

  restoreOwnership(owns: boolean): void {
    this.ownsGlobals = owns;
  }

  /** Depth of nested calls at this point. */
  get depth(): number {
    return this.framesAround + this.frames.length;
  }

  enter(code: Code, captured: readonly Value[], args: readonly Value[]): void {
    const base = this.sp;
    for (let i = 0; i < args.length; i++) this.stack[base + i] = args[i];
    for (let i = args.length; i < code.slots; i++) this.stack[base + i] = null;
    this.sp = base + code.slots;
    this.frames.push({ kind: "code", code, captured, base, pc: 0, at: 0 });
  }

  enterNative(callee: NativeFrame["callee"], args: Value[], generator: NativeFrame["generator"]): void {
    const keepsAll = callee.tag === "native" || callee.onward === undefined;
    this.frames.push({
      kind: "native",
      callee,
      args,
      generator,
      started: false,
      answers: [],
      keepsAll,
      answered: 0,
      globals: this.globals,
    });
    this.ownsGlobals = false;
    this.nativeDepth += 1;
  }

  /** Bytes by which the stack has outgrown its largest size so far; `sp` is its height. */
  grown(sp: number): number {
    let bytes = 0;
    if (this.frames.length > this.deepest) {
      bytes += FRAME * (this.frames.length - this.deepest);
      this.deepest = this.frames.length;
    }
    if (sp > this.highest) {
      bytes += 8 * (sp - this.highest);
      this.highest = sp;
    }
    return bytes;
  }

  /** Bytes of the stack, which are free again when the fiber ends. */
  get reserved(): number {
    return FRAME * this.deepest + 8 * this.highest;
  }

  leaveNative(): void {
    const frame = this.frames.pop() as NativeFrame;
    this.nativeDepth -= 1;
    this.globals = frame.globals;
    this.ownsGlobals = this.nativeDepth === 0 && this.parent === null;
  }

  /** Number of definitions that have to be copied before the next one is added. */
  get sharedGlobals(): number {
    return this.ownsGlobals ? 0 : this.globals.size;
  }

  define(name: string, value: Value): void {
    if (!this.ownsGlobals) {
      this.globals = new HostMap(this.globals);
      this.ownsGlobals = true;
    }
    this.globals.set(name, value);
    noteDefinition();
  }

  /** Whether a definition made now is kept: not in a parallel branch, and not in a function that a builtin calls. */
  keepsDefinitions(): boolean {
    return this.parent === null && this.nativeDepth === 0;
  }

  push(value: Value): void {
    this.stack[this.sp++] = value;
  }
  pop(): Value {
    return this.stack[--this.sp] as Value;
  }
  top(): Value {
    return this.stack[this.sp - 1] as Value;
  }
  popMany(count: number): Value[] {
    this.sp -= count;
    return this.stack.slice(this.sp, this.sp + count) as Value[];
  }

  /** Journal id of the innermost task at this point, also when the task was opened by a fiber around this one. */
  task(): string | undefined {
    return this.tasks.at(-1)?.id ?? this.parent?.task();
  }

  /** Whether a task around this point replaces a record. */
  replaces(): boolean {
    return this.tasks.some(({ replaces }) => replaces === true) || (this.parent?.replaces() ?? false);
  }

  /** Whether this fiber is `other`, or a branch inside it. */
  isWithin(other: Fiber): boolean {
    return this === other || (this.parent?.isWithin(other) ?? false);
  }

  /** The present place in the program's text. For a function of an earlier turn it is the place of its call. */
  place(): Place | undefined {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const frame = this.frames[i];
      if (frame?.kind === "code" && frame.code.text === this.text) return frame.code.places[frame.at];
    }
    return this.parent?.place();
  }

  /** The code of the running function, if it is a function of an earlier turn. */
  remembered(): Code | undefined {
    for (let i = this.frames.length - 1; i >= 0; i--) {
      const frame = this.frames[i];
      if (frame?.kind === "code") return frame.code.text === this.text ? undefined : frame.code;
    }
    return undefined;
  }
}
