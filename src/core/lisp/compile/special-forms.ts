import { type Form, isPlainName, type ListForm, list } from "../read/form";
import { Op } from "./code";
import { analysisError, type Compiler } from "./compiler";
import { definitionForms } from "./definition-forms";
import { journalForms } from "./journal-forms";
import { loopForms } from "./loop-forms";
import { predicateForms } from "./predicate-forms";

/** Compiles one special form; its value is left on the stack. */
export type SpecialForm = (c: Compiler, form: ListForm, tail: boolean) => void;

export const arity = (form: ListForm, usage: string) => analysisError("invalid_arity", `expected ${usage}`, form.at);

/** Exactly `count` arguments, or between the two. */
export function argumentsOf(form: ListForm, usage: string, min: number, max = min): Form[] {
  const args = form.items.slice(1);
  if (args.length < min || args.length > max) throw arity(form, usage);
  return args;
}

const fn: SpecialForm = (c, form) => c.function(form, form.items.slice(1));

const letForm: SpecialForm = (c, form, tail) => {
  const [bindings, ...body] = argumentsOf(form, "(let [name value ...] body)", 2, Number.POSITIVE_INFINITY);
  c.fn.enter();
  for (const [pattern, value] of bindingPairs(bindings as Form, "let")) {
    c.form(value);
    c.pattern(pattern);
  }
  c.body(body, form.at, tail);
  c.fn.leave();
};

export function bindingPairs(bindings: Form, form: string): [Form, Form][] {
  if (bindings.kind !== "vector")
    throw analysisError(
      "invalid_form",
      `the bindings of ${form} are a vector: (${form} [name value] ...)`,
      bindings.at,
    );
  if (bindings.items.length % 2 === 1)
    throw analysisError(
      "invalid_form",
      `the bindings of ${form} are pairs of name and value; one value is missing`,
      bindings.at,
    );
  return Array.from({ length: bindings.items.length / 2 }, (_, i) => [
    bindings.items[2 * i] as Form,
    bindings.items[2 * i + 1] as Form,
  ]);
}

/** Compiles test-then-else; either branch may be absent (nil). */
function branch(c: Compiler, form: ListForm, jump: number, then: () => void, otherwise: () => void): void {
  const toElse = c.fn.emit(form.at, jump, 0) + 1;
  then();
  const toEnd = c.fn.emit(form.at, Op.JUMP, 0) + 1;
  c.fn.patch(toElse);
  otherwise();
  c.fn.patch(toEnd);
}

const conditional =
  (jump: number, usage: string): SpecialForm =>
  (c, form, tail) => {
    const [test, then, otherwise] = argumentsOf(form, usage, 2, 3) as [Form, Form, Form | undefined];
    c.form(test);
    branch(
      c,
      form,
      jump,
      () => c.form(then, tail),
      () => (otherwise ? c.form(otherwise, tail) : c.constant(null, form.at)),
    );
  };

const whenForm =
  (jump: number, usage: string): SpecialForm =>
  (c, form, tail) => {
    const [test, ...body] = argumentsOf(form, usage, 2, Number.POSITIVE_INFINITY);
    c.form(test as Form);
    branch(
      c,
      form,
      jump,
      () => c.body(body, form.at, tail),
      () => c.constant(null, form.at),
    );
  };

const bindingTest =
  (name: "if-let" | "when-let"): SpecialForm =>
  (c, form, tail) => {
    const usage = name === "if-let" ? "(if-let [name value] then else)" : "(when-let [name value] body)";
    const args =
      name === "if-let" ? argumentsOf(form, usage, 3) : argumentsOf(form, usage, 2, Number.POSITIVE_INFINITY);
    const pairs = bindingPairs(args[0] as Form, name);
    const [pattern, value] = pairs[0] ?? [];
    if (pairs.length !== 1 || pattern?.kind !== "symbol" || !isPlainName(pattern.name))
      throw analysisError("invalid_form", `${usage}: exactly one plain name is bound`, form.at);
    c.fn.enter();
    c.form(value as Form);
    c.fn.emit(form.at, Op.DUP);
    c.pattern(pattern);
    branch(
      c,
      form,
      Op.JUMP_IF_FALSE,
      () => c.body(name === "if-let" ? [args[1] as Form] : args.slice(1), form.at, tail),
      () => (name === "if-let" ? c.form(args[2] as Form, tail) : c.constant(null, form.at)),
    );
    c.fn.leave();
  };

