import type { Form, ListForm } from "../read/form";
import type { Place } from "../values/errors";
import type { Value } from "../values/values";
import type { FunctionScope } from "./scope";

/**
 * The compiler as special forms, patterns and functions use it. Each of them emits the instructions of one form, and
 * hands the forms inside it back.
 */
export interface Emit {
  /** The function being compiled. */
  readonly fn: FunctionScope;
  readonly registry: KnownNames;
  /** Where `recur` in tail position goes. */
  readonly recur: RecurTarget | null;
  /** Compiles a sequence; the value of the last form stays on the stack. */
  body(forms: readonly Form[], at: Place, tail: boolean): void;
  form(form: Form, tail?: boolean): void;
  /** Compiles what stands inside the present form without being a form itself. */
  deeper(at: Place, compile: () => void): void;
  constant(value: Parameters<FunctionScope["constant"]>[0], at: Place): void;
  /** A use of a global name, by the instruction `op`. */
  global(name: string, at: Place, op: number): void;
  /** Whether a name is a local, or captured from a function around this one. */
  isVariable(name: string): boolean;
  /** Notes that the program defines a name somewhere. */
  define(name: string): void;
  /** Notes that the program calls a tool. */
  useTool(name: string, at: Place): void;
  /** Compiles a nested function; its closure is pushed. */
  nested(form: Form, name: string | undefined, compile: () => void): void;
  withRecurTarget(target: RecurTarget, compile: () => void): void;
  /** Takes the value on the stack apart by a pattern, and binds the names in it. */
  pattern(pattern: Form): void;
  /** `(fn [params] body...)`; `items` are the parameters and the body. */
  function(form: ListForm, items: readonly Form[], name?: string): void;
}

/** The names that a program may use and does not define. */
export interface KnownNames {
  /** A builtin function or constant by its plain name. */
  value(name: string): Value | undefined;
  /** `ns/name` where the namespace is one that is dropped and the rest a builtin. */
  qualified(namespace: string, rest: string): Value | undefined;
  /** What to say of an `ns/name` that does not exist. */
  unknownName(namespace: string, rest: string): string;
}

/** Compiles one special form; its value is left on the stack. */
export type FormCompiler = (emit: Emit, form: ListForm, tail: boolean) => void;

export interface RecurTarget {
  /** The slots that take the new values, in a row. */
  first: number;
  count: number;
  /** Slot that counts the iterations. */
  counter: number;
  /** Where the body starts, patterns included. */
  start: number;
}
