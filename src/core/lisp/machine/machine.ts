import type { Result } from "../../base/failure";
import { entriesOf, HostMap } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import type { LispLimits } from "../../base/limits";
import type { Code } from "../compile/code";
import { forget } from "../direct/state";
import type { CallNotes, GivenValues, MachineState, ProgramEnd, ProgramOptions, ProgramState } from "../program";
import type { BuiltinContext, Quick } from "../values/context";
import { fromJson } from "../values/encode";
import { LispError, programError } from "../values/errors";
import { Signal } from "../values/signal";
import { metered } from "../values/traversal-limit";
import type { Builtin, Value } from "../values/values";
import { Calling } from "./calling";
import { keywordMap, located } from "./checks";
import { Fiber } from "./fiber";
import type { Following } from "./follow-task";
import { Fuel } from "./fuel";
import { runCode } from "./hot-loop";
import { readState, writeState } from "./machine-state";
import { ProgramOutputs } from "./outputs";
import { Parallel } from "./parallel";
import type { MachineParts } from "./parts";
import { Schedule } from "./schedule";
import { Tasks } from "./tasks";
import { ToolCalls } from "./tool-calls";

/** Evaluation steps that stand for looking at one tool in a search. */
const SEARCH_STEPS = 50;

/**
 * The evaluator: an explicit stack, no host recursion, no promise. It runs until the program is over or every fiber
 * waits for a tool, and is resumed with the answers. A fiber is one thread of evaluation: the program itself, or one
 * branch of pmap or pcalls.
 */
export class Machine implements MachineParts {
  readonly limits: LispLimits;
  readonly fuel: Fuel;
  readonly outputs: ProgramOutputs;
  readonly tools: ToolCalls;
  readonly tasks: Tasks;
  readonly parallel: Parallel;
  readonly calling: Calling;
  readonly context: BuiltinContext;
  /** `data/...`. */
  readonly data: ReadonlyMap<string, Value>;
  /** `(budget/remaining)`. */
  readonly remaining: Value;
  readonly builtins: ReadonlyMap<string, Builtin>;
  private readonly schedule = new Schedule();
  private readonly code: Code | null;
  private main: Fiber;
  private end: ProgramEnd | null = null;

  /**
   * @param of the machine that this one belongs to; both see the same data and builtins
   * @param following this one only follows a recorded task
   */
  constructor(
    readonly options: ProgramOptions,
    main: Code | Fiber,
    of: Pick<Machine, "builtins"> & Partial<Pick<Machine, "data" | "remaining">>,
    following?: Following,
  ) {
    const { limits, now } = options;
    const fuel = new Fuel(limits);
    this.limits = limits;
    this.fuel = fuel;
    this.outputs = new ProgramOutputs(options);
    this.context = {
      now,
      charge: (steps) => fuel.charge(steps),
      chargeEach: (times) => fuel.chargeEach(times),
      allocate: (bytes) => fuel.allocate(bytes),
      reserve: (bytes) => fuel.reserve(bytes),
      quick: <V>(fn: V, times: number) =>
        this.calling.quick(fn as unknown as Value, times) as unknown as Quick<V> | null,
      print: (line) => this.outputs.prints.add(line),
      findTools: (words, limit) => {
        fuel.charge(SEARCH_STEPS * (options.search?.size ?? 0));
        return options.search?.find(words, limit) ?? [];
      },
    };
    this.builtins = of.builtins;
    this.data = of.data ?? new HostMap(entriesOf(options.data).map(([key, value]) => [key, fromJson(value)]));
    this.remaining = of.remaining ?? keywordMap(options.budget);
    this.calling = new Calling(limits.max_depth, fuel, this.context, this);
    this.tools = new ToolCalls(options, fuel, this.outputs, this.schedule);
    const startFollower = (other: ProgramOptions, fiber: Fiber, inside: Following) =>
      new Machine(other, fiber, this, inside);
    this.tasks = new Tasks(options, fuel, this.tools, this.schedule, startFollower, following);
    this.parallel = new Parallel(limits, fuel, this.calling, this.schedule, this.outputs, now);
    this.code = main instanceof Fiber ? null : main;
    this.main = main instanceof Fiber ? main : mainFiber(main, options);
    this.schedule.wake(this.main);
  }

