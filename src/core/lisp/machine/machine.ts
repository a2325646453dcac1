import type { Result } from "../../failure";
import type { Json } from "../../json";
import type { Builtin, BuiltinContext } from "../builtin";
import type { Code } from "../code";
import { fromJson } from "../encode";
import { LispError, programError } from "../errors";
import { entriesOf, HostMap } from "../host";
import type { LispLimits, ProgramEnd, ProgramState, StartOptions } from "../program";
import type { Value } from "../values";
import { metered } from "../walk-budget";
import { Budget } from "./budget";
import { Calling } from "./calling";
import { keywordMap, located } from "./checks";
import { Fiber } from "./fiber";
import { runCode } from "./hot-loop";
import { Parallel } from "./parallel";
import { Remains } from "./remains";
import { Schedule } from "./schedule";
import { Signal } from "./signal";
import { Tasks } from "./tasks";
import { ToolCalls } from "./tool-calls";

/**
 * The evaluator: an explicit stack, no host recursion, no promise. It runs until the program is over or every fiber
 * waits for a tool, and is resumed with the answers. A fiber is one line of evaluation: the program itself, or one
 * branch of pmap / pcalls.
 */
export class Machine {
  readonly limits: LispLimits;
  readonly budget: Budget;
  readonly remains: Remains;
  readonly tools: ToolCalls;
  readonly tasks: Tasks;
  readonly parallel: Parallel;
  readonly calling: Calling;
  readonly context: BuiltinContext;
  /** `data/...`. */
  readonly data: ReadonlyMap<string, Value>;
  /** `(budget/remaining)`. */
  readonly remaining: Value;
  private readonly schedule = new Schedule();
  private readonly main: Fiber;
  private end: ProgramEnd | null = null;

  constructor(
    readonly options: StartOptions,
    code: Code,
    private readonly builtins: ReadonlyMap<string, Builtin>,
  ) {
    const { limits, now } = options;
    const budget = new Budget(limits);
    this.limits = limits;
    this.budget = budget;
    this.remains = new Remains(options);
    this.context = {
      now,
      charge: (steps) => budget.charge(steps),
      allocate: (bytes) => budget.allocate(bytes),
      reserve: (bytes) => budget.reserve(bytes),
      print: (line) => this.remains.prints.add(line),
    };
    this.data = new HostMap(entriesOf(options.data).map(([key, value]) => [key, fromJson(value)]));
    this.remaining = keywordMap(options.budget);
    this.calling = new Calling(limits.max_depth, budget, this.context);
    this.tools = new ToolCalls(options, budget, this.remains, this.schedule);
    this.tasks = new Tasks(options.journal, budget, this.schedule);
    this.parallel = new Parallel(limits, budget, this.calling, this.schedule, this.remains, now);
    this.main = new Fiber(null, 0, new HostMap(options.memory), 0, code.text);
    this.main.enter(code, [], []);
    this.schedule.wake(this.main);
  }

  run(): ProgramState {
    this.budget.newSlice();
    metered(this.context.charge, () => this.runReady());
    if (this.end !== null) return { state: "done", end: this.end };
    return { state: "waiting", requests: this.tools.takeRequests() };
  }

  resume(id: number, answer: Result<Json>): void {
    if (this.end === null) this.tools.answer(id, answer);
  }

  /** The value of a builtin behind an instruction of its own, for what the instruction does not do itself. */
  plain(name: string, args: Value[]): Value {
    const builtin = this.builtins.get(name);
    if (builtin?.kind !== "plain") throw new Error(`${name} is no plain builtin`);
    return builtin.call(args, this.context);
  }

  private runReady(): void {
    while (this.end === null) {
      const fiber = this.schedule.next();
      if (fiber) this.runFiber(fiber);
      else if (this.tools.waiting) return;
      else if (!this.tasks.breakCircle()) throw new Error("the program waits, but for nothing");
    }
  }

  private runFiber(fiber: Fiber): void {
    this.remains.prints.quiet = fiber.parent !== null;
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
    this.end = this.remains.end(outcome, this.main, this.tasks, this.budget);
  }
}
