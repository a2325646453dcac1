import { type Form, type ListForm, symbol } from "../read/form";
import type { Place } from "../values/errors";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import type { Emit } from "./emit";

/**
 * `ns/name` (lisp reference, section 6.3): `data/`, `tool/` and `budget/` have a special meaning; a known Clojure
 * namespace is dropped when the rest is a builtin; anything else is refused, with a list of what exists.
 *
 * @param call the whole call when the name stands in head position.
 * @returns "done" when the whole form is compiled; "value" when the name was pushed as a value.
 */
export function namespaced(emit: Emit, name: string, at: Place, call?: ListForm): "done" | "value" | undefined {
  const slash = name.indexOf("/");
  const ns = name.slice(0, slash);
  const rest = name.slice(slash + 1);
  const known = emit.registry.qualified(ns, rest);
  if (known !== undefined) {
    if (!call) {
      emit.constant(known, at);
      return "value";
    }
    const plain = symbol(rest, at);
    // The head is the builtin itself, so that a local of the same name is not taken.
    const head: Form =
      emit.isVariable(rest) || emit.registry.value(rest) !== known ? { kind: "literal", value: known, at } : plain;
    emit.form({ ...call, items: [head, ...call.items.slice(1)] });
    return "done";
  }
  if (ns === "data") {
    if (call)
      throw analysisError("invalid_form", `${name} is data, not a function: write ${name} without parentheses`, at);
    emit.fn.emit(at, Op.DATA, emit.fn.constant(rest));
    return "value";
  }
  if (ns === "tool") {
    if (!call) throw analysisError("invalid_form", `tools are not values: wrap it, as in #(tool/${rest} {:key %})`, at);
    toolCall(emit, call, rest, Op.TOOL);
    return "done";
  }
  if (ns === "budget") {
    if (rest !== "remaining") throw analysisError("invalid_form", `unknown ${name}: there is budget/remaining`, at);
    if (call && call.items.length > 1) throw analysisError("invalid_arity", "expected (budget/remaining)", at);
    emit.fn.emit(at, Op.BUDGET);
    return call ? "done" : "value";
  }
  throw analysisError("invalid_form", emit.registry.unknownName(ns, rest), at);
}

/** Compiles `(tool/name ...)`; `op` decides what happens to a failure. */
export function toolCall(emit: Emit, call: ListForm, name: string, op: number): void {
  emit.useTool(name, (call.items[0] as Form).at);
  for (const argument of call.items.slice(1)) emit.form(argument);
  emit.fn.emit(call.at, op, emit.fn.constant(name), call.items.length - 1);
}
