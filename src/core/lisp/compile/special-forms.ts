import { type Form, isPlainName, type ListForm, list } from "../read/form";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import { definitionForms } from "./definition-forms";
import type { Emit, SpecialForm } from "./emit";
import { argumentsOf, bindingPairs } from "./form-arguments";
import { journalForms } from "./journal-forms";
import { loopForms } from "./loop-forms";
import { predicateForms } from "./predicate-forms";

const fn: SpecialForm = (emit, form) => emit.function(form, form.items.slice(1));

const letForm: SpecialForm = (emit, form, tail) => {
  const [bindings, ...body] = argumentsOf(form, "(let [name value ...] body)", 2, Number.POSITIVE_INFINITY);
  emit.fn.enter();
  for (const [pattern, value] of bindingPairs(bindings as Form, "let")) {
    emit.form(value);
    emit.pattern(pattern);
  }
  emit.body(body, form.at, tail);
  emit.fn.leave();
};

/** Compiles test-then-else; either branch may be absent (nil). */
function branch(emit: Emit, form: ListForm, jump: number, then: () => void, otherwise: () => void): void {
  const toElse = emit.fn.emit(form.at, jump, 0) + 1;
  then();
  const toEnd = emit.fn.emit(form.at, Op.JUMP, 0) + 1;
  emit.fn.patch(toElse);
  otherwise();
  emit.fn.patch(toEnd);
}

const conditional =
  (jump: number, usage: string): SpecialForm =>
  (emit, form, tail) => {
    const [test, then, otherwise] = argumentsOf(form, usage, 2, 3) as [Form, Form, Form | undefined];
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
  (jump: number, usage: string): SpecialForm =>
  (emit, form, tail) => {
    const [test, ...body] = argumentsOf(form, usage, 2, Number.POSITIVE_INFINITY);
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
  (name: "if-let" | "when-let"): SpecialForm =>
  (emit, form, tail) => {
    const usage = name === "if-let" ? "(if-let [name value] then else)" : "(when-let [name value] body)";
    const args =
      name === "if-let" ? argumentsOf(form, usage, 3) : argumentsOf(form, usage, 2, Number.POSITIVE_INFINITY);
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

const cond: SpecialForm = (emit, form, tail) => {
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
  (jump: number, none: boolean | null, nilForUnknown: boolean): SpecialForm =>
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
  (name: "->" | "->>"): SpecialForm =>
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

const recur: SpecialForm = (emit, form, tail) => {
  if (!tail || !emit.recur)
    throw analysisError("invalid_form", "recur must be in tail position of a loop or function", form.at);
  const values = form.items.slice(1);
  const { first, count, counter, start } = emit.recur;
  for (const value of values) emit.form(value);
  emit.fn.emit(form.at, Op.RECUR, first, count, counter, start, values.length);
};

const doForm: SpecialForm = (emit, form, tail) => emit.body(form.items.slice(1), form.at, tail);

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
