import { HostMap } from "../../base/intrinsics";
import type { LispLimits } from "../../base/limits";
import { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import { LispError, programError } from "../values/errors";
import type { Value } from "../values/values";
import type { Calling } from "./calling";
import { branchError } from "./checks";
import { type Branches, Fiber, type Section } from "./fiber";
import type { Fuel } from "./fuel";
import type { ProgramOutputs } from "./outputs";
import type { Schedule } from "./schedule";

/** The cost of one branch in steps: about what the host needs to start and to end it. */
const BRANCH_STEPS = 64;

/** The greatest depth of sections within sections. */
const MAX_NESTING = 64;

/**
 * Branches that run at the same time in the whole program. Past this number each section runs one branch at a time.
 * With nested sections the number would grow exponentially with the depth, and the host keeps every open tool call.
 */
const MAX_LINES = 1_000;

/** Sections that the end of a program lists. They are a trace, and even an empty list adds one. */
const MAX_RECORDED = 1_000;

export type ParallelState = [lines: number, nextFiber: number];

/** pmap and pcalls: every branch is a fiber, and the fiber that started them waits for all. */
export class Parallel {
  /** Fibers that do not wait for a section that they started. */
  private lines = 1;
  private nextFiber = 1;

  constructor(
    private readonly limits: LispLimits,
    private readonly fuel: Fuel,
    private readonly calling: Calling,
    private readonly schedule: Schedule,
    private readonly outputs: ProgramOutputs,
    private readonly now: BuiltinContext["now"],
  ) {}

  /** Fibers that do not wait for a section that they started, and the number of the next fiber. */
  state(): ParallelState {
    return [this.lines, this.nextFiber];
  }

  restore([lines, nextFiber]: ParallelState): void {
    this.lines = lines;
    this.nextFiber = nextFiber;
  }

  start(fiber: Fiber, type: Section["type"], count: number, branches: Branches): void {
    if (fiber.nesting >= MAX_NESTING)
      throw new LispError(
        "eval_error",
        "execution_error",
        `${type}: parallel sections are nested deeper than ${MAX_NESTING}`,
      );
    this.fuel.allocate(16 + 16 * count);
    const section: Section = {
      type,
      count,
      branches,
      next: 0,
      running: 0,
      values: new Array(count),
      errors: 0,
      failed: null,
      traces: new HostMap(),
      startedAt: this.now(),
    };
    if (count === 0) {
      this.record(section);
      return fiber.push(Vec.from([]));
    }
    fiber.state = "blocked";
    fiber.section = section;
    this.lines -= 1;
    this.startBranches(fiber, section);
  }

  /** A branch has a value, or has failed. */
  over(branch: Fiber, result: { value: Value } | { error: LispError }): void {
    const parent = branch.parent as Fiber;
    const section = parent.section;
    if (!section) throw new Error("a branch ended without its section");
    branch.state = "done";
    this.fuel.release(branch.reserved);
    section.running -= 1;
    this.lines -= 1;
    if ("value" in result) section.values[branch.index] = result.value;
    else this.fail(section, branch.index, result.error);
    if (section.next < section.count) return this.startBranches(parent, section);
    if (section.running === 0) this.finish(parent, section);
  }

  private startBranches(parent: Fiber, section: Section): void {
    while (section.next < section.count && section.running < this.limits.max_parallel) {
      if (section.running > 0 && this.lines >= MAX_LINES) return;
      const branch = new Fiber(parent, section.next++, parent.globals, this.nextFiber++, parent.text);
      section.running += 1;
      this.lines += 1;
      try {
        this.fuel.charge(BRANCH_STEPS);
        // A plain builtin runs within this call. It is part of the branch, so its prints are dropped too.
        this.outputs.prints.quiet = true;
        this.calling.call(branch, ...callOf(section.branches, branch.index));
      } catch (error) {
        branch.failure = programError(error);
      }
      this.outputs.prints.quiet = parent.parent !== null;
      this.schedule.wake(branch);
    }
  }

  private fail(section: Section, index: number, error: LispError): void {
    section.errors += 1;
    if (section.failed === null || index < section.failed.index) section.failed = { index, error };
    if (!this.fuel.spent) return;
    // The branches that have not started would all fail in the same way.
    section.errors += section.count - section.next;
    section.next = section.count;
  }

  private finish(parent: Fiber, section: Section): void {
    parent.section = null;
    this.lines += 1;
    this.schedule.wake(parent);
    this.record(section);
    // All branches end first. Then the first failure in order is the failure of the section.
    const { failed } = section;
    if (failed) parent.failure = branchError(section.type, failed.index, failed.error);
    else parent.push(Vec.from(section.values));
  }

  private record({ type, count, errors, traces, startedAt }: Section): void {
    if (this.outputs.pmapCalls.length >= MAX_RECORDED) return;
    this.outputs.pmapCalls.push({
      type,
      count,
      timestamp: startedAt,
      duration_ms: this.now() - startedAt,
      success_count: count - errors,
      error_count: errors,
      child_trace_ids: [...traces].sort(([a], [b]) => a - b).map(([, trace]) => trace),
    });
  }
}

function callOf(branches: Branches, index: number): [fn: Value, args: Value[]] {
  if ("functions" in branches) return [branches.functions[index] as Value, []];
  return [branches.fn, [branches.items.at(index)]];
}
