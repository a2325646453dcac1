import { BUILTINS, CONSTANTS, NAMESPACES } from "../../core/lisp/builtins";
import { SPECIAL_FORMS } from "../../core/lisp/compile/special-forms";
import { endOfText } from "./input";

/** The completions at the end of a text: the names that start with its last name, and that prefix. */
export function completions(text: string, defined: Iterable<string>): [names: string[], typed: string] {
  if (endOfText(text).inside !== "code") return [[], ""];
  const typed = /[^\s,()[\]{}"'`;@#]*$/.exec(text)![0];
  // With nothing typed all names would match: then Tab indents.
  if (typed === "") return [["  "], ""];
  const slash = typed.indexOf("/");
  const namespace = slash > 0 && NAMESPACES.has(typed.slice(0, slash)) ? typed.slice(0, slash + 1) : "";
  const all = new Set([...BUILTINS.keys(), ...CONSTANTS.keys()].map((name) => namespace + name));
  if (namespace === "") for (const name of [...SPECIAL_FORMS.keys(), ...defined, "doc"]) all.add(name);
  return [[...all].filter((name) => name.startsWith(typed)).sort(), typed];
}
