import { HostMap, HostSet } from "../../base/intrinsics";
import { type Form, isSymbol, type ListForm } from "../read/form";
import type { Place } from "../values/errors";
import { analysisError } from "./analysis-error";
import { compileDestructuring } from "./bindings";
import { INLINE, Op } from "./code";
import type { Emit, RecurTarget } from "./emit";
import { compileFunction, compileShortFunction } from "./functions";
import { namespaced } from "./namespaces";
import type { Registry } from "./registry";
import { FunctionScope } from "./scope";
import { SPECIAL_FORMS } from "./special-forms";

/**
 * Compiles forms to instructions, in one pass. All mistakes that can be found before a program runs are found here:
 * wrong forms and arities, undefined names, unknown tools. So a program with a mistake in its last line calls no tool.
 */
export class Compiler implements Emit {
  /** The function being compiled. */
  fn: FunctionScope;
  /** Where `recur` in tail position goes. */
  recur: RecurTarget | null = null;
  private depth = 0;
  private readonly undefinedNames = new HostMap<string, Place>();
  private readonly unknownTools = new HostMap<string, Place>();
  /** Names defined anywhere in the program: a use before the definition fails when it runs. */
  private readonly defined = new HostSet<string>();

  constructor(
    readonly registry: Registry,
    fn: FunctionScope,
    /** Names whose values are given to the outermost function (deserialised closures). */
    private given: readonly string[] = [],
  ) {
    this.fn = fn;
  }

  /** Compiles a sequence; the value of the last form stays on the stack. */
  body(forms: readonly Form[], at: Place, tail: boolean): void {
    if (forms.length === 0) this.constant(null, at);
    for (const [i, form] of forms.entries()) {
      const last = i === forms.length - 1;
      this.form(form, last && tail);
      if (!last) this.fn.emit(form.at, Op.POP);
    }
  }

  form(form: Form, tail = false): void {
    this.enter(form.at);
    this.compile(form, tail);
    this.depth -= 1;
  }

  /** Compiles a part of the present form that is not a form itself, one level deeper. */
  deeper(at: Place, compile: () => void): void {
    this.enter(at);
    compile();
    this.depth -= 1;
  }

  private enter(at: Place): void {
    if (this.depth >= MAX_DEPTH)
      throw analysisError(
        "invalid_form",
        `forms are nested deeper than ${MAX_DEPTH}, steps of -> and ->> and bindings of for included`,
        at,
      );
    this.fn.limit.spend(at);
    this.depth += 1;
  }

  private compile(form: Form, tail: boolean): void {
    switch (form.kind) {
      case "literal":
        return this.constant(form.value, form.at);
      case "regex":
        return this.constant(this.registry.regex(form.source, form.at), form.at);
      case "symbol":
        return this.symbol(form.name, form.at);
      case "var":
        return this.named(form.name, form.at);
      case "vector":
        for (const item of form.items) this.form(item);
        return void this.fn.emit(form.at, Op.VECTOR, form.items.length);
      case "set":
        for (const item of form.items) this.form(item);
        return void this.fn.emit(form.at, Op.SET, form.items.length);
      case "map":
        for (const item of form.items) this.form(item);
        return void this.fn.emit(form.at, Op.MAP, form.items.length / 2);
      case "shortfn":
        return compileShortFunction(this, form);
      case "list":
        return this.list(form, tail);
    }
  }

  constant(value: Parameters<FunctionScope["constant"]>[0], at: Place): void {
    this.fn.emit(at, Op.CONST, this.fn.constant(value));
  }

  symbol(name: string, at: Place): void {
    const history = /^\*([123])$/.exec(name);
    if (history) return void this.fn.emit(at, Op.HISTORY, Number(history[1]) - 1);
    if (/^%[0-9]*$/.test(name))
      throw analysisError("invalid_placeholder", `the placeholder ${name} can only be used inside #( )`, at);
    if (this.variable(name, at)) return;
    const slash = name.indexOf("/");
    if (slash > 0) {
      namespaced(this, name, at);
      return;
    }
    this.named(name, at);
  }

  /** A name that is not local: a builtin or a definition. */
  private named(name: string, at: Place): void {
    const known = this.registry.value(name);
    if (known !== undefined) return this.constant(known, at);
    this.global(name, at, Op.GLOBAL);
  }

  /** A local or captured name. */
  private variable(name: string, at: Place): boolean {
    const slot = this.fn.local(name);
    if (slot !== undefined) {
      this.fn.emit(at, Op.LOCAL, slot);
      return true;
    }
    const index = this.fn.captured(name);
    if (index === undefined) return false;
    this.fn.emit(at, Op.CAPTURED, index);
    return true;
  }

