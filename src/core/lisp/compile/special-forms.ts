import { type Form, isPlainName, type ListForm, list } from "../read/form";
import { inCard } from "../values/doc";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import { definitionForms } from "./definition-forms";
import type { Emit, FormCompiler } from "./emit";
import { journalForms } from "./journal-forms";
import { loopForms } from "./loop-forms";
import { predicateForms } from "./predicate-forms";
import { bindingPairs, formArguments, type SpecialForm, specialForm } from "./special-form";

const fn: FormCompiler = (emit, form) => emit.function(form, form.items.slice(1));

const letForm: FormCompiler = (emit, form, tail) => {
  const [bindings, ...body] = formArguments(form, "(let [name value ...] body)", 2, Number.POSITIVE_INFINITY);
  emit.fn.enter();
  for (const [pattern, value] of bindingPairs(bindings as Form, "let")) {
    emit.form(value);
    emit.pattern(pattern);
  }
  emit.body(body, form.at, tail);
  emit.fn.leave();
};

/** Compiles both branches of a test that is on the stack. */
function branch(emit: Emit, form: ListForm, jump: number, then: () => void, otherwise: () => void): void {
  const toElse = emit.fn.emit(form.at, jump, 0) + 1;
  then();
  const toEnd = emit.fn.emit(form.at, Op.JUMP, 0) + 1;
  emit.fn.patch(toElse);
  otherwise();
  emit.fn.patch(toEnd);
}

const conditional =
  (jump: number, usage: string): FormCompiler =>
  (emit, form, tail) => {
    const [test, then, otherwise] = formArguments(form, usage, 2, 3) as [Form, Form, Form | undefined];
    emit.form(test);
    branch(
      emit,
      form,
      jump,
      () => emit.form(then, tail),
      () => (otherwise ? emit.form(otherwise, tail) : emit.constant(null, form.at)),
    );
  };

const whenForm =
  (jump: number, usage: string): FormCompiler =>
  (emit, form, tail) => {
    const [test, ...body] = formArguments(form, usage, 2, Number.POSITIVE_INFINITY);
    emit.form(test as Form);
    branch(
      emit,
      form,
      jump,
      () => emit.body(body, form.at, tail),
      () => emit.constant(null, form.at),
    );
  };

const bindingTest =
  (name: "if-let" | "when-let"): FormCompiler =>
  (emit, form, tail) => {
    const usage = name === "if-let" ? "(if-let [name value] then else)" : "(when-let [name value] body)";
    const args =
      name === "if-let" ? formArguments(form, usage, 3) : formArguments(form, usage, 2, Number.POSITIVE_INFINITY);
    const pairs = bindingPairs(args[0] as Form, name);
    const [pattern, value] = pairs[0] ?? [];
    if (pairs.length !== 1 || pattern?.kind !== "symbol" || !isPlainName(pattern.name))
      throw analysisError("invalid_form", `${usage}: exactly one plain name is bound`, form.at);
    emit.fn.enter();
    emit.form(value as Form);
    emit.fn.emit(form.at, Op.DUP);
    emit.pattern(pattern);
    branch(
      emit,
      form,
      Op.JUMP_IF_FALSE,
      () => emit.body(name === "if-let" ? [args[1] as Form] : args.slice(1), form.at, tail),
      () => (name === "if-let" ? emit.form(args[2] as Form, tail) : emit.constant(null, form.at)),
    );
    emit.fn.leave();
  };

const cond: FormCompiler = (emit, form, tail) => {
  const args = form.items.slice(1);
  if (args.length === 0 || args.length % 2 === 1)
    throw analysisError(
      "invalid_cond_form",
      "expected (cond test value ... :else value): tests and values in pairs",
      form.at,
    );
  const ends: number[] = [];
  for (let i = 0; i < args.length; i += 2) {
    emit.form(args[i] as Form);
    const next = emit.fn.emit((args[i] as Form).at, Op.JUMP_IF_FALSE, 0) + 1;
    emit.form(args[i + 1] as Form, tail);
    ends.push(emit.fn.emit(form.at, Op.JUMP, 0) + 1);
    emit.fn.patch(next);
  }
  emit.constant(null, form.at);
  for (const end of ends) emit.fn.patch(end);
};

const chain =
  (jump: number, none: boolean | null, nilForUnknown: boolean): FormCompiler =>
  (emit, form, tail) => {
    const args = form.items.slice(1);
    if (args.length === 0) return emit.constant(none, form.at);
    const ends: number[] = [];
    args.forEach((arg, i) => {
      const last = i === args.length - 1;
      // `(or counter 0)`: a name that was never defined counts as nil there.
      if (nilForUnknown && arg.kind === "symbol" && isGlobalName(emit, arg.name))
        emit.global(arg.name, arg.at, Op.GLOBAL_OR_NIL);
      else emit.form(arg, tail && last);
      if (!last) ends.push(emit.fn.emit(arg.at, jump, 0) + 1);
    });
    for (const end of ends) emit.fn.patch(end);
  };

