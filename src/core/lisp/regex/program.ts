import type { CharSet } from "./char-set";
import { parsePattern } from "./parse";
import { type Assertion, PatternError, type PatternNode } from "./tree";

/** One step of a compiled pattern. */
export type PatternStep =
  | { op: "char"; set: CharSet }
  /** Tries `first`, then `second`. */
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { op: "save"; slot: number }
  | { op: "assert"; what: Assertion }
  | LookStep
  | { op: "match" };

export interface LookStep {
  op: "look";
  program: PatternProgram;
  negative: boolean;
  lookbehind: { min: number; max: number } | null;
  /** The slot for the offset at which the look matched, if it captures something. */
  slot: number | null;
}

/** A compiled pattern: the steps that the matcher runs. */
export interface PatternProgram {
  steps: PatternStep[];
  /** Number of steps, those of its looks included: the cost of compiling it. */
  size: number;
  /** Capturing groups, without the whole match. */
  groups: number;
  /** Looks that capture, with the slot for their offset. */
  capturing: { look: LookStep; slot: number }[];
  /** Number of slots: start and end of the match and of each group, and the offsets of looks. */
  slots: number;
  /** Whether a loop repeats something that can match nothing: a path can then come back to itself. */
  circular: boolean;
}

const MAX_STEPS = 2_000;

/**
 * Compiles a pattern.
 *
 * @throws PatternError for a pattern that cannot be read, or is too large with its counts written out
 */
export function compilePatternText(source: string): PatternProgram {
  const { tree, groups } = parsePattern(source);
  return assemble(tree, groups, new Map());
}

/** A look has one program, also when a repetition writes it out many times. */
type Looks = Map<PatternNode, PatternProgram>;

interface Assembly {
  readonly steps: PatternStep[];
  readonly groups: number;
  readonly looks: Looks;
  readonly capturing: PatternProgram["capturing"];
  slots: number;
  circular: boolean;
  /** Steps of the looks that were compiled for it. */
  inLooks: number;
}

function assemble(tree: PatternNode, groups: number, looks: Looks): PatternProgram {
  const assembly: Assembly = {
    steps: [],
    groups,
    looks,
    capturing: [],
    slots: 2 + 2 * groups,
    circular: false,
    inLooks: 0,
  };
  emit(tree, assembly);
  push(assembly.steps, { op: "match" });
  const { steps, capturing, slots, circular, inLooks } = assembly;
  return { steps, groups, capturing, slots, circular, size: steps.length + inLooks };
}

function push(steps: PatternStep[], step: PatternStep): void {
  if (steps.length >= MAX_STEPS)
    throw new PatternError("regex exceeds the complexity limit: its repetitions are too large");
  steps.push(step);
}

function emit(node: PatternNode, assembly: Assembly): void {
  const { steps } = assembly;
  switch (node.kind) {
    case "char":
      push(steps, { op: "char", set: node.set });
      return;
    case "sequence":
      for (const item of node.items) emit(item, assembly);
      return;
    case "choice":
      emitChoice(node.options, assembly);
      return;
    case "repeat":
      emitRepeat(node, assembly);
      return;
    case "group":
      push(steps, { op: "save", slot: node.index * 2 });
      emit(node.node, assembly);
      push(steps, { op: "save", slot: node.index * 2 + 1 });
      return;
    case "assert":
      push(steps, { op: "assert", what: node.what });
      return;
    case "look":
      push(steps, lookStep(node, assembly));
  }
}

function lookProgram(look: Extract<PatternNode, { kind: "look" }>, assembly: Assembly): PatternProgram {
  const { groups, looks } = assembly;
  const known = looks.get(look);
  if (known) return known;
  const program = assemble(look.node, groups, looks);
  looks.set(look, program);
  assembly.inLooks += program.size;
  return program;
}

function lookStep(node: Extract<PatternNode, { kind: "look" }>, assembly: Assembly): LookStep {
  const { capturing } = assembly;
  const program = lookProgram(node, assembly);
  const { negative, lookbehind } = node;
  const look: LookStep = {
    op: "look",
    program,
    negative,
    lookbehind: lookbehind ? boundedWidth(node.node) : null,
    slot: null,
  };
  const captures = program.capturing.length > 0 || program.steps.some((step) => step.op === "save");
  if (negative || !captures) return look;
  // A look that is written out several times is still one look: the place where it was asked last counts.
  const known = capturing.find((one) => one.look.program === program);
  look.slot = known?.slot ?? assembly.slots++;
  if (!known) capturing.push({ look, slot: look.slot });
  return look;
}

function emitChoice(options: PatternNode[], assembly: Assembly): void {
  const { steps } = assembly;
  const exits: Extract<PatternStep, { op: "jump" }>[] = [];
  for (const option of options.slice(0, -1)) {
    const split: Split = { op: "split", first: steps.length + 1, second: 0 };
    push(steps, split);
    emit(option, assembly);
    const exit: Extract<PatternStep, { op: "jump" }> = { op: "jump", to: 0 };
    push(steps, exit);
    exits.push(exit);
    split.second = steps.length;
  }
  emit(options[options.length - 1]!, assembly);
  for (const exit of exits) exit.to = steps.length;
}

function emitRepeat(node: Extract<PatternNode, { kind: "repeat" }>, assembly: Assembly): void {
  const { steps } = assembly;
  for (let i = 0; i < node.min; i++) {
    const before = steps.length;
    emit(node.node, assembly);
    // To repeat nothing gives nothing, and writing it out could take for ever.
    if (steps.length === before) break;
  }
  if (node.max === Number.POSITIVE_INFINITY) {
    const split = fork(steps, node.greedy);
    const head = steps.length - 1;
    assembly.circular ||= widthOf(node.node).min === 0;
    emit(node.node, assembly);
    push(steps, { op: "jump", to: head });
    leave(split, node.greedy, steps.length);
    return;
  }
  const splits: Split[] = [];
  for (let i = node.min; i < node.max; i++) {
    splits.push(fork(steps, node.greedy));
    emit(node.node, assembly);
  }
  for (const split of splits) leave(split, node.greedy, steps.length);
}

type Split = Extract<PatternStep, { op: "split" }>;

/** A choice between the next step and leaving; `leave` fills in the target. */
function fork(steps: PatternStep[], greedy: boolean): Split {
  const body = steps.length + 1;
  const split: Split = { op: "split", first: greedy ? body : 0, second: greedy ? 0 : body };
  push(steps, split);
  return split;
}

function leave(split: Split, greedy: boolean, to: number): void {
  if (greedy) split.second = to;
  else split.first = to;
}

function boundedWidth(node: PatternNode): { min: number; max: number } {
  const width = widthOf(node);
  if (width.max > 255) throw new PatternError("regex: a lookbehind must have a bounded length");
  return width;
}

/** Least and greatest number of characters a node can match. */
function widthOf(node: PatternNode): { min: number; max: number } {
  switch (node.kind) {
    case "char":
      return { min: 1, max: 1 };
    case "sequence":
      return node.items.map(widthOf).reduce((a, b) => ({ min: a.min + b.min, max: a.max + b.max }), { min: 0, max: 0 });
    case "choice": {
      const widths = node.options.map(widthOf);
      return { min: Math.min(...widths.map((w) => w.min)), max: Math.max(...widths.map((w) => w.max)) };
    }
    case "repeat": {
      const inner = widthOf(node.node);
      return { min: inner.min * node.min, max: inner.max === 0 ? 0 : inner.max * node.max };
    }
    case "group":
      return widthOf(node.node);
    default:
      return { min: 0, max: 0 };
  }
}