  isVariable(name: string): boolean {
    return this.fn.local(name) !== undefined || this.fn.captured(name) !== undefined;
  }

  global(name: string, at: Place, op: number): void {
    if (op === Op.GLOBAL && !name.startsWith(".") && !this.undefinedNames.has(name)) this.undefinedNames.set(name, at);
    this.fn.emit(at, op, this.fn.constant(name));
  }

  define(name: string): void {
    this.defined.add(name);
  }

  useTool(name: string, at: Place): void {
    if (!this.registry.mayCall(name) && !this.unknownTools.has(name)) this.unknownTools.set(name, at);
  }

  private list(form: ListForm, tail: boolean): void {
    const head = form.items[0];
    if (!head) throw analysisError("invalid_form", "() is an empty call: for an empty vector write []", form.at);
    // As in Clojure, a special form wins over everything else that has its name.
    const special = isSymbol(head) && SPECIAL_FORMS.get(head.name);
    if (special) return special.compile(this, form, tail);
    if (isSymbol(head) && !this.isVariable(head.name)) {
      if (head.name === ".")
        throw analysisError("invalid_form", "(. object method) is not supported: write (.method object)", form.at);
      const slash = head.name.indexOf("/");
      if (slash > 0 && namespaced(this, head.name, head.at, form) === "done") return;
      const inline = INLINE.get(`${head.name}/${form.items.length - 1}`);
      if (inline !== undefined) {
        for (const argument of form.items.slice(1)) this.form(argument);
        return void this.fn.emit(form.at, inline);
      }
      this.registry.checkCall(head.name, form.items.length - 1, form.at);
    }
    this.form(head);
    for (const argument of form.items.slice(1)) this.form(argument);
    this.fn.emit(form.at, Op.CALL, form.items.length - 1);
  }

  /** Compiles a nested function; its closure is pushed. */
  nested(form: Form, name: string | undefined, compile: () => void): void {
    const outer = this.fn;
    const inner = new FunctionScope(outer, form, outer.limit, this.given);
    this.given = [];
    if (name !== undefined) inner.code.name = name;
    this.fn = inner;
    const recur = this.recur;
    this.deeper(form.at, compile);
    this.recur = recur;
    inner.emit(form.at, Op.RETURN);
    this.fn = outer;
    outer.emit(form.at, Op.CLOSURE, outer.constant(inner.code));
  }

  withRecurTarget(target: RecurTarget, compile: () => void): void {
    const outer = this.recur;
    this.recur = target;
    compile();
    this.recur = outer;
  }

  pattern(pattern: Form): void {
    compileDestructuring(this, pattern);
  }

  function(form: ListForm, items: readonly Form[], name?: string): void {
    compileFunction(this, form, items, name);
  }

  /** Throws one error that names everything unknown. */
  checkNames(): void {
    const unknown = inOrder(this.undefinedNames).filter(
      ([name]) => !this.defined.has(name) && !this.registry.isRemembered(name),
    );
    if (unknown.length > 0) {
      const names = unknown.slice(0, NAMED).map(([name]) => name);
      const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : "";
      const own = [...this.fn.names, ...this.defined];
      const hints = names.map((name) => hintOn(name, names.length > 1, this.registry.hint(name, own)));
      throw analysisError(
        "unbound_var",
        [
          `Undefined variable${names.length > 1 ? "s" : ""}: ${names.join(", ")}${more}`,
          ...hints.filter((hint) => hint !== ""),
        ].join(". "),
        unknown[0]?.[1],
      );
    }
    if (this.unknownTools.size === 0) return;
    const missing = inOrder(this.unknownTools);
    throw this.registry.unknownTools(
      missing.map(([name]) => name),
      missing[0]?.[1],
    );
  }
}

/** With several unknown names, each hint names the unknown name that it is for. */
const hintOn = (name: string, several: boolean, hint: string) =>
  several && hint !== "" && !hint.startsWith(name) ? `${name}: ${hint}` : hint;

/** In the order of the text; the compiler meets the steps of -> in another order. */
const inOrder = (names: ReadonlyMap<string, Place>): [string, Place][] =>
  [...names].sort(([, a], [, b]) => a.line - b.line || a.column - b.column);

/** The most names that an error lists. */
const NAMED = 20;

/**
 * The compiler is recursive and may use half of the host's stack. The reader bounds the nesting of the text; chains of
 * -> and `for` over many collections add to it.
 */
const MAX_DEPTH = 300;
