import type { Form } from "../read/form";
import { Vec } from "../values/collections";
import { inCard } from "../values/doc";
import type { Place } from "../values/errors";
import { Float, Keyword } from "../values/values";
import { analysisError } from "./analysis-error";
import { bindName } from "./bindings";
import { Op } from "./code";
import type { Emit, FormCompiler } from "./emit";
import { bindingPairs, formArguments, type SpecialForm, specialForm } from "./special-form";

/** loop, for, doseq (lisp reference, section 7.5). */

const loop: FormCompiler = (emit, form) => {
  const [bindings, ...body] = formArguments(form, "(loop [name value ...] body)", 2, Number.POSITIVE_INFINITY);
  emit.fn.enter();
  const pairs = bindingPairs(bindings as Form, "loop");
  // The values of each round are in consecutive slots. A plain name is bound to its slot directly.
  const slots = pairs.map(() => emit.fn.newSlot());
  const takeApart = (pattern: Form, slot: number) => {
    if (pattern.kind === "symbol") return bindName(emit, pattern, slot);
    emit.fn.emit(pattern.at, Op.LOCAL, slot);
    emit.pattern(pattern);
  };
  pairs.forEach(([pattern, value], i) => {
    emit.form(value);
    emit.fn.emit(value.at, Op.SET_LOCAL, slots[i] as number);
    takeApart(pattern, slots[i] as number); // later values see earlier names
  });
  const counter = emit.fn.newSlot();
  emit.fn.emit(form.at, Op.LOOP_START, counter);
  const start = emit.fn.here;
  pairs.forEach(([pattern], i) => {
    takeApart(pattern, slots[i] as number);
  });
  emit.withRecurTarget({ first: slots[0] ?? 0, count: slots.length, counter, start }, () =>
    emit.body(body, form.at, true),
  );
  emit.fn.leave();
};

interface Level {
  pattern: Form;
  collection: Form;
  modifiers: { kind: "when" | "while" | "let"; form: Form }[];
}

const comprehension =
  (name: "for" | "doseq"): FormCompiler =>
  (emit, form) => {
    const usage = `(${name} [name collection ...] body)`;
    const [bindings, ...body] = formArguments(form, usage, 2, Number.POSITIVE_INFINITY);
    const levels = readLevels(bindings as Form, usage);
    emit.fn.enter();
    const collected = name === "for" ? emit.fn.newSlot() : undefined;
    if (collected !== undefined) {
      emit.constant(Vec.from([]), form.at);
      emit.fn.emit(form.at, Op.SET_LOCAL, collected);
    }
    compileLevel(emit, levels, 0, form.at, () => {
      emit.body(body, form.at, false);
      if (collected === undefined) emit.fn.emit(form.at, Op.POP);
      else emit.fn.emit(form.at, Op.APPEND, collected);
    });
    if (collected === undefined) emit.constant(null, form.at);
    else emit.fn.emit(form.at, Op.LOCAL, collected);
    emit.fn.leave();
  };

function compileLevel(emit: Emit, levels: readonly Level[], depth: number, at: Place, inner: () => void): void {
  const level = levels[depth];
  if (!level) return inner();
  const items = emit.fn.newSlot();
  const index = emit.fn.newSlot();
  emit.form(level.collection);
  emit.fn.emit(level.collection.at, Op.SEQ);
  emit.fn.emit(at, Op.SET_LOCAL, items);
  emit.constant(0, at);
  emit.fn.emit(at, Op.SET_LOCAL, index);
  const next = emit.fn.here;
  const ends = [emit.fn.emit(at, Op.ITERATE, items, index, 0) + 3];
  emit.fn.enter();
  emit.pattern(level.pattern);
  for (const { kind, form } of level.modifiers) {
    if (kind === "let") {
      for (const [pattern, value] of bindingPairs(form, ":let")) {
        emit.form(value);
        emit.pattern(pattern);
      }
      continue;
    }
    emit.form(form);
    const jump = emit.fn.emit(form.at, Op.JUMP_IF_FALSE, next) + 1;
    if (kind === "while") ends.push(jump);
  }
  emit.deeper(at, () => compileLevel(emit, levels, depth + 1, at, inner));
  emit.fn.leave();
  emit.fn.emit(at, Op.JUMP, next);
  for (const end of ends) emit.fn.patch(end);
}

/** Whether a form is a number or keyword: that mistake is found before the program runs. */
function isNoCollection(form: Form): boolean {
  if (form.kind !== "literal") return false;
  const { value } = form;
  return ["number", "bigint"].includes(typeof value) || value instanceof Float || value instanceof Keyword;
}

function readLevels(bindings: Form, usage: string): Level[] {
  if (bindings.kind !== "vector") throw analysisError("invalid_arity", `expected ${usage}`, bindings.at);
  const { items } = bindings;
  if (items.length === 0) throw analysisError("invalid_form", `${usage}: the bindings are empty`, bindings.at);
  if (items.length % 2 === 1)
    throw analysisError("invalid_form", `${usage}: the last binding has no value`, bindings.at);
  const levels: Level[] = [];
  for (let i = 0; i < items.length; i += 2) {
    const left = items[i] as Form;
    const right = items[i + 1] as Form;
    if (!(left.kind === "literal" && left.value instanceof Keyword)) {
      if (isNoCollection(right)) throw analysisError("invalid_arity", `${usage}: a collection is expected`, right.at);
      levels.push({ pattern: left, collection: right, modifiers: [] });
      continue;
    }
    const kind = left.value.name;
    const level = levels.at(-1);
    if (!level) throw analysisError("invalid_form", `${usage}: :${kind} must follow a binding`, left.at);
    if (kind !== "when" && kind !== "while" && kind !== "let")
      throw analysisError(
        "invalid_form",
        `${usage}: unknown modifier :${kind}; there are :when, :while and :let`,
        left.at,
      );
    level.modifiers.push({ kind, form: right });
  }
  return levels;
}

export const loopForms: readonly SpecialForm[] = [
  specialForm(
    "loop",
    "(loop [pattern value ...] body)",
    inCard("forms", 19, "Evaluates the body; recur starts it again with new values."),
    loop,
  ),
  specialForm(
    "for",
    "(for [pattern coll :when test :let [...] ...] body)",
    inCard("forms", 21, "A vector with the value of the body for each element; also :while."),
    comprehension("for"),
  ),
  specialForm(
    "doseq",
    "(doseq [pattern coll ...] body)",
    inCard("forms", 22, "Like for, but gives nil."),
    comprehension("doseq"),
  ),
];
