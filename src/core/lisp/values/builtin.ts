import type { Value } from "./values";

/**
 * What a builtin may ask of the evaluator. Everything is deterministic: time is the host's, work and
 * memory are charged in counted units.
 */
export interface BuiltinContext {
  /** Host time, ms since 1970. */
  now(): number;
  /** Charges evaluation steps (1 = about one evaluated node); throws `LispError` with reason `timeout` when spent. */
  charge(steps: number): void;
  /** Charges an estimate of bytes built; throws `LispError` with reason `memory_exceeded` when spent. */
  allocate(bytes: number): void;
  /** Asks for room that is needed only during the call: it is not counted, but refused in the same way. */
  reserve(bytes: number): void;
  /** Appends to the turn's printed output. */
  print(line: string): void;
}

/** A request of a higher-order builtin: call this function; the generator is resumed with its value. */
export interface CallRequest {
  fn: Value;
  args: Value[];
}

export interface BuiltinDoc {
  /** Argument lists as a reader would write them, e.g. `(take n coll)`. */
  usage: string[];
  text: string;
  family: string;
}

interface BuiltinBase {
  readonly tag: "builtin";
  readonly name: string;
  /** Inclusive; `max` Infinity for variadic. Checked by the evaluator before the call. */
  readonly arity: { min: number; max: number };
  readonly doc: BuiltinDoc;
}

/** Never calls back into the program. */
export interface PlainBuiltin extends BuiltinBase {
  readonly kind: "plain";
  call(args: Value[], ctx: BuiltinContext): Value;
}

/**
 * Calls functions of the program. Written as a generator so that a tool call inside a callback suspends
 * the whole program: it yields each call it wants made and receives the value. It must not be written
 * with host callbacks (`Array.prototype.map` and the like).
 */
export interface HigherOrderBuiltin extends BuiltinBase {
  readonly kind: "higher-order";
  call(args: Value[], ctx: BuiltinContext): Generator<CallRequest, Value, Value>;
}

export type Builtin = PlainBuiltin | HigherOrderBuiltin;

/** A function value built at run time by a builtin or form (`fnil`, `juxt`, `where`, `all-of`). */
export interface Native {
  readonly tag: "native";
  readonly name: string;
  readonly arity: { min: number; max: number };
  call(args: Value[], ctx: BuiltinContext): Generator<CallRequest, Value, Value>;
  /** How to write it down so that it survives continue-as-new: the form that built it, with its captured values. */
  readonly origin: { form: string; literals?: Value[]; captured: Value[] };
}