const cond: SpecialForm = (c, form, tail) => {
  const args = form.items.slice(1);
  if (args.length === 0 || args.length % 2 === 1)
    throw analysisError(
      "invalid_cond_form",
      "expected (cond test value ... :else value): tests and values in pairs",
      form.at,
    );
  const ends: number[] = [];
  for (let i = 0; i < args.length; i += 2) {
    c.form(args[i] as Form);
    const next = c.fn.emit((args[i] as Form).at, Op.JUMP_IF_FALSE, 0) + 1;
    c.form(args[i + 1] as Form, tail);
    ends.push(c.fn.emit(form.at, Op.JUMP, 0) + 1);
    c.fn.patch(next);
  }
  c.constant(null, form.at);
  for (const end of ends) c.fn.patch(end);
};

const chain =
  (jump: number, none: boolean | null, nilForUnknown: boolean): SpecialForm =>
  (c, form, tail) => {
    const args = form.items.slice(1);
    if (args.length === 0) return c.constant(none, form.at);
    const ends: number[] = [];
    args.forEach((arg, i) => {
      const last = i === args.length - 1;
      // `(or counter 0)`: a name that was never defined counts as nil there.
      if (nilForUnknown && arg.kind === "symbol" && isGlobalName(c, arg.name))
        c.global(arg.name, arg.at, Op.GLOBAL_OR_NIL);
      else c.form(arg, tail && last);
      if (!last) ends.push(c.fn.emit(arg.at, jump, 0) + 1);
    });
    for (const end of ends) c.fn.patch(end);
  };

function isGlobalName(c: Compiler, name: string): boolean {
  return (
    !c.isVariable(name) && c.registry.value(name) === undefined && !name.includes("/") && !/^(\*[123]|%\d*)$/.test(name)
  );
}

const thread =
  (name: "->" | "->>"): SpecialForm =>
  (c, form, tail) => {
    const [start, ...steps] = form.items.slice(1);
    if (!start) throw analysisError("invalid_thread_form", `expected (${name} value step ...)`, form.at);
    const whole = steps.reduce<Form>((value, step) => {
      if (step.kind !== "list" || step.items.length === 0) return list([step, value], step.at);
      const [head, ...args] = step.items as [Form, ...Form[]];
      return list(name === "->" ? [head, value, ...args] : [head, ...args, value], step.at);
    }, start);
    c.form(whole, tail);
  };

const recur: SpecialForm = (c, form, tail) => {
  if (!tail || !c.recur)
    throw analysisError("invalid_form", "recur must be in tail position of a loop or function", form.at);
  const values = form.items.slice(1);
  const { first, count, counter, start } = c.recur;
  for (const value of values) c.form(value);
  c.fn.emit(form.at, Op.RECUR, first, count, counter, start, values.length);
};

const doForm: SpecialForm = (c, form, tail) => c.body(form.items.slice(1), form.at, tail);

export const SPECIAL_FORMS: ReadonlyMap<string, SpecialForm> = new Map<string, SpecialForm>([
  ...definitionForms,
  ["fn", fn],
  ["let", letForm],
  ["do", doForm],
  ["if", conditional(Op.JUMP_IF_FALSE, "(if test then else)")],
  ["if-not", conditional(Op.JUMP_IF_TRUE, "(if-not test then else)")],
  ["when", whenForm(Op.JUMP_IF_FALSE, "(when test body)")],
  ["when-not", whenForm(Op.JUMP_IF_TRUE, "(when-not test body)")],
  ["if-let", bindingTest("if-let")],
  ["when-let", bindingTest("when-let")],
  ["cond", cond],
  ["and", chain(Op.JUMP_KEEP_FALSE, true, false)],
  ["or", chain(Op.JUMP_KEEP_TRUE, null, true)],
  ["->", thread("->")],
  ["->>", thread("->>")],
  ["recur", recur],
  ...loopForms,
  ...predicateForms,
  ...journalForms,
]);
