import type { Form, ListForm } from "../read/form";
import { type Description, type Doc, docOf } from "../values/doc";
import { analysisError } from "./analysis-error";
import type { FormCompiler } from "./emit";

/** A special form: its compiler and its documentation. */
export interface SpecialForm {
  readonly name: string;
  readonly doc: Doc;
  readonly compile: FormCompiler;
}

/** Defines a special form with its documentation. */
export function specialForm(
  name: string,
  usage: string | readonly string[],
  description: Description,
  compile: FormCompiler,
): SpecialForm {
  return { name, doc: docOf(usage, description), compile };
}

/** Returns the error of a form with the wrong number of arguments. */
export const wrongArity = (form: ListForm, usage: string) =>
  analysisError("invalid_arity", `expected ${usage}`, form.at);

/** The arguments of a form: exactly `min`, or from `min` to `max`. */
export function formArguments(form: ListForm, usage: string, min: number, max = min): Form[] {
  const args = form.items.slice(1);
  if (args.length < min || args.length > max) throw wrongArity(form, usage);
  return args;
}

/** Splits the bindings of a form into pairs of name and value; throws if they are not such pairs. */
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
