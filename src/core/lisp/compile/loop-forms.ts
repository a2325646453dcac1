import type { Form } from "../read/form";
import { Vec } from "../values/collections";
import type { Place } from "../values/errors";
import { Float, Keyword } from "../values/values";
import { bindName } from "./bindings";
import { Op } from "./code";
import { analysisError, type Compiler } from "./compiler";
import { argumentsOf, bindingPairs, type SpecialForm } from "./special-forms";

/** loop, for, doseq (lisp reference, section 7.5). */

const loop: SpecialForm = (c, form) => {
  const [bindings, ...body] = argumentsOf(form, "(loop [name value ...] body)", 2, Number.POSITIVE_INFINITY);
  c.fn.enter();
  const pairs = bindingPairs(bindings as Form, "loop");
  // The values of each round stand in a row of slots; plain names stand for them directly.
  const slots = pairs.map(() => c.fn.newSlot());
  const takeApart = (pattern: Form, slot: number) => {
    if (pattern.kind === "symbol") return bindName(c, pattern, slot);
    c.fn.emit(pattern.at, Op.LOCAL, slot);
    c.pattern(pattern);
  };
  pairs.forEach(([pattern, value], i) => {
    c.form(value);
    c.fn.emit(value.at, Op.SET_LOCAL, slots[i] as number);
    takeApart(pattern, slots[i] as number); // later values see earlier names
  });
  const counter = c.fn.newSlot();
  c.fn.emit(form.at, Op.LOOP_START, counter);
  const start = c.fn.here;
  pairs.forEach(([pattern], i) => {
    takeApart(pattern, slots[i] as number);
  });
  c.withRecurTarget({ first: slots[0] ?? 0, count: slots.length, counter, start }, () => c.body(body, form.at, true));
  c.fn.leave();
};

interface Level {
  pattern: Form;
  collection: Form;
  modifiers: { kind: "when" | "while" | "let"; form: Form }[];
}

const comprehension =
  (name: "for" | "doseq"): SpecialForm =>
  (c, form) => {
    const usage = `(${name} [name collection ...] body)`;
    const [bindings, ...body] = argumentsOf(form, usage, 2, Number.POSITIVE_INFINITY);
    const levels = readLevels(bindings as Form, usage);
    c.fn.enter();
    const collected = name === "for" ? c.fn.newSlot() : undefined;
    if (collected !== undefined) {
      c.constant(Vec.from([]), form.at);
      c.fn.emit(form.at, Op.SET_LOCAL, collected);
    }
    compileLevel(c, levels, 0, form.at, () => {
      c.body(body, form.at, false);
      if (collected === undefined) c.fn.emit(form.at, Op.POP);
      else c.fn.emit(form.at, Op.APPEND, collected);
    });
    if (collected === undefined) c.constant(null, form.at);
    else c.fn.emit(form.at, Op.LOCAL, collected);
    c.fn.leave();
  };

function compileLevel(c: Compiler, levels: readonly Level[], depth: number, at: Place, inner: () => void): void {
  const level = levels[depth];
  if (!level) return inner();
  const items = c.fn.newSlot();
  const index = c.fn.newSlot();
  c.form(level.collection);
  c.fn.emit(level.collection.at, Op.SEQ);
  c.fn.emit(at, Op.SET_LOCAL, items);
  c.constant(0, at);
  c.fn.emit(at, Op.SET_LOCAL, index);
  const next = c.fn.here;
  const ends = [c.fn.emit(at, Op.ITERATE, items, index, 0) + 3];
  c.fn.enter();
  c.pattern(level.pattern);
  for (const { kind, form } of level.modifiers) {
    if (kind === "let") {
      for (const [pattern, value] of bindingPairs(form, ":let")) {
        c.form(value);
        c.pattern(pattern);
      }
      continue;
    }
    c.form(form);
    const jump = c.fn.emit(form.at, Op.JUMP_IF_FALSE, next) + 1;
    if (kind === "while") ends.push(jump);
  }
  c.deeper(at, () => compileLevel(c, levels, depth + 1, at, inner));
  c.fn.leave();
  c.fn.emit(at, Op.JUMP, next);
  for (const end of ends) c.fn.patch(end);
}

/** A number or keyword: the slip shows before anything runs. */
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

export const loopForms: [string, SpecialForm][] = [
  ["loop", loop],
  ["for", comprehension("for")],
  ["doseq", comprehension("doseq")],
];
