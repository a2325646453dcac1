import { type Form, isSymbol } from "../../lisp/read/form";
import { read } from "../../lisp/read/reader";
import { LispError } from "../../lisp/values/errors";
import { Keyword } from "../../lisp/values/values";

/** The literal reads and calls of a program. */
export interface ProgramUse {
  /** `data/x` */
  data: string[];
  /** `tool/x` */
  tools: string[];
  /** Fields read by name from `data/x`: `(get data/x "a")`, `(:a data/x)`, `(get-in data/x ["a" "b"])`. */
  fields: { data: string; path: string[] }[];
  /** The whole program is one literal value. */
  constant: { value: unknown } | null;
}

/** Reads the data, tools and fields that a program uses. */
export function programUse(source: string): ProgramUse {
  const use: ProgramUse = { data: [], tools: [], fields: [], constant: null };
  try {
    const forms = read(source);
    const [only] = forms;
    if (only?.kind === "literal" && forms.length === 1) use.constant = { value: only.value };
    for (const form of forms) look(form, use);
    return use;
  } catch (error) {
    if (error instanceof LispError) return use; // named elsewhere
    throw error;
  }
}

function look(form: Form, use: ProgramUse): void {
  if (form.kind === "symbol") {
    const [, namespace, name] = /^(data|tool)\/(.+)$/.exec(form.name) ?? [];
    if (namespace === "data") use.data.push(name as string);
    if (namespace === "tool") use.tools.push(name as string);
  }
  if (!("items" in form)) return;
  const field = form.kind === "list" || form.kind === "shortfn" ? fieldRead(form.items) : null;
  if (field !== null) use.fields.push(field);
  for (const item of form.items) look(item, use);
}

function fieldRead([head, first, second, fallback]: Form[]): ProgramUse["fields"][number] | null {
  if (head === undefined || first === undefined) return null;
  const own = keyOf(head);
  if (own !== null) return readOf(first, [own]);
  if (second === undefined || fallback !== undefined) return null;
  if (isSymbol(head, "get")) return readOf(first, [keyOf(second)]);
  if (isSymbol(head, "get-in") && second.kind === "vector") return readOf(first, second.items.map(keyOf));
  return null;
}

function readOf(from: Form, path: (string | null)[]): ProgramUse["fields"][number] | null {
  const data = isSymbol(from) ? /^data\/(.+)$/.exec(from.name)?.[1] : undefined;
  if (data === undefined || path.length === 0 || path.includes(null)) return null;
  return { data, path: path as string[] };
}

/** A literal key: `"a"` or `:a`. */
function keyOf(form: Form): string | null {
  if (form.kind !== "literal") return null;
  if (typeof form.value === "string") return form.value;
  return form.value instanceof Keyword ? form.value.name : null;
}
