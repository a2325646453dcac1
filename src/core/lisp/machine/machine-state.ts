import { HostMap, HostSet } from "../../base/intrinsics";
import type { Json } from "../../base/json";
import type { Code } from "../compile/code";
import type { GivenValues, MachineState } from "../program";
import { compiledOtherwise, markOf } from "./code-table";
import type { Fiber } from "./fiber";
import { type FiberState, readFiber, writeFiber } from "./fiber-state";
import type { FuelState } from "./fuel";
import { HeapReader } from "./heap-reader";
import { HeapWriter, type WrittenHeap } from "./heap-writer";
import { codesOf, KnownValues } from "./known-values";
import type { OutputsState } from "./outputs";
import type { ParallelState } from "./parallel";
import type { MachineParts } from "./parts";
import type { TasksState } from "./tasks";
import type { CallsState } from "./tool-calls";

/** A waiting program as plain JSON (lisp reference, section 16). It does not contain the options. */
interface WholeState {
  /** Changes with the instructions of the program's code. */
  mark: string;
  heap: WrittenHeap;
  /** What the program was given and shares values with: the definitions before it, and `*1 *2 *3`. */
  memory: Json;
  history: Json[];
  /** In order of start: a fiber comes after the one that started it. */
  fibers: FiberState[];
  fuel: FuelState;
  outputs: OutputsState;
  calls: CallsState;
  tasks: TasksState;
  parallel: ParallelState;
}

/** Writes a paused machine as JSON. */
export function writeState(machine: MachineParts, code: Code, main: Fiber): MachineState {
  const { options } = machine;
  const codes = codesOf(code);
  const known = knownTo(machine, codes);
  const heap = new HeapWriter(known, new HostMap(codes.map((one, i) => [one, i])));
  const memory = heap.globals(options.memory);
  const history = heap.values(options.history);
  const live = liveFibers(machine, main);
  const running = new HostSet(live.flatMap(({ tasks }) => tasks.map(({ id }) => id)));
  const fibers = live.map((fiber) => writeFiber(heap, fiber));
  const whole: WholeState = {
    mark: markOf(codes),
    heap: heap.finish(),
    memory,
    history,
    fibers,
    fuel: machine.fuel.state(),
    outputs: machine.outputs.state(options.tool_cache),
    calls: machine.tools.state(running),
    tasks: machine.tasks.state(),
    parallel: machine.parallel.state(),
  };
  return whole as unknown as MachineState;
}

/**
 * Fills a new machine.
 *
 * @throws CannotContinue when the code has changed
 */
export function readState(
  machine: MachineParts,
  code: Code,
  written: MachineState,
): { fibers: Fiber[]; given: GivenValues } {
  const state = written as unknown as WholeState;
  const codes = codesOf(code);
  const heap = new HeapReader(state.heap, knownTo(machine, codes), codes);
  const given = { memory: heap.globals(state.memory), history: heap.values(state.history) };
  if (markOf(codes) !== state.mark) throw new CannotContinue(given);
  const fibers = new HostMap<number, Fiber>();
  const fiber = (number: number) => fibers.get(number) as Fiber;
  // Builtins in the middle of their work do again what they did before: it was paid for, and printed.
  machine.fuel.unlimited();
  machine.outputs.prints.quiet = true;
  for (const one of state.fibers) fibers.set(one.number, readFiber(heap, one, fiber, code.text, machine.context));
  machine.fuel.restore(state.fuel);
  machine.outputs.restore(state.outputs);
  machine.tools.restore(state.calls, fiber);
  machine.tasks.restore(state.tasks, fiber);
  machine.parallel.restore(state.parallel);
  return { fibers: [...fibers.values()], given };
}

/** The program cannot continue; the values that it was given are still there. */
export class CannotContinue extends Error {
  readonly fail = compiledOtherwise().toFailure();
  constructor(readonly given: GivenValues) {
    super("the program was compiled to other instructions");
  }
}

/** The names that the program was compiled with as defined before it. */
export function namesBefore(written: MachineState): Map<string, null> {
  const { heap, memory } = written as unknown as WholeState;
  const [, ...names] = heap.rows[(memory as number[])[0] as number] as Json[];
  return new HostMap(names.filter((_, i) => i % 2 === 0).map((name) => [name as string, null]));
}

const knownTo = ({ data, remaining }: MachineParts, codes: readonly Code[]): KnownValues =>
  new KnownValues([...data.values(), remaining], codes);

/** The fibers that are not over, in order of start. */
function liveFibers({ tools, tasks }: MachineParts, main: Fiber): Fiber[] {
  const live = new HostMap<number, Fiber>([[main.number, main]]);
  for (const waiting of [...tools.callers, ...tasks.waiters])
    for (let at: Fiber | null = waiting; at !== null && !live.has(at.number); at = at.parent) live.set(at.number, at);
  return [...live.values()].sort((a, b) => a.number - b.number);
}
