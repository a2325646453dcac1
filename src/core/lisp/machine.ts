import type { Result } from "../failure";
import type { Json } from "../json";
import type { Builtin, BuiltinContext, CallRequest, Native } from "./builtin";
import { callee as directly, isCallable } from "./builtins/callable";
import {
  branchError,
  checkArity,
  checkPattern,
  isZeroArgumentFunction,
  keywordMap,
  makeClosure,
  notCallable,
  toolError,
  unbound,
} from "./calls";
import { Closure } from "./closure";
import { type Code, Op } from "./code";
import { PMap, PSet, Vec } from "./collections";
import { fromJson } from "./encode";
import { equalValues } from "./equality";
import { LispError } from "./errors";
import { Fiber, type Frame, type NativeFrame } from "./fiber";
import { lookup } from "./lookup";
import { makeNative } from "./natives";
import { Prints } from "./prints";
import type { ProgramEnd, ProgramState, StartOptions, ToolRecord, ToolRequest } from "./program";
import { seqOf } from "./seq";
import { Tasks } from "./tasks";
import { stepText, taskId, toolArguments, toolCacheKey } from "./tool-values";
import { Keyword, type Value, VarRef } from "./values";
import { metered } from "./walk-budget";

/**
 * The evaluator: an explicit stack, no host recursion, no promise. It runs until the program is over or every fiber
 * waits for a tool, and is resumed with the answers. A fiber is one line of evaluation: the program itself, or one
 * branch of pmap / pcalls.
 */
export class Machine {
  private readonly fibers: Fiber[] = [];
  private readonly requests: ToolRequest[] = [];
  private readonly waiting = new Map<number, { fiber: Fiber; record: ToolRecord; cacheKey: string | null }>();
  private readonly tasks: Tasks;
  private readonly toolCache: Map<string, Json>;
  private readonly toolCalls: ToolRecord[] = [];
  private readonly pmapCalls: ProgramEnd["pmap_calls"] = [];
  private readonly prints: Prints;
  private readonly summaries = new Map<string, string>();
  private readonly defined = new Set<string>();
  private readonly data: ReadonlyMap<string, Value>;
  private readonly context: BuiltinContext;
  private nextRequest = 1;
  private nextFiber = 1;
  private countedCalls = 0;
  private stepsLeft: number;
  private sliceLeft: number;
  private bytesLeft: number;
  private end: ProgramEnd | null = null;

  constructor(
    private readonly options: StartOptions,
    code: Code,
    private readonly builtins: ReadonlyMap<string, Builtin>,
  ) {
    const { limits } = options;
    this.stepsLeft = limits.max_steps;
    this.sliceLeft = limits.max_steps_between_effects;
    this.bytesLeft = limits.max_bytes;
    this.toolCache = new Map(options.tool_cache);
    this.data = new Map(Object.entries(options.data).map(([key, value]) => [key, fromJson(value)]));
    this.context = {
      now: options.now,
      charge: (steps) => this.charge(steps),
      allocate: (bytes) => this.allocate(bytes),
      print: (line) => this.prints.add(line),
    };
    this.tasks = new Tasks(options.journal);
    this.prints = new Prints(limits.max_print_chars);
    const main = new Fiber(null, 0, new Map(options.memory), 0);
    main.enter(code, [], []);
    this.fibers.push(main);
  }

  run(): ProgramState {
    return metered(this.context.charge, () => this.runReady());
  }

  private runReady(): ProgramState {
    this.sliceLeft = this.options.limits.max_steps_between_effects;
    while (this.end === null) {
      const fiber = this.fibers.find((one) => one.state === "ready");
      if (fiber) this.runFiber(fiber);
      else if (this.waiting.size > 0 || !this.tasks.locks.breakCircle()) break;
    }
    if (this.end !== null) return { state: "done", end: this.end };
    return { state: "waiting", requests: this.requests.splice(0) };
  }

  resume(id: number, answer: Result<Json>): void {
    const waiting = this.waiting.get(id);
    if (!waiting || this.end !== null) return;
    this.waiting.delete(id);
    const { fiber, record, cacheKey } = waiting;
    record.duration_ms = this.options.now() - record.timestamp;
    fiber.state = "ready";
    if (answer.ok) {
      record.result = answer.value;
      if (cacheKey !== null) this.toolCache.set(cacheKey, answer.value);
      fiber.push(fromJson(answer.value));
    } else {
      record.error = answer.fail.message;
      fiber.failure = toolError(record.name, answer.fail, fiber.place());
    }
  }