function isGlobalName(emit: Emit, name: string): boolean {
  return (
    !emit.isVariable(name) &&
    emit.registry.value(name) === undefined &&
    !name.includes("/") &&
    !/^(\*[123]|%\d*)$/.test(name)
  );
}

const thread =
  (name: "->" | "->>"): FormCompiler =>
  (emit, form, tail) => {
    const [start, ...steps] = form.items.slice(1);
    if (!start) throw analysisError("invalid_thread_form", `expected (${name} value step ...)`, form.at);
    const whole = steps.reduce<Form>((value, step) => {
      if (step.kind !== "list" || step.items.length === 0) return list([step, value], step.at);
      const [head, ...args] = step.items as [Form, ...Form[]];
      return list(name === "->" ? [head, value, ...args] : [head, ...args, value], step.at);
    }, start);
    emit.form(whole, tail);
  };

const recur: FormCompiler = (emit, form, tail) => {
  if (!tail || !emit.recur)
    throw analysisError("invalid_form", "recur must be in tail position of a loop or function", form.at);
  const values = form.items.slice(1);
  const { first, count, counter, start } = emit.recur;
  for (const value of values) emit.form(value);
  emit.fn.emit(form.at, Op.RECUR, first, count, counter, start, values.length);
};

const doForm: FormCompiler = (emit, form, tail) => emit.body(form.items.slice(1), form.at, tail);

const ALL: readonly SpecialForm[] = [
  ...definitionForms,
  specialForm(
    "fn",
    ["(fn [params] body)", "(fn [a & rest] body)"],
    inCard("forms", 4, "A function. Short form: #(+ % %2).", "fn #()"),
    fn,
  ),
  specialForm(
    "let",
    "(let [pattern value ...] body)",
    inCard("forms", 6, "Binds names to values in the body; a pattern binds the parts of a vector or map."),
    letForm,
  ),
  specialForm(
    "do",
    "(do form ...)",
    inCard("forms", 7, "Evaluates the forms in order, and gives the value of the last."),
    doForm,
  ),
  specialForm(
    "if",
    ["(if test then)", "(if test then else)"],
    inCard("forms", 8, "The value of then; if test is nil or false, the value of else, or nil."),
    conditional(Op.JUMP_IF_FALSE, "(if test then else)"),
  ),
  specialForm(
    "if-not",
    ["(if-not test then)", "(if-not test then else)"],
    inCard("forms", 9, "Like if, with the two branches swapped."),
    conditional(Op.JUMP_IF_TRUE, "(if-not test then else)"),
  ),
  specialForm(
    "when",
    "(when test body)",
    inCard("forms", 11, "The value of the body, or nil if test is nil or false."),
    whenForm(Op.JUMP_IF_FALSE, "(when test body)"),
  ),
  specialForm(
    "when-not",
    "(when-not test body)",
    inCard("forms", 12, "The value of the body if test is nil or false; otherwise nil."),
    whenForm(Op.JUMP_IF_TRUE, "(when-not test body)"),
  ),
  specialForm(
    "if-let",
    "(if-let [name value] then else)",
    inCard("forms", 10, "Like if, with a name for the tested value; else is required."),
    bindingTest("if-let"),
  ),
  specialForm(
    "when-let",
    "(when-let [name value] body)",
    inCard("forms", 13, "Like when, with a name for the tested value."),
    bindingTest("when-let"),
  ),
  specialForm(
    "cond",
    "(cond test value ... :else value)",
    inCard("forms", 14, "The value after the first true test; nil if no test is true."),
    cond,
  ),
  specialForm(
    "and",
    "(and x ...)",
    inCard("forms", 15, "The first value that is nil or false, or the last value."),
    chain(Op.JUMP_KEEP_FALSE, true, false),
  ),
  specialForm(
    "or",
    "(or x ...)",
    inCard(
      "forms",
      16,
      "The first value that is neither nil nor false, or the last value. A name without a value counts as nil.",
    ),
    chain(Op.JUMP_KEEP_TRUE, null, true),
  ),
  specialForm(
    "->",
    "(-> x step ...)",
    inCard("forms", 17, "Passes the value through the steps, as the first argument of each."),
    thread("->"),
  ),
  specialForm(
    "->>",
    "(->> x step ...)",
    inCard("forms", 18, "Passes the value through the steps, as the last argument of each."),
    thread("->>"),
  ),
  specialForm(
    "recur",
    "(recur value ...)",
    inCard("forms", 20, "Starts the innermost loop or function again; in tail position only."),
    recur,
  ),
  ...loopForms,
  ...predicateForms,
  ...journalForms,
];

/** Every special form by name (lisp reference, sections 7 and 8). */
export const SPECIAL_FORMS: ReadonlyMap<string, SpecialForm> = new Map(ALL.map((form) => [form.name, form]));
