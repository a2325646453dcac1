import type { Form, ListForm } from "../read/form";
import type { Place } from "../values/errors";
import type { Value } from "../values/values";
import type { FunctionScope } from "./scope";

/**
 * The compiler's interface for special forms, patterns and functions. Each of them emits the instructions of one form,
 * and lets the compiler compile the forms inside it.
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
  /** Compiles a part of the present form that is not a form itself, one level deeper. */
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

/** The names that a program may use without defining them. */
export interface KnownNames {
  /** A builtin function or constant by its plain name. */
  value(name: string): Value | undefined;
  /** The builtin that `ns/name` means: some namespaces are dropped. */
  qualified(namespace: string, rest: string): Value | undefined;
  /** The message for an `ns/name` that does not exist. */
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