  // --- evaluation --------------------------------------------------------------------------------------------------

  private runFiber(fiber: Fiber): void {
    try {
      if (fiber.failure) throw fiber.failure;
      this.evaluate(fiber);
    } catch (error) {
      if (error instanceof Signal) return this.signalled(fiber, error);
      if (!(error instanceof LispError)) throw error;
      if (!error.place) error.place = fiber.place();
      this.fiberFailed(fiber, error);
    }
  }

  private evaluate(fiber: Fiber): void {
    while (fiber.state === "ready") {
      const frame = fiber.frames[fiber.frames.length - 1];
      if (frame === undefined) return this.fiberDone(fiber);
      if (frame.kind === "code") this.runCode(fiber, frame);
      else this.runNative(fiber, frame);
    }
  }

  /** Runs instructions until the frame changes or the fiber stops. */
  private runCode(fiber: Fiber, frame: Frame): void {
    const { ops, constants } = frame.code;
    const { stack } = fiber;
    const base = frame.base;
    let pc = frame.pc;
    let sp = fiber.sp;
    let fuel = Math.min(this.sliceLeft, this.stepsLeft);
    const startFuel = fuel;
    try {
      for (;;) {
        frame.at = pc;
        if (--fuel < 0) this.outOfFuel();
        switch (ops[pc++]) {
          case Op.CONST:
            stack[sp++] = constants[ops[pc++] as number] as Value;
            break;
          case Op.LOCAL:
            stack[sp++] = stack[base + (ops[pc++] as number)] as Value;
            break;
          case Op.SET_LOCAL:
            stack[base + (ops[pc++] as number)] = stack[--sp] as Value;
            break;
          case Op.CAPTURED:
            stack[sp++] = frame.captured[ops[pc++] as number] as Value;
            break;
          case Op.GLOBAL: {
            const name = constants[ops[pc++] as number] as string;
            const value = fiber.globals.get(name);
            if (value === undefined) throw unbound(name);
            stack[sp++] = value;
            break;
          }
          case Op.GLOBAL_OR_NIL:
            stack[sp++] = fiber.globals.get(constants[ops[pc++] as number] as string) ?? null;
            break;
          case Op.POP:
            sp -= 1;
            break;
          case Op.DUP:
            stack[sp] = stack[sp - 1] as Value;
            sp += 1;
            break;
          case Op.JUMP:
            pc = ops[pc] as number;
            break;
          case Op.JUMP_IF_FALSE: {
            const value = stack[--sp];
            pc = value === null || value === false ? (ops[pc] as number) : pc + 1;
            break;
          }
          case Op.JUMP_IF_TRUE: {
            const value = stack[--sp];
            pc = value === null || value === false ? pc + 1 : (ops[pc] as number);
            break;
          }
          case Op.JUMP_KEEP_FALSE: {
            const value = stack[sp - 1];
            if (value === null || value === false) pc = ops[pc] as number;
            else {
              sp -= 1;
              pc += 1;
            }
            break;
          }
          case Op.JUMP_KEEP_TRUE: {
            const value = stack[sp - 1];
            if (value !== null && value !== false) pc = ops[pc] as number;
            else {
              sp -= 1;
              pc += 1;
            }
            break;
          }
          case Op.ADD: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const sum = typeof a === "number" && typeof b === "number" ? a + b : Number.NaN;
            stack[sp - 1] = isSafe(sum) ? sum : this.plain("+", [a as Value, b as Value]);
            break;
          }
          case Op.SUB: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const difference = typeof a === "number" && typeof b === "number" ? a - b : Number.NaN;
            stack[sp - 1] = isSafe(difference) ? difference : this.plain("-", [a as Value, b as Value]);
            break;
          }
          case Op.MUL: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            const product = typeof a === "number" && typeof b === "number" ? a * b : Number.NaN;
            stack[sp - 1] = isSafe(product) ? product + 0 : this.plain("*", [a as Value, b as Value]);
            break;
          }
          case Op.LT: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a < b : this.plain("<", [a as Value, b as Value]);
            break;
          }
          case Op.GT: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a > b : this.plain(">", [a as Value, b as Value]);
            break;
          }
          case Op.LE: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a <= b : this.plain("<=", [a as Value, b as Value]);
            break;
          }
          case Op.GE: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number" ? a >= b : this.plain(">=", [a as Value, b as Value]);
            break;
          }
          case Op.EQ: {
            const b = stack[--sp];
            const a = stack[sp - 1];
            stack[sp - 1] =
              typeof a === "number" && typeof b === "number"
                ? a === b
                : equalValues(a as Value, b as Value, this.context.charge);
            break;
          }
          case Op.INC: {
            const a = stack[sp - 1];
            const sum = typeof a === "number" ? a + 1 : Number.NaN;
            stack[sp - 1] = isSafe(sum) ? sum : this.plain("inc", [a as Value]);
            break;
          }
          case Op.DEC: {
            const a = stack[sp - 1];
            const difference = typeof a === "number" ? a - 1 : Number.NaN;
            stack[sp - 1] = isSafe(difference) ? difference : this.plain("dec", [a as Value]);
            break;
          }
          case Op.NOT: {
            const a = stack[sp - 1];
            stack[sp - 1] = a === null || a === false;
            break;
          }
          case Op.LOOP_START:
            stack[base + (ops[pc++] as number)] = 0;
            break;
          case Op.RECUR: {
            const first = base + (ops[pc] as number);
            const expected = ops[pc + 1] as number;
            const counter = base + (ops[pc + 2] as number);
            const given = ops[pc + 4] as number;
            if (given !== expected)
              throw new LispError("eval_error", "arity_mismatch", `recur expects ${expected} value(s), got ${given}`);
            const rounds = (stack[counter] as number) + 1;
            if (rounds > this.options.limits.max_iterations)
              throw new LispError(
                "loop_limit_exceeded",
                "loop_limit_exceeded",
                `the loop ran more than ${this.options.limits.max_iterations} times`,
              );
            stack[counter] = rounds;
            for (let i = given - 1; i >= 0; i--) stack[first + i] = stack[--sp] as Value;
            pc = ops[pc + 3] as number;
            break;
          }
          case Op.RETURN: {
            const value = stack[sp - 1] as Value;
            fiber.sp = base;
            fiber.frames.pop();
            fiber.push(value);
            return;
          }
          case Op.CALL: {
            const count = ops[pc++] as number;
            const callee = stack[sp - count - 1] as Value;
            const args = stack.slice(sp - count, sp) as Value[];
            sp -= count + 1;
            if (callee !== null && typeof callee === "object" && callee.tag === "builtin" && callee.kind === "plain") {
              checkArity(callee, count);
              stack[sp++] = callee.call(args, this.context);
              break;
            }
            fiber.sp = sp;
            frame.pc = pc;
            this.call(fiber, callee, args);
            return;
          }
          default: {
            fiber.sp = sp;
            frame.pc = pc;
            this.seldom(fiber, frame, ops[pc - 1] as number);
            if (fiber.state !== "ready" || fiber.frames[fiber.frames.length - 1] !== frame) return;
            sp = fiber.sp;
            pc = frame.pc;
          }
        }
      }
    } finally {
      const used = startFuel - Math.max(fuel, 0);
      this.stepsLeft -= used;
      this.sliceLeft -= used;
    }
  }

  /** Instructions that are too rare, or too long, for the hot loop. Each leaves `frame.pc` behind its operands. */
  private seldom(fiber: Fiber, frame: Frame, op: number): void {
    const { constants, ops } = frame.code;
    const operand = () => ops[frame.pc++] as number;
    switch (op) {
      case Op.CLOSURE:
        return fiber.push(makeClosure(constants[operand()] as Code, frame, fiber));
      case Op.VECTOR: {
        const items = fiber.popMany(operand());
        this.allocate(16 + 8 * items.length);
        return fiber.push(Vec.from(items));
      }
      case Op.SET:
        return fiber.push(PSet.from(fiber.popMany(operand())));
      case Op.MAP: {
        const flat = fiber.popMany(2 * operand());
        this.allocate(32 + 16 * flat.length);
        let map = PMap.empty;
        for (let i = 0; i < flat.length; i += 2) map = map.assoc(flat[i] as Value, flat[i + 1] as Value);
        return fiber.push(map);
      }
      case Op.DEF: {
        const name = constants[operand()] as string;
        const doc = constants[operand()] as string | null;
        const value = fiber.pop();
        fiber.define(name, doc !== null && value instanceof Closure ? value.withDoc(doc) : value);
        if (fiber.keepsDefinitions()) this.defined.add(name);
        return;
      }
      case Op.IS_DEFINED:
        return fiber.push(fiber.globals.has(constants[operand()] as string));
      case Op.VAR:
        return fiber.push(new VarRef(constants[operand()] as string));
      case Op.NTH: {
        const vector = fiber.pop() as Vec | null;
        return fiber.push(vector?.at(operand()) ?? null);
      }
      case Op.REST: {
        const vector = fiber.pop() as Vec | null;
        const from = operand();
        return fiber.push(vector === null ? Vec.from([]) : vector.slice(Math.min(from, vector.length)));
      }
      case Op.CHECK_VECTOR:
        return checkPattern(fiber.top(), (value) => value instanceof Vec, "list");
      case Op.CHECK_MAP:
        return checkPattern(fiber.top(), (value) => value instanceof PMap, "map");
      case Op.LOOKUP: {
        const key = constants[operand()] as Value;
        return fiber.push(lookup(fiber.pop(), key) ?? null);
      }
      case Op.LOOKUP_OR: {
        const key = constants[operand()] as Value;
        const fallback = constants[operand()] as Value;
        const found = lookup(fiber.pop(), key);
        return fiber.push(found === undefined ? fallback : found);
      }
      case Op.SEQ: {
        const items = seqOf(fiber.pop(), "for");
        this.charge(items.length);
        return fiber.push(items);
      }
      case Op.ITERATE: {
        const items = fiber.stack[frame.base + operand()] as Vec;
        const at = frame.base + operand();
        const index = fiber.stack[at] as number;
        if (index >= items.length) {
          frame.pc = ops[frame.pc] as number;
          return;
        }
        fiber.stack[at] = index + 1;
        frame.pc += 1;
        return fiber.push(items.at(index) as Value);
      }
      case Op.APPEND: {
        const at = frame.base + operand();
        this.allocate(8);
        fiber.stack[at] = (fiber.stack[at] as Vec).conj(fiber.pop());
        return;
      }
      case Op.DATA:
        return fiber.push(this.dataValue(constants[operand()] as string));
      case Op.BUDGET:
        return fiber.push(this.budget());
      case Op.HISTORY:
        return fiber.push(this.options.history[operand()] ?? null);
      case Op.NATIVE: {
        const name = constants[operand()] as string;
        const literals = constants[operand()] as Vec;
        return fiber.push(makeNative(name, literals.toArray(), fiber.popMany(operand())));
      }
      case Op.TOOL:
        return this.tool(fiber, constants[operand()] as string, fiber.popMany(operand()));
      case Op.TASK:
        return this.tasks.begin(fiber, frame, operand());
      case Op.TASK_DONE:
        return this.tasks.done(fiber);
      case Op.STEP_DONE: {
        this.topLevelOnly(fiber, "step-done");
        const [id, summary] = fiber.popMany(2) as [Value, Value];
        const text = stepText(summary, "summary");
        this.summaries.set(stepText(id, "id"), text);
        return fiber.push(text);
      }
      case Op.TASK_RESET: {
        this.topLevelOnly(fiber, "task-reset");
        this.tasks.reset(taskId(fiber.pop()));
        return fiber.push(null);
      }
      case Op.SIGNAL_RETURN:
        throw new Signal("return", fiber.pop());
      case Op.SIGNAL_FAIL:
        throw new Signal("fail", fiber.pop());
      case Op.PMAP: {
        const [fn, collection] = fiber.popMany(2) as [Value, Value];
        if (fn instanceof Keyword && collection instanceof PMap)
          throw new LispError(
            "eval_error",
            "type_error",
            "pmap: a keyword over a single map; for one field write (:key map)",
          );
        const calls = seqOf(collection, "pmap")
          .toArray()
          .map((item) => ({ fn, args: [item] }));
        return this.parallel(fiber, "pmap", calls);
      }
      case Op.PCALLS: {
        const calls = fiber.popMany(operand()).map((fn) => ({ fn, args: [] }));
        calls.forEach(({ fn }, i) => {
          if (!isZeroArgumentFunction(fn))
            throw new LispError(
              "eval_error",
              "pcalls_error",
              `pcalls: argument ${i} must be a function without parameters, as in #(tool/x {})`,
            );
        });
        return this.parallel(fiber, "pcalls", calls);
      }
      default:
        throw new Error(`unknown instruction ${op}`);
    }
  }

  /** Steps a higher-order builtin until it calls a function of the program or is done. */
  private runNative(fiber: Fiber, frame: NativeFrame): void {
    let answer = frame.started ? fiber.pop() : null;
    frame.started = true;
    for (;;) {
      const step = frame.generator.next(answer);
      if (step.done) {
        fiber.leaveNative();
        return fiber.push(step.value);
      }
      this.charge(1);
      const { fn, args } = step.value;
      if (fn !== null && typeof fn === "object" && fn.tag === "builtin" && fn.kind === "plain") {
        checkArity(fn, args.length);
        answer = fn.call(args, this.context);
        continue;
      }
      this.call(fiber, fn, args);
      // A callable that needs no frame of its own (a keyword, a map) has answered already.
      if (fiber.frames[fiber.frames.length - 1] !== frame) return;
      answer = fiber.pop();
    }
  }

  /** Pushes a frame for the callee, or its answer where it has none. */
  private call(fiber: Fiber, callee: Value, args: Value[]): void {
    if (callee instanceof Closure) {
      const { code } = callee;
      if (code.variadic ? args.length < code.arity : args.length !== code.arity)
        throw new LispError(
          "eval_error",
          "arity_mismatch",
          `${code.name ?? "function"} expects ${code.arity}${code.variadic ? "+" : ""} argument(s), got ${args.length}`,
        );
      if (fiber.frames.length >= this.options.limits.max_depth)
        throw new LispError(
          "eval_error",
          "execution_error",
          `calls are nested deeper than ${this.options.limits.max_depth}: use loop/recur or reduce`,
        );
      const given = code.variadic ? [...args.slice(0, code.arity), Vec.from(args.slice(code.arity))] : args;
      return fiber.enter(code, callee.captured, given);
    }
    if (!isCallable(callee)) throw notCallable(callee);
    const { tag } = callee as { tag: string };
    if (tag === "builtin" || tag === "native") {
      const builtin = callee as Builtin | Native;
      checkArity(builtin, args.length);
      if (builtin.tag === "builtin" && builtin.kind === "plain") return fiber.push(builtin.call(args, this.context));
      return fiber.enterNative(builtin.call(args, this.context), builtin.name);
    }
    const direct = directly("call", callee, this.context);
    if (direct === null) throw notCallable(callee);
    fiber.push(direct(...args));
  }

  // --- tools -------------------------------------------------------------------------------------------------------

  private tool(fiber: Fiber, name: string, given: Value[]): void {
    const args = toolArguments(name, given);
    const cacheKey = this.options.tools.get(name)?.cache ? toolCacheKey(name, args) : null;
    const task = fiber.task();
    const record: ToolRecord = {
      name,
      args,
      result: null,
      error: null,
      timestamp: this.options.now(),
      duration_ms: 0,
      ...(task === undefined ? {} : { task }),
    };
    if (cacheKey !== null && this.toolCache.has(cacheKey)) {
      const cached = this.toolCache.get(cacheKey) as Json;
      this.toolCalls.push({ ...record, result: cached, cached: true });
      return fiber.push(fromJson(cached));
    }
    const limit = this.options.limits.max_tool_calls;
    if (limit !== null && this.countedCalls >= limit)
      throw new LispError(
        "tool_call_limit_exceeded",
        "tool_call_limit_exceeded",
        `more than ${limit} tool call(s) in one program`,
      );
    this.countedCalls += 1;
    this.toolCalls.push(record);
    const id = this.nextRequest++;
    this.waiting.set(id, { fiber, record, cacheKey });
    this.requests.push({ id, name, args, ...(task === undefined ? {} : { task }) });
    fiber.state = "blocked";
  }

  private topLevelOnly(fiber: Fiber, form: string): void {
    if (fiber.parent !== null || fiber.nativeDepth > 0)
      throw new LispError(
        "unsupported_in_parallel",
        "unsupported_in_parallel",
        `${form} does not work inside map, pmap, pcalls or functions given to them: call it at top level`,
      );
  }

  // --- parallel sections -------------------------------------------------------------------------------------------

  private parallel(fiber: Fiber, type: "pmap" | "pcalls", calls: CallRequest[]): void {
    if (calls.length === 0) {
      this.pmapCalls.push({
        type,
        count: 0,
        timestamp: this.options.now(),
        duration_ms: 0,
        success_count: 0,
        error_count: 0,
      });
      return fiber.push(Vec.from([]));
    }
    fiber.state = "blocked";
    fiber.section = {
      type,
      calls,
      next: 0,
      running: 0,
      results: new Array(calls.length),
      startedAt: this.options.now(),
    };
    this.startBranches(fiber);
  }

  private startBranches(parent: Fiber): void {
    const section = parent.section;
    if (!section) return;
    while (section.next < section.calls.length && section.running < this.options.limits.max_parallel) {
      const index = section.next++;
      section.running += 1;
      const branch = new Fiber(parent, index, parent.globals, this.nextFiber++);
      this.fibers.push(branch);
      const { fn, args } = section.calls[index] as CallRequest;
      try {
        this.call(branch, fn, args);
      } catch (error) {
        if (!(error instanceof LispError)) throw error;
        branch.failure = error;
      }
    }
  }

  private branchOver(branch: Fiber, result: { value: Value } | { error: LispError }): void {
    branch.state = "done";
    this.fibers.splice(this.fibers.indexOf(branch), 1);
    const parent = branch.parent as Fiber;
    const section = parent.section;
    if (!section) throw new Error("a branch ended without its section");
    section.running -= 1;
    section.results[branch.index] = result;
    if (section.next < section.calls.length) return this.startBranches(parent);
    if (section.running > 0) return;
    parent.section = null;
    parent.state = "ready";
    const errors = section.results.filter((one) => "error" in one).length;
    this.pmapCalls.push({
      type: section.type,
      count: section.calls.length,
      timestamp: section.startedAt,
      duration_ms: this.options.now() - section.startedAt,
      success_count: section.calls.length - errors,
      error_count: errors,
    });
    // Results are gathered first; then the first failure in order decides.
    const first = section.results.findIndex((one) => "error" in one);
    if (first >= 0)
      parent.failure = branchError(section.type, first, (section.results[first] as { error: LispError }).error);
    else parent.push(Vec.from(section.results.map((one) => (one as { value: Value }).value)));
  }

  // --- ends --------------------------------------------------------------------------------------------------------

  private fiberDone(fiber: Fiber): void {
    const value = fiber.pop();
    if (fiber.parent) return this.branchOver(fiber, { value });
    this.finish({ kind: "value", value });
  }

  private fiberFailed(fiber: Fiber, error: LispError): void {
    fiber.failure = null;
    this.tasks.abandon(fiber);
    if (fiber.parent) return this.branchOver(fiber, { error });
    this.finish({ kind: "error", fail: error.toFailure() });
  }

  private signalled(fiber: Fiber, signal: Signal): void {
    if (!fiber.parent) return this.finish({ kind: signal.kind, value: signal.value });
    const type = fiber.parent.section?.type ?? "pmap";
    this.fiberFailed(
      fiber,
      new LispError("eval_error", `${type}_error`, `${signal.kind} called inside ${type}`, fiber.place()),
    );
  }

  private finish(outcome: ProgramEnd["outcome"]): void {
    const main = this.fibers[0] as Fiber;
    this.end = {
      outcome,
      memory: main.globals,
      defined: [...this.defined],
      summaries: this.summaries,
      prints: this.prints.all(),
      tool_calls: this.toolCalls,
      pmap_calls: this.pmapCalls,
      tool_cache: this.toolCache,
      warnings: this.tasks.warnings(),
      steps: this.options.limits.max_steps - this.stepsLeft,
    };
  }

  // --- budgets -----------------------------------------------------------------------------------------------------

  private charge(steps: number): void {
    this.stepsLeft -= steps;
    this.sliceLeft -= steps;
    if (this.stepsLeft < 0 || this.sliceLeft < 0) this.outOfFuel();
  }

  private outOfFuel(): never {
    const { max_steps, max_steps_between_effects } = this.options.limits;
    const limit =
      this.stepsLeft <= this.sliceLeft
        ? `${max_steps} evaluation steps`
        : `${max_steps_between_effects} evaluation steps without a tool call`;
    throw new LispError(
      "timeout",
      "timeout",
      `the program exceeded its limit of ${limit}: do less work in one program`,
    );
  }

  private allocate(bytes: number): void {
    this.bytesLeft -= bytes;
    if (this.bytesLeft < 0)
      throw new LispError(
        "memory_exceeded",
        "memory_exceeded",
        `the program exceeded its memory limit of ${this.options.limits.max_bytes} bytes`,
      );
  }

  private budget(): Value {
    return keywordMap(this.options.budget);
  }

  private dataValue(name: string): Value {
    return this.data.get(name) ?? null;
  }

  private plain(name: string, args: Value[]): Value {
    const builtin = this.builtins.get(name);
    if (builtin?.kind !== "plain") throw new Error(`${name} is no plain builtin`);
    return builtin.call(args, this.context);
  }
}

/** `(return v)` and `(fail e)`: they leave the whole program at once. */
class Signal {
  constructor(
    readonly kind: "return" | "fail",
    readonly value: Value,
  ) {}
}

const isSafe = (n: number): boolean => n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER;
