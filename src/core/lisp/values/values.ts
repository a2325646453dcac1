import type { PMap, PSet, Vec } from "./collections";
import type { BuiltinContext } from "./context";
import type { Doc } from "./doc";
import type { Float, Instant, Keyword, LocalDate, Regex, VarRef } from "./scalars";

export { Float, Instant, Keyword, LocalDate, Regex, VarRef } from "./scalars";

/**
 * The values of PTC-Lisp. No value is ever a plain JavaScript object with user-chosen keys, so `__proto__`
 * and `constructor` are ordinary keys and no program can reach the host.
 *
 *   nil      null                 boolean  true/false
 *   integer  number (safe range, always integral) or bigint (outside it, always normalised)
 *   float    Float                string   string
 *   keyword  Keyword (interned)   vector   Vec
 *   map      PMap                 set      PSet
 *   function Closure | Builtin | Native    regex Regex   var VarRef   time Instant | LocalDate
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Keyword
  | Vec<Value>
  | PMap<Value>
  | PSet<Value>
  | Fn
  | Regex
  | VarRef
  | Instant
  | LocalDate;

/**
 * All kinds of functions: closures of programs, builtins of the registry, functions built at run time (`juxt`, `fnil`,
 * `where`).
 */
export type Fn = Closure | Builtin | Native;

/** The part of a function's code that values need. The compiler and the machine know the rest (`Code`). */
export interface FunctionCode {
  name?: string;
  /** As the program wrote them, for printing; destructured ones are `_`. */
  readonly parameters: readonly string[];
  /** Parameters without the rest parameter. */
  readonly arity: number;
  readonly variadic: boolean;
}

/** A function of the program: its code and the values it closed over. Global names are looked up when it runs. */
export class Closure {
  readonly tag = "closure";
  constructor(
    readonly code: FunctionCode,
    readonly captured: readonly Value[],
    readonly doc: string | null = null,
  ) {}

  /** As the program wrote them; destructured ones are `_`. */
  get paramNames(): readonly string[] {
    const { parameters, variadic } = this.code;
    return variadic ? [...parameters.slice(0, -1), "&", parameters.at(-1) as string] : parameters;
  }
  get name(): string | undefined {
    return this.code.name;
  }
  withDoc(doc: string): Closure {
    return new Closure(this.code, this.captured, doc);
  }
}

/** A function as inventories show it: its name, parameters and docstring. */
export function describeFunction(closure: Closure): { name: string | undefined; params: string[]; doc: string | null } {
  return { name: closure.name, params: [...closure.paramNames], doc: closure.doc };
}

/** A request of a higher-order builtin: call this function; the generator is resumed with its value. */
export interface CallRequest {
  fn: Value;
  args: Value[];
}

/** `family` is the section of the reference that the builtin stands in. */
export interface BuiltinDoc extends Doc {
  readonly family: string;
}

interface BuiltinBase {
  readonly tag: "builtin";
  readonly name: string;
  /** Inclusive; `max` Infinity for variadic. Checked by the evaluator before the call. */
  readonly arity: { min: number; max: number };
  readonly doc: BuiltinDoc;
}

/** A builtin that never calls functions of the program. */
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
  /**
   * The arguments of a call that continues after `answered` answers (`last` is the newest): for a builtin whose
   * answers are accumulators, so that nobody needs to keep them all.
   */
  readonly onward?: (args: Value[], answered: number, last: Value, ctx: BuiltinContext) => Value[];
}

/** A function of the language itself, plain or one that calls other functions. */
export type Builtin = PlainBuiltin | HigherOrderBuiltin;

/** A function value built at run time by a builtin or form (`fnil`, `juxt`, `where`, `all-of`). */
export interface Native {
  readonly tag: "native";
  readonly name: string;
  readonly arity: { min: number; max: number };
  call(args: Value[], ctx: BuiltinContext): Generator<CallRequest, Value, Value>;
  /** How it is stored for continue-as-new: the form that built it, with its captured values. */
  readonly origin: { form: string; literals?: Value[]; captured: Value[] };
}
