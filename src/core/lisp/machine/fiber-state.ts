import type { PlainCode } from "../../base/error-codes";
import { HostMap } from "../../base/intrinsics";
import type { Json, JsonObject } from "../../base/json";
import type { Vec } from "../values/collections";
import type { BuiltinContext } from "../values/context";
import type { ProgramErrorCode } from "../values/errors";
import { LispError, type Place } from "../values/errors";
import type { Value } from "../values/values";
import { Fiber, type Frame, type NativeFrame, type OpenTask, type Section } from "./fiber";
import type { HeapReader } from "./heap-reader";
import type { HeapWriter } from "./heap-writer";

/** One thread of evaluation as JSON. */
export interface FiberState {
  number: number;
  parent: number | null;
  index: number;
  state: Fiber["state"];
  globals: Json;
  owns: boolean;
  stack: Json[];
  frames: Json[][];
  failure: ErrorState | null;
  section: SectionState | null;
  tasks: OpenTask[];
  highest: number;
  deepest: number;
}

interface ErrorState {
  reason: PlainCode;
  code: string;
  message: string;
  place?: Place;
  details?: JsonObject;
}

interface SectionState {
  type: Section["type"];
  count: number;
  /** What its branches call: the functions, or the function and the elements. */
  branches: { functions: Json[] } | { fn: Json; items: Json };
  next: number;
  running: number;
  /** `[index, value]` of each branch that is over. */
  values: [number, Json][];
  errors: number;
  failed: { index: number; error: ErrorState } | null;
  traces: [number, string][];
  startedAt: number;
}

/** Writes a fiber as JSON; its values go to the heap. */
export function writeFiber(heap: HeapWriter, fiber: Fiber): FiberState {
  const { number, parent, index, state, globals, failure, section, tasks, highest, deepest } = fiber;
  return {
    number,
    parent: parent?.number ?? null,
    index,
    state,
    globals: heap.globals(globals),
    owns: fiber.owns,
    stack: heap.values(fiber.stack.slice(0, fiber.sp) as Value[]),
    frames: fiber.frames.map((frame) => (frame.kind === "code" ? writeFrame(heap, frame) : writeNative(heap, frame))),
    failure: failure && writeError(failure),
    section: section && writeSection(heap, section),
    tasks: [...tasks],
    highest,
    deepest,
  };
}

/** @param fiber gives the fibers that were read before */
export function readFiber(
  heap: HeapReader,
  state: FiberState,
  fiber: (number: number) => Fiber,
  text: object,
  context: BuiltinContext,
): Fiber {
  const parent = state.parent === null ? null : fiber(state.parent);
  const read = new Fiber(parent, state.index, heap.globals(state.globals), state.number, text);
  read.restoreOwnership(state.owns);
  for (const value of heap.values(state.stack)) read.stack.push(value);
  read.sp = state.stack.length;
  for (const row of state.frames) read.frames.push(readFrame(heap, row, context));
  read.nativeDepth = read.frames.filter(({ kind }) => kind === "native").length;
  read.state = state.state;
  read.failure = state.failure && readError(state.failure);
  read.section = state.section && readSection(heap, state.section);
  read.tasks.push(...state.tasks);
  read.highest = state.highest;
  read.deepest = state.deepest;
  return read;
}

const writeFrame = (heap: HeapWriter, { code, captured, base, pc, at }: Frame): Json[] => [
  heap.code(code),
  heap.array(captured),
  base,
  pc,
  at,
];

/** A builtin in the middle of its work: what it was called with, and what the functions that it called have answered. */
const writeNative = (heap: HeapWriter, frame: NativeFrame): Json[] => [
  "native",
  heap.value(frame.callee),
  heap.values(frame.args),
  frame.started,
  heap.values(frame.answers),
  frame.answered,
  heap.globals(frame.globals),
];

function readFrame(heap: HeapReader, row: Json[], context: BuiltinContext): Frame | NativeFrame {
  if (row[0] === "native") return readNative(heap, row, context);
  const [code, captured, base, pc, at] = row as [Json, Json, number, number, number];
  return { kind: "code", code: heap.code(code), captured: heap.array(captured), base, pc, at };
}

/** Calls the builtin again and gives it the same answers, so that it stands where it stood. */
function readNative(heap: HeapReader, row: Json[], context: BuiltinContext): NativeFrame {
  const [, written, givenArgs, started, kept, answered, globals] = row as [
    Json,
    Json,
    Json,
    boolean,
    Json,
    number,
    Json,
  ];
  const callee = heap.value(written) as NativeFrame["callee"];
  const answers = heap.values(kept);
  const frame = { kind: "native" as const, callee, started, globals: heap.globals(globals) };
  let args = heap.values(givenArgs);
  const onward = callee.tag === "builtin" ? callee.onward : undefined;
  if (onward !== undefined && answered > 0) {
    args = onward(args, answered, answers[0] as Value, context);
    answers.length = 0;
  }
  const generator = callee.call(args, context);
  if (started) {
    generator.next(null);
    for (const answer of answers) generator.next(answer);
  }
  return { ...frame, args, generator, answers, keepsAll: onward === undefined, answered: 0 };
}

const writeSection = (heap: HeapWriter, section: Section): SectionState => ({
  ...section,
  branches:
    "functions" in section.branches
      ? { functions: heap.values(section.branches.functions) }
      : { fn: heap.value(section.branches.fn), items: heap.value(section.branches.items) },
  // Branches that are not over have left holes.
  values: Object.entries(section.values).map(([index, value]) => [Number(index), heap.value(value)]),
  failed: section.failed && { index: section.failed.index, error: writeError(section.failed.error) },
  traces: [...section.traces],
});

function readSection(heap: HeapReader, state: SectionState): Section {
  const values: Value[] = new Array(state.count);
  for (const [index, value] of state.values) values[index] = heap.value(value);
  const { branches } = state;
  return {
    ...state,
    branches:
      "functions" in branches
        ? { functions: heap.values(branches.functions) }
        : { fn: heap.value(branches.fn), items: heap.value(branches.items) as Vec<Value> },
    values,
    failed: state.failed && { index: state.failed.index, error: readError(state.failed.error) },
    traces: new HostMap(state.traces),
  };
}

function writeError({ reason, code, message, place, details }: LispError): ErrorState {
  return {
    reason,
    code,
    message,
    ...(place === undefined ? {} : { place }),
    ...(details === undefined ? {} : { details }),
  };
}

const readError = ({ reason, code, message, place, details }: ErrorState): LispError =>
  new LispError(reason, code as ProgramErrorCode, message, place, details);
