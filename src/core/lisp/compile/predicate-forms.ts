import type { Form, ListForm } from "../read/form";
import { Vec } from "../values/collections";
import { inCard } from "../values/doc";
import { Keyword, type Value } from "../values/values";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import type { Emit, FormCompiler } from "./emit";
import { type SpecialForm, specialForm } from "./special-form";

/** where, all-of, any-of, none-of, juxt (lisp reference, sections 7.8 and 7.9): each builds a function value. */

const OPERATORS = ["=", "not=", ">", "<", ">=", "<=", "includes", "in"];
const USAGE = "(where field) or (where field op value)";

const where: FormCompiler = (emit, form) => {
  const [field, op, value] = form.items.slice(1);
  const count = form.items.length - 1;
  if (!field || (count !== 1 && count !== 3))
    throw analysisError(
      "invalid_where_form",
      `expected ${USAGE}${count === 2 ? '; the operator is missing, as in (where :status = "open")' : ""}`,
      form.at,
    );
  const path = fieldPath(field);
  if (count === 1) return native(emit, form, "where", [path], 0);
  if (op?.kind !== "symbol" || !OPERATORS.includes(op.name))
    throw analysisError(
      "invalid_where_operator",
      `the operator of where is one of ${OPERATORS.join(" ")}`,
      op?.at ?? form.at,
    );
  emit.form(value as Form);
  native(emit, form, "where", [path, op.name], 1);
};

function fieldPath(field: Form): Value {
  const isKey = (one: Form): boolean =>
    one.kind === "literal" && (one.value instanceof Keyword || typeof one.value === "string");
  if (field.kind === "literal" && field.value instanceof Keyword) return Vec.from([field.value]);
  if (field.kind === "vector" && field.items.length > 0 && field.items.every(isKey))
    return Vec.from(field.items.map((one) => (one as { value: Value }).value));
  throw analysisError(
    "invalid_where_form",
    "the field of where is a keyword or a vector of keywords and texts",
    field.at,
  );
}

const combinator =
  (name: string): FormCompiler =>
  (emit, form) => {
    const parts = form.items.slice(1);
    for (const part of parts) emit.form(part);
    native(emit, form, name, [], parts.length);
  };

function native(emit: Emit, form: ListForm, name: string, literals: Value[], count: number): void {
  emit.fn.emit(form.at, Op.NATIVE, emit.fn.constant(name), emit.fn.constant(Vec.from(literals)), count);
}

export const predicateForms: readonly SpecialForm[] = [
  specialForm(
    "where",
    ["(where key)", "(where key op value)"],
    inCard("forms", 23, "A predicate on maps; op is one of = not= > < >= <= in includes."),
    where,
  ),
  specialForm(
    "all-of",
    "(all-of test ...)",
    inCard("forms", 24, "A predicate that is true when all are true."),
    combinator("all-of"),
  ),
  specialForm(
    "any-of",
    "(any-of test ...)",
    inCard("forms", 25, "A predicate that is true when at least one is true."),
    combinator("any-of"),
  ),
  specialForm(
    "none-of",
    "(none-of test ...)",
    inCard("forms", 26, "A predicate that is true when none is true."),
    combinator("none-of"),
  ),
  specialForm(
    "juxt",
    "(juxt f ...)",
    inCard("forms", 27, inCard("functions", 4, "A function that gives a vector with the result of each function.")),
    combinator("juxt"),
  ),
];