  /** A program that continues from its state, in the same code and with the same options as before. */
  static from(
    state: MachineState,
    options: ProgramOptions,
    code: Code,
    of: Pick<Machine, "builtins">,
  ): { machine: Machine; given: GivenValues } {
    const machine = new Machine(options, code, of);
    machine.schedule.clear();
    const { fibers, given } = readState(machine, code, state);
    machine.main = fibers[0] as Fiber;
    for (const fiber of fibers) if (fiber.state === "ready") machine.schedule.wake(fiber);
    return { machine, given };
  }

  /** Evaluation steps used so far. */
  get steps(): number {
    return this.fuel.steps;
  }

  /** The whole program as JSON, while it waits for tools. `Machine.from` continues it with the same outcome. */
  state(): MachineState {
    if (this.end !== null || this.code === null) throw new Error("a program that is over has no state");
    return writeState(this, this.code, this.main);
  }

  run(): ProgramState {
    this.fuel.newSlice();
    try {
      metered(this.context.charge, () => this.runReady());
    } finally {
      forget();
    }
    if (this.end !== null) return { state: "done", end: this.end };
    return { state: "waiting", requests: this.tools.takeRequests() };
  }

  resume(id: number, answer: Result<Json>, notes: CallNotes = {}): void {
    if (this.end === null && !this.tasks.answer(id, answer)) this.tools.answer(id, answer, notes);
  }

  /** Calls the builtin of an instruction, for arguments that the instruction does not handle itself. */
  plain(name: string, args: Value[]): Value {
    const builtin = this.builtins.get(name);
    if (builtin?.kind !== "plain") throw new Error(`${name} is no plain builtin`);
    return builtin.call(args, this.context);
  }

  private runReady(): void {
    while (this.end === null) {
      const fiber = this.schedule.next();
      if (fiber) this.runFiber(fiber);
      else if (this.tools.waiting || this.tasks.asking) return;
      else if (!this.tasks.breakCircle()) throw new Error("the program waits, but for nothing");
    }
  }

  private runFiber(fiber: Fiber): void {
    this.outputs.prints.quiet = fiber.parent !== null;
    try {
      if (fiber.failure) throw fiber.failure;
      this.evaluate(fiber);
    } catch (error) {
      if (error instanceof Signal) return this.signalled(fiber, error);
      const failure = programError(error);
      if (!failure.place) located(failure, fiber);
      this.failed(fiber, failure);
    }
  }

  private evaluate(fiber: Fiber): void {
    while (fiber.state === "ready") {
      const frame = fiber.frames[fiber.frames.length - 1];
      if (frame === undefined) return this.done(fiber);
      if (frame.kind === "code") runCode(this, fiber, frame);
      else this.calling.runNative(fiber, frame);
    }
  }

  private done(fiber: Fiber): void {
    const value = fiber.pop();
    if (fiber.parent) this.parallel.over(fiber, { value });
    else this.finish({ kind: "value", value });
  }

  private failed(fiber: Fiber, error: LispError): void {
    fiber.failure = null;
    this.tasks.abandon(fiber);
    if (fiber.parent) this.parallel.over(fiber, { error });
    else this.finish({ kind: "error", fail: error.toFailure() });
  }

  private signalled(fiber: Fiber, signal: Signal): void {
    if (!fiber.parent) return this.finish({ kind: signal.kind, value: signal.value });
    const type = fiber.parent.section?.type ?? "pmap";
    this.failed(
      fiber,
      new LispError("eval_error", `${type}_error`, `${signal.kind} called inside ${type}`, fiber.place()),
    );
  }

  private finish(outcome: ProgramEnd["outcome"]): void {
    this.end = this.outputs.end(outcome, this.main, {
      warnings: [...this.tasks.warnings(), ...this.tools.warnings()],
      steps: this.fuel.steps,
    });
  }
}

function mainFiber(code: Code, options: ProgramOptions): Fiber {
  const fiber = new Fiber(null, 0, new HostMap(options.memory), 0, code.text);
  fiber.enter(code, [], []);
  return fiber;
}
