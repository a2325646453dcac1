import { type Form, isPlainName, type ListForm } from "../read/form";
import { inCard } from "../values/doc";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import type { Emit, FormCompiler } from "./emit";
import { formArguments, type SpecialForm, specialForm, wrongArity } from "./special-form";

/** def, defonce, defn (lisp reference, section 7.1). */

const definition =
  (once: boolean): FormCompiler =>
  (emit, form) => {
    const usage = once ? "(defonce name value)" : "(def name value)";
    const args = formArguments(form, usage, 2, 3);
    const doc = args.length === 3 ? (args[1] as Form) : undefined;
    if (doc && !isText(doc)) throw wrongArity(form, `${usage}; of three arguments the second is a "docstring"`);
    const name = definedName(emit, args[0] as Form, usage);
    store(emit, form, name, doc, () => emit.form(args.at(-1) as Form), once);
  };

const isText = (form: Form | undefined): boolean => form?.kind === "literal" && typeof form.value === "string";

function store(
  emit: Emit,
  form: ListForm,
  name: string,
  doc: Form | undefined,
  value: () => void,
  once: boolean,
): void {
  emit.define(name);
  const k = emit.fn.constant(name);
  let skip = -1;
  if (once) {
    emit.fn.emit(form.at, Op.IS_DEFINED, k);
    skip = emit.fn.emit(form.at, Op.JUMP_IF_TRUE, 0) + 1;
  }
  value();
  emit.fn.emit(form.at, Op.DEF, k, emit.fn.constant(doc?.kind === "literal" ? doc.value : null));
  if (once) emit.fn.patch(skip);
  emit.fn.emit(form.at, Op.VAR, k);
}

function definedName(emit: Emit, form: Form, usage: string): string {
  if (form.kind !== "symbol" || !isPlainName(form.name))
    throw analysisError("invalid_form", `the name in ${usage} must be a plain symbol`, form.at);
  if (emit.registry.value(form.name) !== undefined)
    throw analysisError(
      "cannot_shadow_builtin",
      `cannot redefine the builtin ${form.name}: choose another name`,
      form.at,
    );
  return form.name;
}

const defn: FormCompiler = (emit, form) => {
  const usage = "(defn name [params] body)";
  const args = formArguments(form, usage, 2, Number.POSITIVE_INFINITY);
  const doc = isText(args[1]) ? args[1] : undefined;
  const rest = args.slice(doc ? 2 : 1);
  if (rest.length < 2 && rest[0]?.kind !== "list") throw wrongArity(form, usage);
  const name = definedName(emit, args[0] as Form, usage);
  store(emit, form, name, doc, () => emit.function(form, rest, name), false);
};

export const definitionForms: readonly SpecialForm[] = [
  specialForm(
    "def",
    ["(def name value)", '(def name "doc" value)'],
    inCard("forms", 1, "Stores a value under a name, also for later turns."),
    definition(false),
  ),
  specialForm(
    "defonce",
    "(defonce name value)",
    inCard("forms", 2, "Like def, unless the name is already defined: then value is not evaluated."),
    definition(true),
  ),
  specialForm(
    "defn",
    ["(defn name [params] body)", '(defn name "doc" [params] body)'],
    inCard("forms", 3, "Stores a function under a name."),
    defn,
  ),
];
