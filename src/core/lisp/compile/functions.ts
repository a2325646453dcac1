import { type Form, isSymbol, list, symbol } from "../read/form";
import { analysisError } from "./analysis-error";
import { bindName, splitRest } from "./bindings";
import { Op } from "./code";
import type { Emit } from "./emit";

/** `(fn [params] body...)`; `items` are the parameters and the body. */
export function compileFunction(emit: Emit, form: Form, items: readonly Form[], name?: string): void {
  const [parameters, ...body] = items;
  if (parameters?.kind === "list")
    throw analysisError(
      "invalid_form",
      "a function has one parameter vector: several arities are not supported",
      parameters.at,
    );
  if (!parameters || body.length === 0) throw analysisError("invalid_arity", "expected (fn [params] body)", form.at);
  if (parameters.kind !== "vector")
    throw analysisError("invalid_form", "the parameters of a function are a vector: (fn [x y] ...)", parameters.at);
  const { fixed, rest } = splitRest(parameters.items, parameters.at);
  // What is stored of the closure: the short form as it is written, otherwise a plain (fn ...).
  const source = form.kind === "shortfn" ? form : list([symbol("fn", form.at), ...items], form.at);
  emit.nested(source, name, () => {
    const { code } = emit.fn;
    code.arity = fixed.length;
    code.variadic = rest !== undefined;
    const all = rest ? [...fixed, rest] : fixed;
    code.parameters = all.map((one) => (one.kind === "symbol" ? shownName(one.name) : "_"));
    // The arguments arrive in the first slots. A name is bound to its slot directly, other patterns take the value apart.
    const slots = all.map(() => emit.fn.newSlot());
    const counter = emit.fn.newSlot();
    all.forEach((one, i) => {
      if (one.kind === "symbol") bindName(emit, one, slots[i] as number);
    });
    emit.fn.emit(form.at, Op.LOOP_START, counter);
    const start = emit.fn.here;
    all.forEach((one, i) => {
      if (one.kind === "symbol") return;
      emit.fn.emit(one.at, Op.LOCAL, slots[i] as number);
      emit.pattern(one);
    });
    emit.withRecurTarget({ first: 0, count: all.length, counter, start }, () => emit.body(body, form.at, true));
  });
}

/** `#(...)`: placeholders become parameters with names that no program can write. */
export function compileShortFunction(emit: Emit, form: Extract<Form, { kind: "shortfn" }>): void {
  const used = { highest: 0 };
  const items = form.items.map((item) => replacePlaceholders(item, used));
  const parameters = Array.from({ length: used.highest }, (_, i) => symbol(placeholderName(i + 1), form.at));
  const [only] = items;
  const body: Form =
    items.length === 0
      ? { kind: "literal", value: null, at: form.at }
      : items.length === 1 && only && !isLoneName(form.items[0] as Form)
        ? only
        : list(items, form.at);
  const vector: Form = { kind: "vector", items: parameters, at: form.at };
  compileFunction(emit, form, [vector, body]);
}

/**
 * A lone symbol that is no placeholder is called; `#(%)` and `#(7)` give the value; a lone list is called as it stands.
 */
function isLoneName(original: Form): boolean {
  return isSymbol(original) && !original.name.startsWith("%");
}

const placeholderName = (n: number) => `%${n} `;

/** Placeholders print as p1, p2. */
const shownName = (name: string) => name.replace(/^%(\d+) $/, "p$1");

function replacePlaceholders(form: Form, used: { highest: number }): Form {
  switch (form.kind) {
    case "symbol": {
      const found = /^%([0-9]*)$/.exec(form.name);
      if (!found) return form;
      const n = found[1] === "" ? 1 : Number(found[1]);
      if (n < 1 || n > 20) throw analysisError("invalid_placeholder", "placeholders are % and %1 to %20", form.at);
      used.highest = Math.max(used.highest, n);
      return symbol(placeholderName(n), form.at);
    }
    case "shortfn":
      throw analysisError("invalid_form", "#( ) cannot be nested: use (fn [x] ...) for the inner one", form.at);
    case "list":
    case "vector":
    case "set":
    case "map":
      return { ...form, items: form.items.map((item) => replacePlaceholders(item, used)) };
    default:
      return form;
  }
}
